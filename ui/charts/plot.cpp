// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot.h"

#include <QWindow>

namespace fettle::ui {

QVector<double> NiceTicker::createTickVector(double, const QCPRange& range) {
    const Span span{range.lower, range.upper};
    const auto ticks = logarithmic_ ? logTicks(span, most_) : linearTicks(span, most_);
    return QVector<double>(ticks.begin(), ticks.end());
}

QString NiceTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return tickText(tick) + suffix_;
}

PaintItem::PaintItem(QCustomPlot* plot, std::function<void(QCPPainter*)> paint)
    : QCPAbstractItem(plot), paint_(std::move(paint)) {
    setClipToAxisRect(false);
    setSelectable(false);
}

Plot::Plot(Theme* theme, FrameTimer* frames, const QString& accessibleName, QWidget* parent)
    : QCustomPlot(parent), theme_(theme), frames_(frames) {
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::NoFocus);
    setNoAntialiasingOnDrag(true);
    setPlottingHint(QCP::phFastPolylines, true);
    axisRect()->setMinimumMargins(QMargins(4, 6, 8, 4));
    frames_->add(this);
    connect(theme_, &Theme::changed, this, [this] {
        styled_ = false;
        markDirty();
    });
}

Plot::~Plot() {
    frames_->remove(this);
}

void Plot::setUpAxis(QCPAxis* axis, bool logarithmic, const QString& suffix, int most, bool grid) {
    axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis->setTicker(QSharedPointer<NiceTicker>::create(logarithmic, suffix, most));
    axis->setTickLabelFont(theme_->font(FontRole::Caption));
    axis->setTickLabelColor(tokens().text3);
    axis->setTickLengthIn(0);
    axis->setTickLengthOut(0);
    axis->setTickLabelPadding(4);
    const bool horizontal = axis->orientation() == Qt::Horizontal;
    axis->setBasePen(horizontal ? QPen(tokens().borderStrong, 1) : QPen(Qt::NoPen));
    axis->setTickPen(Qt::NoPen);
    axis->grid()->setVisible(grid);
    axis->grid()->setPen(QPen(tokens().grid, 1));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
}

void Plot::letUserZoom(Qt::Orientations orientations) {
    zoomable_ = true;
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    axisRect()->setRangeDrag(orientations);
    axisRect()->setRangeZoom(orientations);
    connect(this, &QCustomPlot::mousePress, this, [this] {
        if (!following_) return;
        following_ = false;
        emit userZoomed();
    });
}

void Plot::setFollowing(bool on) {
    following_ = on;
    if (on) markDirty();
}

void Plot::wheelEvent(QWheelEvent* event) {
    if (!zoomable_) return event->ignore();  // the page scrolls
    if (following_) {
        following_ = false;
        emit userZoomed();
    }
    QCustomPlot::wheelEvent(event);
}

void Plot::mouseDoubleClickEvent(QMouseEvent* event) {
    QCustomPlot::mouseDoubleClickEvent(event);
    if (zoomable_) setFollowing(true);
}

void Plot::drawFrame() {
    if (!styled_) applyTheme();
    fill();
    replot(QCustomPlot::rpQueuedReplot);
}

void Plot::applyTheme() {
    styled_ = true;
    setBackground(QBrush(tokens().surface));
    restyle();
}

void Plot::showEvent(QShowEvent* event) {
    QCustomPlot::showEvent(event);
    followScreen();
    markDirty();
}

void Plot::followScreen() {
    // QCustomPlot 2.1 reads the ratio once, in its constructor, before there is a screen.
    setBufferDevicePixelRatio(devicePixelRatioF());
    if (QWindow* handle = window()->windowHandle())
        connect(handle, &QWindow::screenChanged, this, &Plot::onScreenChanged, Qt::UniqueConnection);
}

void Plot::onScreenChanged() {
    setBufferDevicePixelRatio(devicePixelRatioF());
    markDirty();
}

void Plot::drawCorner(QCPPainter* painter, const QString& text, Qt::Alignment corner) {
    const QRect area = axisRect()->rect();
    painter->setFont(theme_->font(FontRole::Caption));
    painter->setPen(tokens().text3);
    const QRect below(area.left(), height() - 18, area.width(), 16);
    painter->drawText(below, int(corner) | Qt::AlignBottom | Qt::TextDontClip, text);
}

}  // namespace fettle::ui
