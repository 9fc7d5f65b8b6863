// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, grouped: failed trials by class and cause, and warnings of the session. A few rows, ever.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/models/operator_model.h"

namespace fettle::ui {

class ProblemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Class, Trials, Operators, Cause, Action, ColumnCount };

    explicit ProblemModel(const SessionData& data, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void refresh();  // takes in new failed trials
    void addWarning(const Error& error);
    void reset();

private:
    struct Row {
        QString problem, cause, action;
        int status = -1;  // measure::TrialStatus; -1: a warning
        int trials = 0;
        std::vector<int> tasks;  // which, each once
        qlonglong lastTrial = 0;
    };
    void take(const store::TrialRow& trial);
    QString operatorsOf(const Row& row) const;

    const SessionData& session_;
    std::vector<Row> problems_;
    size_t seen_ = 0;  // trials looked at
};

}  // namespace fettle::ui
