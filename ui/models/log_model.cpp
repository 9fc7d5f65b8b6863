// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include "ui/models/operator_model.h"

namespace fettle::ui {

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(lines_.size());
}
int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(lines_.size())) return {};
    const Line& line = lines_[index.row()];
    if (role == Qt::DisplayRole || role == SortRole)
        return index.column() == Time ? line.time.toString("HH:mm:ss") : line.message;
    if (role == EmphasisRole && index.column() == Time) return int(Emphasis::Faint);
    if (role == Qt::ToolTipRole && index.column() == Message) return line.message;
    return {};
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) return section == Time ? tr("Time") : tr("Message");
    return {};
}

void LogModel::add(const QString& message) {
    if (rowCount() >= kLimit) {
        beginRemoveRows({}, 0, kLimit / 10 - 1);
        lines_.erase(lines_.begin(), lines_.begin() + kLimit / 10);
        endRemoveRows();
    }
    beginInsertRows({}, rowCount(), rowCount());
    lines_.push_back({QDateTime::currentDateTime(), message});
    endInsertRows();
}

QString LogModel::allText() const {
    QString text;
    for (const Line& line : lines_) text += line.time.toString(Qt::ISODate) + ' ' + line.message + '\n';
    return text;
}

}  // namespace fettle::ui
