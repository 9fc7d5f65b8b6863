// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/span_model.h"

#include <QPainter>
#include <algorithm>

#include "core/support/format.h"
#include "ui/widgets/kind_chip.h"

namespace fettle::ui {

void SpanModel::setRows(std::shared_ptr<const FlameTree> tree, int root, const std::function<bool(int node)>& wanted) {
    beginResetModel();
    tree_ = std::move(tree);
    rows_.clear();
    std::vector<bool> inside(tree_->nodes.size(), false);
    for (int i = root; i < int(tree_->nodes.size()); ++i) {
        const FlameNode& node = tree_->nodes[i];
        inside[i] = i == root || (node.parent >= 0 && inside[node.parent]);
        if (inside[i] && node.role == SpanRole::Operator && (!wanted || wanted(i))) rows_.push_back(i);
    }
    endResetModel();
}

int SpanModel::rowOf(int group, int task) const {
    auto found = std::ranges::find_if(rows_, [&](int i) {
        const FlameNode& node = tree_->nodes[i];
        return group >= 0 ? node.group == group : task >= 0 && node.task == task;
    });
    return found == rows_.end() ? -1 : int(found - rows_.begin());
}

QVariant SpanModel::number(const FlameNode& node, int column) const {
    auto share = [&](int64_t of) { return of > 0 ? double(node.durationNs) / double(of) : 0.0; };
    switch (column) {
        case Self:
            return double(node.selfNs);
        case Total:
            return double(node.durationNs);
        case OfAll:
            return share(tree_->totalNs());
        case OfParent:
            return share(tree_->nodes[node.parent].durationNs);
        case Runs:
            return tree_->runs;
        case Spread:
            return node.spread();
        default:
            return QString::fromStdString(node.name);
    }
}

QVariant SpanModel::data(const QModelIndex& index, int role) const {
    const FlameNode& node = tree_->nodes[rows_[index.row()]];
    const QVariant value = number(node, index.column());
    switch (role) {
        case SortRole:
            return value;
        case KindRole:
            return index.column() == Span ? QVariant(int(node.kind)) : QVariant();
        case PathRole:
            return index.column() == Span ? QVariant(QString::fromStdString(node.path)) : QVariant();
        case NodeRole:
            return rows_[index.row()];
        case Qt::ToolTipRole:
            return index.column() == Span ? value : QVariant();
        case Qt::TextAlignmentRole:
            return int((index.column() == Span ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    auto text = [](const std::string& s) { return QString::fromStdString(s); };
    switch (index.column()) {
        case Self:
        case Total:
            return text(formatMs(value.toDouble()));
        case OfAll:
        case OfParent:
            return text(formatDouble(value.toDouble() * 100, 1));
        case Runs:
            return QString::number(value.toInt());
        case Spread:
            return QString::fromUtf8("\u00b1 ") + text(formatDouble(value.toDouble() * 100, 1)) + " %";
        default:
            return value;
    }
}

QVariant SpanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Span ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const QString titles[] = {tr("Span"),        tr("Self ms"), tr("Total ms"), tr("% of all"),
                              tr("% of parent"), tr("Runs"),    tr("Spread")};
    return titles[section];
}

QVariant SpanSorter::headerData(int section, Qt::Orientation orientation, int role) const {
    const QVariant title = QSortFilterProxyModel::headerData(section, orientation, role);
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section != sortColumn()) return title;
    return title.toString() + QString::fromUtf8(sortOrder() == Qt::DescendingOrder ? " \u25be" : " \u25b4");
}

void SpanDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Tokens& t = theme_->tokens();
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, t.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, t.raised);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.grid);
    QRect area = option.rect.adjusted(8, 0, -8, -1);
    const QString text = index.data(Qt::DisplayRole).toString();
    painter->setFont(theme_->font(FontRole::Dense));
    const QFontMetrics metrics(painter->font());
    if (const QVariant kind = index.data(SpanModel::KindRole); kind.isValid()) {
        const int chip = theme_->px(16);
        paintKindChip(*painter, QRectF(area.left(), area.center().y() - chip / 2 + 1, chip, chip),
                      graph::OpKind(kind.toInt()), *theme_);
        area.setLeft(area.left() + chip + 6);
        const QRect path = area.adjusted(metrics.horizontalAdvance(text) + 8, 0, 0, 0);
        painter->setPen(t.text3);
        if (path.width() > 30)
            painter->drawText(
                path, Qt::AlignLeft | Qt::AlignVCenter,
                metrics.elidedText(index.data(SpanModel::PathRole).toString(), Qt::ElideMiddle, path.width()));
    }
    painter->setPen(index.column() == SpanModel::Spread ? t.text3 : t.text1);
    painter->drawText(area, index.data(Qt::TextAlignmentRole).toInt() | Qt::TextSingleLine,
                      metrics.elidedText(text, Qt::ElideRight, area.width()));
    painter->restore();
}

}  // namespace fettle::ui
