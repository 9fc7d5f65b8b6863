// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trial_model.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}
const QString kDash = QStringLiteral("\u2013");

}  // namespace

QString statusText(measure::TrialStatus status) {
    switch (status) {
        case measure::TrialStatus::Ok:
            return QCoreApplication::translate("TrialStatus", "ok");
        case measure::TrialStatus::BuildError:
            return QCoreApplication::translate("TrialStatus", "build error");
        case measure::TrialStatus::Timeout:
            return QCoreApplication::translate("TrialStatus", "timeout");
        case measure::TrialStatus::Crash:
            return QCoreApplication::translate("TrialStatus", "crash");
        case measure::TrialStatus::WrongResult:
            return QCoreApplication::translate("TrialStatus", "wrong result");
        case measure::TrialStatus::Cancelled:
            return QCoreApplication::translate("TrialStatus", "cancelled");
    }
    return {};
}

QString scheduleSummary(const std::string& trace) {
    QStringList splits, rest;
    const QStringList lines = text(trace).split('\n', Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        const QStringList words = line.simplified().split(' ');
        if (words.isEmpty() || words[0].startsWith('#')) continue;
        if (words[0] == "split" && words.size() >= 3)
            splits << words[1].section('.', -1) + ' ' + words[2];
        else if (words[0] == "microkernel" || words[0] == "parallel")
            rest << words[0] + ' ' + words.mid(2).join(' ');
        else if (words[0] != "reorder" && words[0] != "unroll" && words[0] != "vectorize")
            rest << line.simplified();
    }
    QStringList parts;
    if (!splits.isEmpty()) parts << splits.join(", ");
    parts << rest;
    return parts.isEmpty() ? text(trace).simplified() : parts.join(QStringLiteral(" \u00b7 "));
}

TrialModel::TrialModel(const SessionData& data, QObject* parent)
    : QAbstractTableModel(parent), session_(data), rows_(int(data.trials.size())) {}

int TrialModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}
int TrialModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

void TrialModel::appendNew() {
    const int now = int(session_.trials.size());
    if (now <= rows_) return;
    beginInsertRows({}, rows_, now - 1);
    rows_ = now;
    endInsertRows();
}

void TrialModel::reset() {
    beginResetModel();
    rows_ = int(session_.trials.size());
    endResetModel();
}

QVariant TrialModel::display(const store::TrialRow& row, const TaskState& task, int column) const {
    switch (column) {
        case Trial:
            return qlonglong(row.id);
        case Time:
            return QDateTime::fromMSecsSinceEpoch(qint64(row.unixSeconds * 1000)).toString("HH:mm:ss.zzz").chopped(2);
        case Operator:
            return text(task.row.name).section(" + ", 0, 0);
        case Status:
            return statusText(statusOf(row));
        case Predicted:
            return row.predictedNs > 0 ? text(formatMs(row.predictedNs)) : kDash;
        case Measured:
            return isOk(row) ? text(formatMs(double(row.minNs))) : kDash;
        case Spread: {
            if (!isOk(row) || row.samplesNs.size() < 2) return kDash;
            return QStringLiteral("\u00b1 ") + text(formatDouble(100 * spreadOf(row), 1)) + " %";
        }
        case AgainstDefault:
            return isOk(row) && task.defaultNs > 0 ? text(formatRatio(double(task.defaultNs) / double(row.minNs)))
                                                   : kDash;
        case Model:
            return row.modelVersion > 0 ? "v" + QString::number(row.modelVersion) : text(row.origin);
        case Schedule:
            return row.error.empty() ? scheduleSummary(row.trace)
                                     : text(row.error) + QStringLiteral(" \u00b7 ") + scheduleSummary(row.trace);
        default:
            return {};
    }
}

double TrialModel::number(const store::TrialRow& row, int column) const {
    constexpr double kLast = 1e300;  // missing values after all others
    switch (column) {
        case Time:
            return row.unixSeconds;
        case Operator:
            return row.task;
        case Status:
            return row.status;
        case Predicted:
            return row.predictedNs > 0 ? row.predictedNs : kLast;
        case Measured:
            return isOk(row) ? double(row.minNs) : kLast;
        case Spread:
            return isOk(row) ? spreadOf(row) : kLast;
        case AgainstDefault: {
            const TaskState* task = session_.task(row.task);
            return isOk(row) && task && task->defaultNs > 0 ? double(task->defaultNs) / double(row.minNs) : 0.0;
        }
        case Model:
            return row.modelVersion;
        default:
            return double(row.id);
    }
}

bool TrialModel::less(int rowA, int rowB, int column) const {
    if (column == Trial) return rowA < rowB;
    const store::TrialRow &a = session_.trials[rowA], &b = session_.trials[rowB];
    if (column == Schedule) return a.trace < b.trace;
    return number(a, column) < number(b, column);
}

QVariant TrialModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rows_) return {};
    const store::TrialRow& row = session_.trials[index.row()];
    const TaskState* task = session_.task(row.task);
    if (!task) return {};
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return display(row, *task, column);
        case SortRole:
            return number(row, column);
        case TaskRole:
            return row.task;
        case TrialRole:
            return qlonglong(row.id);
        case KindRole:
            return column == Operator ? QVariant(int(task->kind)) : QVariant();
        case HatchRole:
            return column == Status ? QVariant(!isOk(row)) : QVariant();
        case EmphasisRole:
            return int(column == Trial || column == Time || column == Spread || column == Model ? Emphasis::Faint
                                                                                                : Emphasis::None);
        case Qt::ToolTipRole:
            return column == Schedule ? text(row.error.empty() ? row.trace : row.error) : QVariant();
        case Qt::TextAlignmentRole: {
            const bool left = column == Time || column == Operator || column == Status || column == Schedule;
            return int((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        }
        default:
            return {};
    }
}

QVariant TrialModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool left = section == Time || section == Operator || section == Status || section == Schedule;
        return int((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Trial:
            return tr("Trial");
        case Time:
            return tr("Time");
        case Operator:
            return tr("Operator");
        case Status:
            return tr("Status");
        case Predicted:
            return tr("Predicted ms");
        case Measured:
            return tr("Measured ms");
        case Spread:
            return tr("Spread");
        case AgainstDefault:
            return tr("Against default");
        case Model:
            return tr("Model");
        case Schedule:
            return tr("Schedule");
        default:
            return {};
    }
}

TrialFilter::TrialFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(SortRole);
    setDynamicSortFilter(false);
}

void TrialFilter::setOnlyTask(int task) {
    if (task == onlyTask_) return;
    onlyTask_ = task;
    invalidateFilter();
}

void TrialFilter::setHideFailures(bool hide) {
    if (hide == hideFailures_) return;
    hideFailures_ = hide;
    invalidateFilter();
}

bool TrialFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (onlyTask_ >= 0 && sourceModel()->index(row, 0, parent).data(TaskRole).toInt() != onlyTask_) return false;
    if (!hideFailures_) return true;
    return !sourceModel()->index(row, TrialModel::Status, parent).data(HatchRole).toBool();
}

bool TrialFilter::lessThan(const QModelIndex& a, const QModelIndex& b) const {
    if (auto* trials = qobject_cast<const TrialModel*>(sourceModel()))
        return trials->less(a.row(), b.row(), a.column());
    return QSortFilterProxyModel::lessThan(a, b);
}

}  // namespace fettle::ui
