// SPDX-License-Identifier: GPL-3.0-or-later
// Every trial as a table. Appends one beginInsertRows per batch and never resets while a session is live.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "ui/models/operator_model.h"

namespace fettle::ui {

class TrialModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Trial,
        Time,
        Operator,
        Status,
        Predicted,
        Measured,
        Spread,
        AgainstDefault,
        Model,
        Schedule,
        ColumnCount
    };

    explicit TrialModel(const SessionData& data, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void appendNew();                                 // rows that the store has and the model does not
    void reset();                                     // another session
    bool less(int rowA, int rowB, int column) const;  // without QVariants: 100,000 rows sort in a few milliseconds

private:
    QVariant display(const store::TrialRow& row, const TaskState& task, int column) const;
    double number(const store::TrialRow& row, int column) const;  // sort key of the numeric columns

    const SessionData& session_;
    int rows_ = 0;
};

class TrialFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit TrialFilter(QObject* parent = nullptr);
    void setOnlyTask(int task);  // -1: all
    void setHideFailures(bool hide);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

private:
    int onlyTask_ = -1;
    bool hideFailures_ = false;
};

// "oc 32, ow 14 . microkernel ow1 oc1 . parallel oc0": a trace on one line, for the table.
QString scheduleSummary(const std::string& trace);
QString statusText(measure::TrialStatus status);  // translated

}  // namespace fettle::ui
