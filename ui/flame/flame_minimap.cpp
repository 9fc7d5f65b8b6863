// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/flame/flame_paint.h"

namespace fettle::ui {

FlameMinimap::FlameMinimap(Theme* theme, QWidget* parent)
    : QWidget(parent), theme_(theme), tree_(std::make_shared<FlameTree>()) {
    setAccessibleName(tr("Minimap of the flame chart"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
    connect(theme_, &Theme::changed, this, [this] { update(); });
}

void FlameMinimap::setTree(std::shared_ptr<const FlameTree> tree) {
    tree_ = std::move(tree);
    layout_ = {};
    update();
}

void FlameMinimap::setFrame(FlameRange range) {
    frame_ = range;
    update();
}

void FlameMinimap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& tokens = theme_->tokens();
    painter.fillRect(rect(), tokens.surface);
    if (tree_->empty()) return;
    if (layout_.width() != width()) layout_ = FlameLayout(*tree_, {0, double(tree_->totalNs())}, width());
    const QRectF area = QRectF(rect()).adjusted(0, 2, 0, -2);
    const double row = area.height() / std::max(1, tree_->depth());
    for (int depth = 0; depth < layout_.depth(); ++depth)
        for (const FlameBox& box : layout_.row(depth))
            painter.fillRect(
                QRectF(box.left, area.top() + depth * row, std::max(0.5, box.width() - 0.5), std::max(1.0, row - 0.5)),
                spanColour(*tree_, tree_->nodes[box.node], tokens));
    const double left = layout_.xOf(frame_.low), right = layout_.xOf(frame_.high);
    QColor veil = tokens.surface;
    veil.setAlphaF(0.55F);
    painter.fillRect(QRectF(0, 0, left, height()), veil);
    painter.fillRect(QRectF(right, 0, width() - right, height()), veil);
    painter.setPen(QPen(tokens.accent, 2));
    const double frameWidth = std::max(4.0, right - left - 2);
    painter.drawRect(
        QRectF(std::clamp(left + 1, 1.0, std::max(1.0, width() - frameWidth - 1)), 1, frameWidth, height() - 2));
}

void FlameMinimap::moveTo(double x) {
    if (layout_.width() > 0) emit frameMoved(layout_.nsOf(x));
}

void FlameMinimap::mousePressEvent(QMouseEvent* event) {
    moveTo(event->position().x());
}

void FlameMinimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(event->position().x());
}

}  // namespace fettle::ui
