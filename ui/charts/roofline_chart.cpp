// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/roofline_chart.h"

#include <cmath>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

double intensity(const TaskState& task) {
    return task.row.bytes > 0 ? task.row.flops / task.row.bytes : 0;
}
double gflops(const TaskState& task, int64_t ns) {
    return ns > 0 ? task.row.flops / double(ns) : 0;
}
QString whole(double v) {
    return QString::fromStdString(formatDouble(v, v < 10 ? 1 : 0));
}

}  // namespace

RooflineChart::RooflineChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                             QWidget* parent)
    : Plot(theme, frames, tr("Roofline"), parent), data_(data), selection_(selection) {
    new PaintItem(this, [this](QCPPainter* painter) { paintAll(painter); });
    axisRect()->setMinimumMargins(QMargins(34, 8, 8, 20));
    connect(selection_, &SelectionContext::operatorChanged, this, [this] { markDirty(); });
}

void RooflineChart::setRoof(const Roof& roof) {
    roof_ = roof;
    markDirty();
}

void RooflineChart::restyle() {
    setUpAxis(xAxis, true, {}, 4, true);
    setUpAxis(yAxis, true, {}, 3, true);
    yAxis->setBasePen(QPen(tokens().borderStrong, 1));
}

void RooflineChart::fill() {
    std::vector<double> x, y;
    for (const TaskState& task : data_.tasks) {
        if (intensity(task) <= 0 || task.nowNs() <= 0) continue;
        x.push_back(intensity(task));
        y.push_back(gflops(task, task.nowNs()));
        if (task.row.id == selection_->task() && task.defaultNs > 0) y.push_back(gflops(task, task.defaultNs));
    }
    const double peak = roof_.flopsPerSecond * 1e-9;
    Span xs = quantileSpan(x, 0, 1, 0.1, true), ys = quantileSpan(y, 0, 1, 0.1, true);
    if (roof_.known()) {
        const double ridge = roof_.flopsPerSecond / roof_.bytesPerSecond;
        xs = {std::min(xs.low, ridge / 8), std::max(xs.high, ridge * 8)};
        ys = {std::min(ys.low, peak / 30), std::max(ys.high, peak * 2.6)};
    }
    xAxis->setRange(xs.low, xs.high);
    yAxis->setRange(ys.low, ys.high);
}

void RooflineChart::paintAll(QCPPainter* painter) {
    const QRect area = axisRect()->rect();
    auto at = [&](double x, double y) { return QPointF(xAxis->coordToPixel(x), yAxis->coordToPixel(y)); };
    painter->setAntialiasing(true);
    painter->setFont(theme()->font(FontRole::Caption));
    painter->setPen(tokens().text3);
    painter->drawText(QRectF(area.left() + 3, area.top() - 6, 120, 16), Qt::AlignVCenter, tr("GFLOP/s, log"));
    painter->drawText(QRectF(area.left(), area.bottom() - 17, area.width() - 2, 16), Qt::AlignRight,
                      tr("FLOP/byte, log"));
    painter->save();
    painter->setClipRect(area);
    if (roof_.known()) {
        const double peak = roof_.flopsPerSecond * 1e-9, slope = roof_.bytesPerSecond * 1e-9, ridge = peak / slope;
        painter->setPen(QPen(tokens().text2, 1));
        const double low = xAxis->range().lower, high = xAxis->range().upper;
        painter->drawPolyline(QPolygonF({at(low, low * slope), at(ridge, peak), at(high, peak)}));
        painter->setPen(tokens().text3);
        painter->drawText(QRectF(area.left(), at(ridge, peak).y() - 17, area.width() - 2, 16), Qt::AlignRight,
                          whole(peak) + " GFLOP/s");
        const QPointF a = at(low, low * slope), b = at(ridge, peak);
        painter->save();
        painter->translate((a + b) / 2);
        painter->rotate(std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / M_PI);
        painter->drawText(QRectF(-40, -17, 80, 16), Qt::AlignCenter, whole(slope) + " GB/s");
        painter->restore();
    }
    painter->setPen(Qt::NoPen);
    for (const TaskState& task : data_.tasks) {
        if (intensity(task) <= 0 || task.nowNs() <= 0 || task.row.id == selection_->task()) continue;
        painter->setBrush(kindColour(task.kind));
        painter->drawEllipse(at(intensity(task), gflops(task, task.nowNs())), 2.5, 2.5);
    }
    const TaskState* task = data_.task(selection_->task());
    if (task && intensity(*task) > 0 && task->nowNs() > 0) {
        const QPointF best = at(intensity(*task), gflops(*task, task->nowNs()));
        painter->setPen(QPen(tokens().text1, 1));
        if (task->defaultNs > 0 && task->bestNs > 0) {
            const QPointF before = at(intensity(*task), gflops(*task, task->defaultNs));
            painter->drawLine(QLineF(before, best));
            painter->setBrush(tokens().surface);
            painter->drawEllipse(before, 3, 3);
            if (before.y() - best.y() > 12) {
                painter->setPen(tokens().text3);
                painter->drawText(QRectF(before.x() + 8, before.y() - 8, 60, 16), Qt::AlignVCenter, tr("default"));
            }
        }
        painter->setPen(QPen(tokens().text1, 1));
        painter->setBrush(kindColour(task->kind));
        painter->drawEllipse(best, 4.5, 4.5);
        painter->setFont(theme()->font(FontRole::CaptionStrong));
        painter->drawText(QRectF(best.x() + 8, best.y() - 1, 60, 16), Qt::AlignVCenter, tr("best"));
    }
    painter->restore();
}

}  // namespace fettle::ui
