// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/operator_model.h"

#include <QVector>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

}  // namespace

OperatorModel::OperatorModel(const SessionData& data, QObject* parent)
    : QAbstractTableModel(parent), session_(data), rows_(int(data.operators.size())) {
    measureTotals();
}

void OperatorModel::measureTotals() {
    totalNs_ = session_.modelNs();
    longestShare_ = 0;
    for (const TaskState& task : session_.tasks) longestShare_ = std::max(longestShare_, share(task));
}

int OperatorModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}
int OperatorModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

const OperatorEntry* OperatorModel::entry(int row) const {
    // rows_ is what the views were told; the session's data may have been emptied since.
    return row >= 0 && row < std::min(rows_, int(session_.operators.size())) ? &session_.operators[row] : nullptr;
}

int OperatorModel::rowOf(int group, int task) const {
    int firstOfTask = -1;
    for (int row = 0; const OperatorEntry* e = entry(row); ++row) {
        if (e->task != task) continue;
        if (group < 0 || e->group == group) return row;
        if (firstOfTask < 0) firstOfTask = row;
    }
    return firstOfTask;
}

void OperatorModel::setRoofline(double flopsPerSecond, double bytesPerSecond) {
    flopsPerSecond_ = flopsPerSecond;
    bytesPerSecond_ = bytesPerSecond;
    if (rows_) emit dataChanged(index(0, OfRoofline), index(rows_ - 1, OfRoofline));
}

void OperatorModel::refresh(unsigned changes) {
    measureTotals();
    const int now = int(session_.operators.size());
    if ((changes & ChangedTasks) || now != rows_) {
        beginResetModel();
        rows_ = now;
        endResetModel();
    } else if (rows_ && (changes & (ChangedBest | ChangedTrials))) {
        emit dataChanged(index(0, 0), index(rows_ - 1, ColumnCount - 1));
    }
}

double OperatorModel::roofShare(const TaskState& task) const {
    if (flopsPerSecond_ <= 0 || bytesPerSecond_ <= 0 || task.nowNs() <= 0 || task.row.flops <= 0) return 0;
    const double seconds = std::max(task.row.flops / flopsPerSecond_, task.row.bytes / bytesPerSecond_);
    return seconds / (double(task.nowNs()) * 1e-9);
}

QVariant OperatorModel::display(const OperatorEntry& e, const TaskState& task, int column) const {
    const bool measured = task.nowNs() > 0;
    switch (column) {
        case Name:
            return text(e.name).section(" + ", 0, 0);  // the whole name is the tooltip
        case Share:
            return measured ? text(formatDouble(100 * share(task), 1)) + " %" : QString();
        case Best:
            return measured ? text(formatMs(double(task.nowNs()))) : QString("\u2013");
        case SpeedUp:
            return task.speedUp() > 0 ? text(formatRatio(task.speedUp())) : QString("\u2013");
        case Baseline:
            return task.defaultNs > 0 ? text(formatMs(double(task.defaultNs))) : QString("\u2013");
        case Trials:
            return task.trials;
        case GflopPerSecond:
            return measured ? text(formatDouble(task.row.flops / double(task.nowNs()), 1)) : QString("\u2013");
        case OfRoofline: {
            const double share = roofShare(task);
            return share > 0 ? text(formatDouble(100 * share, 0)) + " %" : QString("\u2013");
        }
        default:
            return {};
    }
}

QVariant OperatorModel::sortKey(const OperatorEntry& e, const TaskState& task, int column) const {
    switch (column) {
        case Name:
            return text(e.name);
        case Share:
            return share(task);
        case Best:
            return double(task.nowNs());
        case SpeedUp:
            return task.speedUp();
        case Baseline:
            return double(task.defaultNs);
        case Trials:
            return task.trials;
        case GflopPerSecond:
            return task.nowNs() > 0 ? task.row.flops / double(task.nowNs()) : 0.0;
        case OfRoofline:
            return roofShare(task);
        default:
            return double(task.bestAfter.size());
    }
}

QVariant OperatorModel::data(const QModelIndex& index, int role) const {
    const OperatorEntry* e = index.isValid() ? entry(index.row()) : nullptr;
    const TaskState* task = e ? session_.task(e->task) : nullptr;
    if (!task) return {};
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return display(*e, *task, column);
        case SortRole:
            return sortKey(*e, *task, column);
        case Qt::ToolTipRole:
            return column == Name ? text(e->name + (e->path.empty() ? "" : "\n" + e->path)) : QVariant();
        case Qt::TextAlignmentRole:
            return int((column == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case KindRole:
            return int(task->kind);
        case TaskRole:
            return e->task;
        case GroupRole:
            return e->group;
        case ShareRole:
            return column == Share && longestShare_ > 0 ? share(*task) / longestShare_ : QVariant();
        case SparkRole: {
            if (column != BestSoFar) return {};
            QVector<double> points;
            if (task->defaultNs > 0) points.push_back(double(task->defaultNs));
            for (const auto& [at, ns] : task->bestAfter) points.push_back(double(ns));
            return QVariant::fromValue(points);
        }
        default:
            return {};
    }
}

QVariant OperatorModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Operator");
        case Share:
            return tr("Share");
        case Best:
            return tr("Best ms");
        case SpeedUp:
            return tr("Speed-up");
        case Baseline:
            return tr("Baseline ms");
        case Trials:
            return tr("Trials");
        case GflopPerSecond:
            return tr("GFLOP/s");
        case OfRoofline:
            return tr("Of roofline");
        case BestSoFar:
            return tr("Best so far");
        default:
            return {};
    }
}

OperatorFilter::OperatorFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(SortRole);
    setDynamicSortFilter(false);
}

bool OperatorFilter::setFilterText(const QString& text) {
    const bool regex = text.size() > 2 && text.startsWith('/') && text.endsWith('/');
    if (regex) {
        QRegularExpression pattern(text.mid(1, text.size() - 2), QRegularExpression::CaseInsensitiveOption);
        if (!pattern.isValid()) return false;
        pattern_ = pattern;
    }
    usesPattern_ = regex;
    text_ = text.trimmed();
    invalidateFilter();
    return true;
}

void OperatorFilter::setHiddenKinds(unsigned kindBits) {
    hiddenKinds_ = kindBits;
    invalidateFilter();
}

bool OperatorFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const int kind = index.data(KindRole).toInt();
    if (hiddenKinds_ >> kind & 1) return false;
    if (text_.isEmpty()) return true;
    const QString name = index.data(Qt::ToolTipRole).toString();  // name and path
    if (usesPattern_) return pattern_.match(name).hasMatch();
    const QString kindName = QString::fromLatin1(graph::kindName(graph::OpKind(kind)));
    return name.contains(text_, Qt::CaseInsensitive) ||
           (text_.size() > 2 && kindName.startsWith(text_, Qt::CaseInsensitive));
}

}  // namespace fettle::ui
