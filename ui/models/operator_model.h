// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of the model as a table: one row per fused operator, times per occurrence.
#pragma once

#include <QAbstractTableModel>
#include <QRegularExpression>
#include <QSortFilterProxyModel>

#include "ui/models/session_data.h"

namespace fettle::ui {

// Roles that every table of ours shares: how to sort, and what delegates draw.
enum TableRole {
    SortRole = Qt::UserRole + 1,  // a number or a string
    KindRole,                     // int of graph::OpKind
    ShareRole,                    // double in [0, 1] of the longest bar
    TaskRole,                     // int
    GroupRole,                    // int
    TrialRole,                    // qint64
    SparkRole,                    // QVector<double>: best so far, in ns
    EmphasisRole,                 // int of Emphasis
    HatchRole,                    // bool: draw the hatched "failed" mark; absent: no mark
};
enum class Emphasis { None, Strong, Faint };

class OperatorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Share, Best, SpeedUp, Baseline, Trials, GflopPerSecond, OfRoofline, BestSoFar, ColumnCount };

    explicit OperatorModel(const SessionData& data, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // Bits of Change: resets for a new list of operators, else tells the views which values changed.
    void refresh(unsigned changes);
    // Attainable GFLOP/s at an intensity; 0: unknown, the column stays empty.
    void setRoofline(double flopsPerSecond, double bytesPerSecond);
    const OperatorEntry* entry(int row) const;
    int rowOf(int group, int task) const;  // -1: none

private:
    QVariant display(const OperatorEntry& entry, const TaskState& task, int column) const;
    QVariant sortKey(const OperatorEntry& entry, const TaskState& task, int column) const;
    double roofShare(const TaskState& task) const;
    double share(const TaskState& task) const { return totalNs_ > 0 ? double(task.nowNs()) / totalNs_ : 0; }
    void measureTotals();

    const SessionData& session_;
    int rows_ = 0;
    double flopsPerSecond_ = 0, bytesPerSecond_ = 0;
    double longestShare_ = 0, totalNs_ = 0;
};

// Filter: plain text in the name or path, /regex/, or the name of a kind.
class OperatorFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit OperatorFilter(QObject* parent = nullptr);
    bool setFilterText(const QString& text);  // false: not a valid regular expression; the filter is unchanged
    void setHiddenKinds(unsigned kindBits);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString text_;
    QRegularExpression pattern_;
    bool usesPattern_ = false;
    unsigned hiddenKinds_ = 0;
};

}  // namespace fettle::ui
