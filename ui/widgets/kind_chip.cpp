// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/kind_chip.h"

#include <QCoreApplication>

namespace fettle::ui {

void paintKindChip(QPainter& painter, const QRectF& rect, graph::OpKind kind, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor fill = kindColour(kind);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, 3, 3);
    painter.setPen(labelOn(fill));
    painter.setFont(theme.font(FontRole::KindLetter));
    painter.drawText(rect, Qt::AlignCenter, QString(QChar(graph::kindLetter(kind))));
    painter.restore();
}

void paintHatchMark(QPainter& painter, const QRectF& rect, const Tokens& tokens) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect);
    painter.setPen(QPen(tokens.text2, 2));
    for (double x = rect.left() - rect.height(); x < rect.right(); x += 5)
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()));
    painter.setClipping(false);
    painter.setPen(QPen(tokens.text2, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect);
    painter.restore();
}

QString kindText(graph::OpKind kind) {
    switch (kind) {
        case graph::OpKind::Convolution:
            return QCoreApplication::translate("OpKind", "Convolution");
        case graph::OpKind::Matmul:
            return QCoreApplication::translate("OpKind", "Matmul");
        case graph::OpKind::Normalization:
            return QCoreApplication::translate("OpKind", "Attention, softmax, norm");
        case graph::OpKind::Pool:
            return QCoreApplication::translate("OpKind", "Pool, reduce");
        case graph::OpKind::Elementwise:
            return QCoreApplication::translate("OpKind", "Elementwise");
        case graph::OpKind::Layout:
            return QCoreApplication::translate("OpKind", "Layout");
        case graph::OpKind::Other:
            return QCoreApplication::translate("OpKind", "Other");
    }
    return {};
}

KindChip::KindChip(Theme* theme, int size, QWidget* parent) : QWidget(parent), theme_(theme), size_(size) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void KindChip::setKind(graph::OpKind kind) {
    kind_ = kind;
    setAccessibleName(kindText(kind));
    update();
}

void KindChip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintKindChip(painter, rect(), kind_, *theme_);
}

}  // namespace fettle::ui
