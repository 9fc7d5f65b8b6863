// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/predicted_chart.h"

#include <algorithm>
#include <cmath>

#include "core/support/format.h"

namespace fettle::ui {

namespace {
constexpr size_t kMostPoints = 4000;  // the newest; older predictions are of older models anyway
}

PredictedChart::PredictedChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                               QWidget* parent)
    : Plot(theme, frames, tr("Predicted against measured time"), parent), data_(data), selection_(selection) {
    diagonal_ = addGraph();
    others_ = addGraph();
    chosen_ = addGraph();
    for (QCPGraph* dots : {others_, chosen_}) dots->setLineStyle(QCPGraph::lsNone);
    new PaintItem(this, [this](QCPPainter* painter) { paintNotes(painter); });
    axisRect()->setMinimumMargins(QMargins(38, 6, 12, 36));
    letUserZoom(Qt::Horizontal | Qt::Vertical);
    connect(selection_, &SelectionContext::operatorChanged, this, [this] { markDirty(); });
}

void PredictedChart::restyle() {
    const QString times = QStringLiteral("\u00d7");
    setUpAxis(xAxis, true, times, 4, true);
    setUpAxis(yAxis, true, times, 5, true);
    yAxis->setBasePen(QPen(tokens().borderStrong, 1));
    QPen dashed(tokens().text3, 1);
    dashed.setDashPattern({4, 3});
    diagonal_->setPen(dashed);
    others_->setPen(QPen(Qt::NoPen));
    others_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(tokens().dot), 3.2));
}

void PredictedChart::fill() {
    learnt_ =
        std::any_of(data_.trials.begin(), data_.trials.end(), [](const auto& row) { return row.modelVersion > 0; });
    std::vector<std::pair<double, double>> others, chosen;
    std::vector<double> all;
    for (size_t i = data_.trials.size(); i > 0 && others.size() + chosen.size() < kMostPoints; --i) {
        const store::TrialRow& row = data_.trials[i - 1];
        const TaskState* task = data_.task(row.task);
        if (!isOk(row) || row.predictedNs <= 0 || !task || task->defaultNs <= 0) continue;
        if (learnt_ && row.modelVersion == 0) continue;
        const double x = row.predictedNs / double(task->defaultNs), y = double(row.minNs) / double(task->defaultNs);
        if (!std::isfinite(x)) continue;
        (row.task == selection_->task() ? chosen : others).emplace_back(x, y);
        all.push_back(x);
        all.push_back(y);
    }
    points_ = int(others.size() + chosen.size());
    auto set = [](QCPGraph* graph, std::vector<std::pair<double, double>>& points) {
        std::sort(points.begin(), points.end());
        QVector<double> x, y;
        for (const auto& [px, py] : points) x.push_back(px), y.push_back(py);
        graph->setData(x, y, true);
    };
    set(others_, others);
    set(chosen_, chosen);
    if (const TaskState* task = data_.task(selection_->task())) {
        const bool edge = tokens().dotEdge.isValid();
        chosen_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                                 edge ? QPen(tokens().dotEdge, 1) : QPen(Qt::NoPen),
                                                 QBrush(kindColour(task->kind)), 5));
    }
    if (!following()) return;
    const Span span = all.empty() ? Span{0.2, 2} : quantileSpan(all, 0.02, 0.98, 0.08, true);
    xAxis->setRange(span.low, span.high);
    yAxis->setRange(span.low, span.high);
    diagonal_->setData({span.low, span.high}, {span.low, span.high}, true);
    offScale_ = countOutside(all, span);
}

QString PredictedChart::caption() const {
    const cost::Quality& q = data_.quality;
    if (q.version <= 0) return points_ > 0 ? tr("analytic bound, no model yet") : QString();
    return QString("v%1 \u00b7 ").arg(q.version) + tr("%1 held out").arg(q.heldOut);
}

void PredictedChart::paintNotes(QCPPainter* painter) {
    const QRect area = axisRect()->rect();
    drawCorner(painter, QStringLiteral("\u2191 ") + tr("measured"), Qt::AlignLeft);
    drawCorner(painter, tr("predicted"), Qt::AlignRight);
    if (points_ == 0) return;
    painter->setPen(tokens().text3);
    painter->drawText(QRectF(area.right() - 76, area.top() + 2, 40, 16), Qt::AlignRight, "y = x");
    const cost::Quality& q = data_.quality;
    if (q.version <= 0 || q.heldOut < 2) return;
    const QRectF box(area.right() - 118, area.bottom() - 42, 116, 38);
    painter->setAntialiasing(false);
    painter->setPen(tokens().border);
    painter->setBrush(tokens().surface);
    painter->drawRect(box);
    painter->setAntialiasing(true);
    const struct {
        QString name;
        double value;
    } rows[] = {{tr("Spearman"), q.spearman}, {tr("Top-8 recall"), q.topK}};
    double y = box.top() + 3;
    for (const auto& row : rows) {
        painter->setFont(theme()->font(FontRole::Caption));
        painter->setPen(tokens().text2);
        painter->drawText(QRectF(box.left() + 6, y, 76, 16), Qt::AlignVCenter, row.name);
        painter->setFont(theme()->font(FontRole::DenseStrong));
        painter->setPen(tokens().text1);
        painter->drawText(QRectF(box.left() + 6, y, box.width() - 12, 16), Qt::AlignVCenter | Qt::AlignRight,
                          QString::fromStdString(formatDouble(row.value, 2)));
        y += 16;
    }
}

}  // namespace fettle::ui
