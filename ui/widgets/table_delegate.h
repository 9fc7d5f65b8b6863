// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the cells of every table from the roles of ui/models: kind chip, share bar, sparkline, status mark, text.
#pragma once

#include <QStyledItemDelegate>

#include "ui/models/operator_model.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class TableDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    TableDelegate(Theme* theme, int monospaceColumn, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setStrongWhenSelected(bool on) { strongWhenSelected_ = on; }  // the first column of Operators

private:
    void paintSpark(QPainter* painter, const QRectF& rect, const QVector<double>& points) const;

    Theme* theme_;
    int monospaceColumn_;
    bool strongWhenSelected_ = false;
};

}  // namespace fettle::ui
