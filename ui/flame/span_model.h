// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of a run as a table, below the flame chart; only those inside the zoom.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <memory>

#include "ui/flame/flame_tree.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class SpanModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Span, Self, Total, OfAll, OfParent, Runs, Spread, ColumnCount };
    enum Role { SortRole = Qt::UserRole + 1, KindRole, PathRole, NodeRole };

    using QAbstractTableModel::QAbstractTableModel;
    // Operators below `root` for which `wanted` holds (empty: all).
    void setRows(std::shared_ptr<const FlameTree> tree, int root, const std::function<bool(int node)>& wanted);
    int rowOf(int group, int task) const;  // -1: not there
    int nodeAt(int row) const { return rows_[row]; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(rows_.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant number(const FlameNode& node, int column) const;

    std::shared_ptr<const FlameTree> tree_;
    std::vector<int> rows_;  // nodes
};

// Sorts by value and marks the sorted column in its title, where the style's own mark would cover right-aligned text.
class SpanSorter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

// Draws the first column: kind chip, name, path in the colour of captions; and the rest as figures.
class SpanDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    SpanDelegate(Theme* theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme* theme_;
};

}  // namespace fettle::ui
