// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/latency_chart.h"

#include <cmath>

#include "core/support/format.h"

namespace fettle::ui {

LatencyChart::LatencyChart(const SessionData& data, Theme* theme, FrameTimer* frames, QWidget* parent)
    : Plot(theme, frames, tr("Whole-model latency against trials"), parent), data_(data) {
    baseline_ = addGraph();
    line_ = addGraph();
    end_ = addGraph();
    line_->setLineStyle(QCPGraph::lsStepLeft);
    end_->setLineStyle(QCPGraph::lsNone);
    new PaintItem(this, [this](QCPPainter* painter) { paintNotes(painter); });
    axisRect()->setMinimumMargins(QMargins(38, 18, 14, 38));
    letUserZoom(Qt::Horizontal);
}

void LatencyChart::restyle() {
    setUpAxis(xAxis, false, {}, 4, false);
    setUpAxis(yAxis, false, {}, 5, true);
    QPen dashed(tokens().text3, 1);
    dashed.setDashPattern({4, 3});
    baseline_->setPen(dashed);
    line_->setPen(QPen(tokens().accent, 2));
    end_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(tokens().accent), 7));
}

void LatencyChart::fill() {
    QVector<double> x, y;
    std::vector<double> values;
    for (const auto& [index, ns] : data_.modelLatency) {
        if (!std::isfinite(ns) || ns <= 0) continue;
        x.push_back(index == 0 || index >= data_.trials.size() ? 0.0 : double(data_.trials[index].id));
        y.push_back(ns * 1e-6);
        values.push_back(ns * 1e-6);
    }
    const double last = data_.trials.empty() ? 0 : double(data_.trials.back().id);
    if (!x.isEmpty()) {
        x.push_back(last);
        y.push_back(y.back());
    }
    line_->setData(x, y, true);
    const double baseline = data_.baselineNs() * 1e-6;
    const double right = std::max({last, double(std::min(data_.progress.trialBudget, 2 * int(last))), 16.0}) * 1.02;
    baseline_->setData({0.0, right}, {baseline, baseline}, true);
    baseline_->setVisible(baseline > 0);
    if (x.isEmpty())
        end_->data()->clear();
    else
        end_->setData({x.back()}, {y.back()}, true);
    if (!following()) return;
    xAxis->setRange(0, right);
    if (baseline > 0) values.push_back(baseline);
    const Span span = quantileSpan(values, 0, 1, 0.08, false);
    yAxis->setRange(std::max(0.0, span.low), span.high);
}

QString LatencyChart::caption() const {
    if (data_.modelLatency.empty() || data_.trials.size() < 100) return {};
    const size_t since = data_.trials.size() - 100;
    double before = data_.modelLatency.front().second;
    for (const auto& [index, ns] : data_.modelLatency)
        if (index < since) before = ns;
    const double change = data_.modelLatency.back().second - before;
    return tr("last 100 trials: %1 ms")
        .arg((change < 0 ? QStringLiteral("\u2212") : QString()) +
             QString::fromStdString(formatMs(std::fabs(change), 2)));
}

void LatencyChart::paintNotes(QCPPainter* painter) {
    drawCorner(painter, tr("ms, estimated from operators"), Qt::AlignLeft);
    drawCorner(painter, tr("trials"), Qt::AlignRight);
    const QRect area = axisRect()->rect();
    if (data_.baselineNs() > 0) {
        const double y = yAxis->coordToPixel(data_.baselineNs() * 1e-6);
        if (y > area.top() - 2 && y < area.bottom() - 20)
            painter->drawText(QRectF(area.left(), y + 3, area.width(), 16), Qt::AlignRight,
                              tr("baseline %1").arg(QString::fromStdString(formatMs(data_.baselineNs(), 2))));
    }
    if (!end_->dataCount()) return;
    const auto point = end_->data()->constBegin();
    const double px = xAxis->coordToPixel(point->key), py = yAxis->coordToPixel(point->value);
    painter->setFont(theme()->font(FontRole::DenseStrong));
    painter->setPen(tokens().text1);
    const double left = std::min(px - 30, double(area.right() - 78));
    painter->drawText(QRectF(std::max(left, double(area.left())), py - 22, 78, 16), Qt::AlignHCenter,
                      QString::fromStdString(formatMs(point->value * 1e6, 2)) + " ms");
}

}  // namespace fettle::ui
