// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/histogram_chart.h"

#include "core/support/format.h"

namespace fettle::ui {

HistogramChart::HistogramChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                               QWidget* parent)
    : Plot(theme, frames, tr("Latency histogram of the selected operator"), parent),
      data_(data),
      selection_(selection) {
    new PaintItem(this, [this](QCPPainter* painter) { paintBars(painter); });
    axisRect()->setMinimumMargins(QMargins(30, 14, 10, 22));
    connect(selection_, &SelectionContext::operatorChanged, this, [this] { markDirty(); });
}

void HistogramChart::restyle() {
    setUpAxis(xAxis, true, {}, 4, false);
    setUpAxis(yAxis, false, {}, 3, true);
}

void HistogramChart::fill() {
    std::vector<double> times;
    const TaskState* task = data_.task(selection_->task());
    if (task)
        for (size_t i : task->trialIndices)
            if (isOk(data_.trials[i])) times.push_back(double(data_.trials[i].minNs) * 1e-6);
    total_ = int(times.size());
    bins_ = histogram(times, 30, true);
    Span span = quantileSpan(times, 0, 1, 0.04, true);
    if (task && task->defaultNs > 0) {
        const double def = double(task->defaultNs) * 1e-6;
        span = {std::min(span.low, def / 1.05), std::max(span.high, def * 1.05)};
    }
    xAxis->setRange(span.low, span.high);
    yAxis->setRange(0, std::max(4, bins_.most) * 1.12);
}

void HistogramChart::paintBars(QCPPainter* painter) {
    const TaskState* task = data_.task(selection_->task());
    const QRect area = axisRect()->rect();
    painter->setAntialiasing(false);
    if (task) {
        for (size_t i = 0; i < bins_.counts.size(); ++i) {
            if (!bins_.counts[i]) continue;
            const int left = int(xAxis->coordToPixel(bins_.edges[i])),
                      right = int(xAxis->coordToPixel(bins_.edges[i + 1]));
            const int top = int(yAxis->coordToPixel(bins_.counts[i]));
            painter->fillRect(QRect(left, top, std::max(1, right - left - 1), area.bottom() - top),
                              kindColour(task->kind));
        }
    }
    if (!task || task->bestNs <= 0) return;
    const int best = int(xAxis->coordToPixel(double(task->bestNs) * 1e-6));
    painter->fillRect(QRect(best - 1, area.top(), 2, area.height()), tokens().accent);
    painter->setPen(tokens().accent);
    painter->setFont(theme()->font(FontRole::CaptionStrong));
    painter->drawText(QRectF(best + 5, area.top() - 3, 120, 16), Qt::AlignVCenter,
                      tr("best %1").arg(QString::fromStdString(formatMs(double(task->bestNs)))));
    if (task->defaultNs <= 0 || task->defaultNs == task->bestNs) return;
    const int def = int(xAxis->coordToPixel(double(task->defaultNs) * 1e-6));
    QPen dashed(tokens().text2, 1);
    dashed.setDashPattern({4, 3});
    painter->setPen(dashed);
    painter->drawLine(QLineF(def, area.top() + 12, def, area.bottom()));
    painter->setPen(tokens().text2);
    painter->setFont(theme()->font(FontRole::Caption));
    const QRectF label =
        def + 90 < area.right() ? QRectF(def + 4, area.top() + 10, 90, 16) : QRectF(def - 94, area.top() + 10, 90, 16);
    painter->drawText(label, int(Qt::AlignVCenter) | (def + 90 < area.right() ? Qt::AlignLeft : Qt::AlignRight),
                      tr("default %1").arg(QString::fromStdString(formatMs(double(task->defaultNs)))));
}

}  // namespace fettle::ui
