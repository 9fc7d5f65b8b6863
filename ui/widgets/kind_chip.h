// SPDX-License-Identifier: GPL-3.0-or-later
// The square with a kind's colour and letter, and the hatched mark of failures: drawn the same way everywhere.
#pragma once

#include <QPainter>
#include <QWidget>

#include "ui/shell/theme.h"

namespace fettle::ui {

// `rect` is the chip itself: 16 px in tables, 20 in the Inspector's heading, 14 in legends.
void paintKindChip(QPainter& painter, const QRectF& rect, graph::OpKind kind, const Theme& theme);
// 45 degree hatch, 2 px lines every 5 px, ink on surface.
void paintHatchMark(QPainter& painter, const QRectF& rect, const Tokens& tokens);
QString kindText(graph::OpKind kind);  // translated, capitalised

class KindChip : public QWidget {
    Q_OBJECT
public:
    KindChip(Theme* theme, int size, QWidget* parent = nullptr);
    void setKind(graph::OpKind kind);
    QSize sizeHint() const override { return {theme_->px(size_), theme_->px(size_)}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme* theme_;
    int size_;
    graph::OpKind kind_ = graph::OpKind::Other;
};

}  // namespace fettle::ui
