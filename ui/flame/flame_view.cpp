// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>
#include <cmath>

#include "ui/flame/flame_tip.h"

namespace fettle::ui {

namespace {

FlameRange rangeOf(const FlameNode& node) {
    return {double(node.startNs), double(node.endNs())};
}

}  // namespace

FlameView::FlameView(Theme* theme, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), theme_(theme), tip_(new FlameTip(theme, this)), tree_(std::make_shared<FlameTree>()) {
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    style_.selected = [this](const FlameNode& node) {
        if (node.role != SpanRole::Operator) return chosenNode_ >= 0 && &node == &tree_->nodes[chosenNode_];
        return selectedGroup_ >= 0 && node.occurrences == 1 && node.group >= 0
                   ? node.group == selectedGroup_
                   : selectedTask_ >= 0 && node.task == selectedTask_;
    };
    zoom_.setDuration(kZoomMs);
    zoom_.setEasingCurve(QEasingCurve::OutCubic);
    zoom_.setStartValue(0.0);
    zoom_.setEndValue(1.0);
    connect(&zoom_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double t = value.toDouble();
        showRange({from_.low + (target_.low - from_.low) * t, from_.high + (target_.high - from_.high) * t});
    });
    connect(theme_, &Theme::changed, this, &FlameView::applyTheme);
}

void FlameView::applyTheme() {
    elisions_.clear();
    updateGeometry();
    update();
}

void FlameView::setTree(std::shared_ptr<const FlameTree> tree, bool keepPlace) {
    const int node = keepPlace ? sameNode(*tree_, zoomNode(), *tree) : 0;
    tree_ = std::move(tree);
    match_.reset();
    style_.match = nullptr;
    history_.clear();
    chosenNode_ = -1;
    elisions_.clear();
    tip_->hide();
    zoom_.stop();
    target_ = tree_->empty() ? FlameRange() : rangeOf(tree_->nodes[node]);
    showRange(target_);
    updateGeometry();
    emit rangeChanged();
}

void FlameView::setIcicle(bool on) {
    style_.icicle = on;
    update();
}

void FlameView::setAxis(bool on) {
    style_.axis = on;
    updateGeometry();
    update();
}

void FlameView::setMatch(std::shared_ptr<const FlameMatch> match) {
    match_ = std::move(match);
    style_.match = match_.get();
    update();
}

void FlameView::setColouring(std::function<QColor(const FlameNode&)> fill,
                             std::function<QString(const FlameNode&)> label) {
    style_.fill = std::move(fill);
    style_.label = std::move(label);
    elisions_.clear();
    update();
}

void FlameView::setSelected(int group, int task) {
    if (chosenNode_ >= 0 && tree_->nodes[chosenNode_].group != group) chosenNode_ = -1;
    selectedGroup_ = group;
    selectedTask_ = task;
    update();
}

void FlameView::zoomTo(FlameRange range, bool remember) {
    if (tree_->empty()) return;
    range = insideTree(*tree_, range);
    if (range == target_) return;
    if (remember) history_.push_back(target_);
    zoom_.stop();
    from_ = shown_;
    target_ = range;
    tip_->hide();
    if (theme_->animated() && isVisible())
        zoom_.start();
    else
        showRange(target_);
    emit rangeChanged();
}

void FlameView::zoomToNode(int node) {
    if (node >= 0 && node < int(tree_->nodes.size())) zoomTo(rangeOf(tree_->nodes[node]));
}

void FlameView::zoomToAll() {
    zoomTo({0, double(tree_->totalNs())});
}

bool FlameView::zoomBack() {
    if (history_.empty()) return false;
    const FlameRange before = history_.back();
    history_.pop_back();
    zoomTo(before, false);
    return true;
}

void FlameView::showRange(FlameRange range) {
    shown_ = range;
    layoutStale_ = true;
    update();
    emit frameChanged();
}

const FlameLayout& FlameView::layoutNow() const {
    if (layoutStale_ || layout_.width() != width()) {
        layout_ = FlameLayout(*tree_, shown_, width());
        layoutStale_ = false;
    }
    return layout_;
}

const FlameBox* FlameView::boxAt(QPointF position) const {
    return layoutNow().hit(flameRowAt(position.y(), tree_->depth(), style_, *theme_), position.x());
}

QSize FlameView::sizeHint() const {
    return {theme_->px(600), flameHeight(tree_->depth(), style_, *theme_)};
}

QSize FlameView::minimumSizeHint() const {
    return {theme_->px(200), sizeHint().height()};
}

void FlameView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setClipRect(event->rect());
    painter.fillRect(event->rect(), theme_->tokens().surface);
    paintFlame(painter, {0, 0}, *tree_, layoutNow(), style_, *theme_, elisions_);
    if (hasFocus()) {
        painter.setPen(theme_->tokens().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void FlameView::resizeEvent(QResizeEvent*) {
    layoutStale_ = true;
}

void FlameView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setFocus(Qt::MouseFocusReason);
    pressedAt_ = event->position();
    pressedRange_ = target_;
    dragging_ = false;
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return hover(event->position(), event->globalPosition().toPoint());
    const double moved = pressedAt_.x() - event->position().x();
    if (!dragging_ && std::fabs(moved) < 5) return;
    tip_->hide();
    if (!dragging_) history_.push_back(target_);
    dragging_ = true;
    zoom_.stop();
    const double ns = moved * pressedRange_.length() / std::max(1, width());
    target_ = insideTree(*tree_, {pressedRange_.low + ns, pressedRange_.high + ns});
    showRange(target_);
    emit rangeChanged();
}

void FlameView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || dragging_) return;
    const FlameBox* box = boxAt(event->position());
    if (!box) return;
    chosenNode_ = box->node;
    update();
    emit nodeChosen(box->node);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const FlameBox* box = boxAt(event->position())) zoomToNode(box->node);
}

void FlameView::wheelEvent(QWheelEvent* event) {
    const QPoint turn = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        scaleAround(layoutNow().nsOf(event->position().x()), std::pow(0.999, turn.y() * 1.5));
    } else if (turn.x() != 0 || event->modifiers() & Qt::ShiftModifier) {
        pan(-(turn.x() != 0 ? turn.x() : turn.y()) / 1200.0);
    } else {
        event->ignore();  // the page scrolls
    }
}

void FlameView::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return event->ignore();
    const double middle = (target_.low + target_.high) / 2;
    switch (event->key()) {
        case Qt::Key_W:
        case Qt::Key_Up:
            return scaleAround(middle, 1 / 1.5);
        case Qt::Key_S:
        case Qt::Key_Down:
            return scaleAround(middle, 1.5);
        case Qt::Key_A:
        case Qt::Key_Left:
            return pan(-0.15);
        case Qt::Key_D:
        case Qt::Key_Right:
            return pan(0.15);
        case Qt::Key_Home:
            return zoomToAll();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return zoomToNode(chosenNode_);
        case Qt::Key_Backspace:
            zoomBack();
            return;
        case Qt::Key_Escape:
            tip_->hide();
            emit escaped();
            return zoomToAll();
        default:
            QWidget::keyPressEvent(event);
    }
}

void FlameView::scaleAround(double ns, double factor) {
    const double share = target_.length() > 0 ? (ns - target_.low) / target_.length() : 0.5;
    const double length =
        std::clamp(target_.length() * factor, std::min(100.0, double(tree_->totalNs())), double(tree_->totalNs()));
    zoomTo({ns - share * length, ns + (1 - share) * length});
}

void FlameView::pan(double share) {
    const double ns = target_.length() * share;
    zoomTo({target_.low + ns, target_.high + ns});
}

void FlameView::hover(QPointF position, QPoint global) {
    const FlameBox* box = boxAt(position);
    if (!box) return tip_->hide();
    tip_->showText(tipText(*tree_, box->node, target_.length(), box->spans), global);
}

void FlameView::leaveEvent(QEvent*) {
    tip_->hide();
}

void FlameView::focusInEvent(QFocusEvent*) {
    update();
}

void FlameView::focusOutEvent(QFocusEvent*) {
    update();
}

}  // namespace fettle::ui
