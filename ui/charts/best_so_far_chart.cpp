// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/best_so_far_chart.h"

#include <cmath>

#include "core/support/format.h"

namespace fettle::ui {

namespace {
constexpr int kLabelWidth = 78;  // right of the plot: the lines' names
constexpr int kRugHeight = 16;
constexpr int kManyDots = 20000;

QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

BestSoFarChart::BestSoFarChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                               QWidget* parent)
    : Plot(theme, frames, tr("Best so far: time of every trial over its operator's default"), parent),
      data_(data),
      selection_(selection) {
    others_ = addGraph();
    chosen_ = addGraph();
    modelCasing_ = addGraph();
    modelLine_ = addGraph();
    bestCasing_ = addGraph();
    bestLine_ = addGraph();
    for (QCPGraph* dots : {others_, chosen_}) {
        dots->setLineStyle(QCPGraph::lsNone);
        dots->setAdaptiveSampling(true);
    }
    for (QCPGraph* line : {modelCasing_, modelLine_, bestCasing_, bestLine_}) line->setLineStyle(QCPGraph::lsStepLeft);
    unit_ = new QCPItemStraightLine(this);
    unit_->point1->setCoords(0, 1);
    unit_->point2->setCoords(1, 1);
    new PaintItem(this, [this](QCPPainter* painter) { paintRug(painter); });
    new PaintItem(this, [this](QCPPainter* painter) { paintEndLabels(painter); });
    axisRect()->setMinimumMargins(QMargins(38, 6, kLabelWidth, kRugHeight + 20));
    letUserZoom(Qt::Horizontal | Qt::Vertical);
    connect(selection_, &SelectionContext::operatorChanged, this, [this] { markDirty(); });
}

void BestSoFarChart::setLogarithmic(bool on) {
    logarithmic_ = on;
    restyle();
    setFollowing(true);
}

void BestSoFarChart::reset() {
    seen_ = 0;
    defaults_.clear();
    ratios_.clear();
    others_->data()->clear();
    setFollowing(true);
}

double BestSoFarChart::ratioOf(const store::TrialRow& row) const {
    const TaskState* task = data_.task(row.task);
    return isOk(row) && task && task->defaultNs > 0 ? double(row.minNs) / double(task->defaultNs) : 0;
}

void BestSoFarChart::restyle() {
    setUpAxis(xAxis, false, {}, 5, false);
    setUpAxis(yAxis, logarithmic_, QStringLiteral("\u00d7"), 6, true);
    xAxis->setOffset(kRugHeight);
    xAxis->setBasePen(Qt::NoPen);
    const Tokens& t = tokens();
    others_->setPen(QPen(Qt::NoPen));  // a scatter style without a pen takes the graph's, which is blue
    others_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(t.dot), 3.2));
    modelCasing_->setPen(QPen(t.surface, 4));
    bestCasing_->setPen(QPen(t.surface, 4));
    modelLine_->setPen(QPen(t.text1, 2));
    bestLine_->setPen(QPen(t.accent, 2));
    unit_->setPen(QPen(t.borderStrong, 1, Qt::CustomDashLine));
    QPen dashed(t.borderStrong, 1);
    dashed.setDashPattern({4, 3});
    unit_->setPen(dashed);
}

void BestSoFarChart::takeNewTrials() {
    // A default that became known (or better) moves every dot of its operator: only then start over.
    std::vector<int64_t> now;
    for (const TaskState& task : data_.tasks) now.push_back(task.defaultNs);
    if (now != defaults_) {
        defaults_ = now;
        seen_ = 0;
        ratios_.clear();
        others_->data()->clear();
    }
    QVector<double> x, y;
    for (; seen_ < data_.trials.size(); ++seen_) {
        const double ratio = ratioOf(data_.trials[seen_]);
        if (!(ratio > 0) || !std::isfinite(ratio)) continue;
        x.push_back(double(data_.trials[seen_].id));
        y.push_back(ratio);
        ratios_.push_back(ratio);
    }
    others_->addData(x, y, true);
    const bool many = others_->dataCount() > kManyDots;
    others_->setAntialiasedScatters(!many);
}

void BestSoFarChart::drawSelected() {
    QVector<double> x, y, bx, by;
    const TaskState* task = data_.task(selection_->task());
    if (task && task->defaultNs > 0) {
        for (size_t i : task->trialIndices) {
            const double ratio = ratioOf(data_.trials[i]);
            if (!(ratio > 0)) continue;
            x.push_back(double(data_.trials[i].id));
            y.push_back(ratio);
        }
        for (const auto& [index, ns] : task->bestAfter) {
            bx.push_back(double(data_.trials[index].id));
            by.push_back(double(ns) / double(task->defaultNs));
        }
        if (!bx.isEmpty()) {
            bx.push_back(double(data_.trials.back().id));
            by.push_back(by.back());
        }
        QPen edge = tokens().dotEdge.isValid() ? QPen(tokens().dotEdge, 1) : QPen(Qt::NoPen);
        chosen_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, edge, QBrush(kindColour(task->kind)), 4.6));
    }
    chosen_->setData(x, y, true);
    bestLine_->setData(bx, by, true);
    bestCasing_->setData(bx, by, true);
}

void BestSoFarChart::drawLines() {
    QVector<double> x, y;
    const double baseline = data_.baselineNs();
    if (baseline > 0)
        for (const auto& [index, ns] : data_.modelLatency) {
            x.push_back(index < data_.trials.size() ? double(data_.trials[index].id) : 0.0);
            y.push_back(ns / baseline);
        }
    if (!x.isEmpty() && !data_.trials.empty()) {
        x.push_back(double(data_.trials.back().id));
        y.push_back(y.back());
    }
    modelLine_->setData(x, y, true);
    modelCasing_->setData(x, y, true);
}

void BestSoFarChart::setRanges() {
    const double last = data_.trials.empty() ? 16 : double(data_.trials.back().id);
    xAxis->setRange(0, std::max(last, 16.0) * 1.01);
    std::vector<double> shown = ratios_;
    Span span = quantileSpan(shown, 0.02, 0.98, 0.06, logarithmic_);
    // The lines are never off-scale, nor is the default.
    for (QCPGraph* line : {bestLine_, modelLine_})
        for (const QCPGraphData& point : *line->data()) span.low = std::min(span.low, point.value * 0.92);
    span.low = std::min(span.low, 0.9);
    span.high = std::max(span.high, 1.15);
    if (!logarithmic_) span.low = 0;
    yAxis->setRange(span.low, span.high);
    offScale_ = countOutside(ratios_, span);
}

void BestSoFarChart::fill() {
    takeNewTrials();
    drawSelected();
    drawLines();
    if (following()) setRanges();
}

void BestSoFarChart::paintRug(QCPPainter* painter) {
    const QRect area = axisRect()->rect();
    const int top = area.bottom() + 6;
    painter->setAntialiasing(false);
    int lastPixel = -10;
    for (const store::TrialRow& row : data_.trials) {
        if (isOk(row) || statusOf(row) == measure::TrialStatus::Cancelled) continue;
        const bool chosen = row.task == selection_->task();
        const int x = int(xAxis->coordToPixel(double(row.id)));
        if (x < area.left() || x > area.right() || (x == lastPixel && !chosen)) continue;
        lastPixel = x;
        painter->fillRect(QRect(x, top, 2, 10), chosen ? tokens().accent : tokens().text2);
    }
}

void BestSoFarChart::paintEndLabels(QCPPainter* painter) {
    struct Label {
        QString name, value;
        QColor colour;
        double at;
    };
    std::vector<Label> labels;
    const QRect area = axisRect()->rect();
    auto put = [&](const QString& name, const QString& value, const QColor& colour, double y) {
        const double pixel = yAxis->coordToPixel(y);
        if (std::isfinite(pixel))
            labels.push_back({name, value, colour, std::clamp(pixel, double(area.top()), double(area.bottom()))});
    };
    if (modelLine_->dataCount())
        put(tr("model"), text(formatMs(data_.modelNs(), 2)) + " ms", tokens().text1,
            (modelLine_->data()->constEnd() - 1)->value);
    const TaskState* task = data_.task(selection_->task());
    if (task && bestLine_->dataCount())
        put(text(task->row.name).section(" + ", 0, 0), text(formatMs(double(task->bestNs))) + " ms", tokens().accent,
            (bestLine_->data()->constEnd() - 1)->value);
    const int x = area.right() + 6, width = kLabelWidth - 8;
    painter->setPen(tokens().text3);
    painter->setFont(theme()->font(FontRole::Caption));
    std::vector<double> wanted;
    for (const Label& label : labels) wanted.push_back(label.at);
    const auto placed = spreadLabels(wanted, 28, area.top() + 14, area.bottom() - 14);
    const double unit = yAxis->coordToPixel(1);
    bool clear = unit > area.top() && unit < area.bottom();
    for (double y : placed) clear = clear && std::fabs(y - unit) > 22;
    if (clear && !ratios_.empty()) painter->drawText(QRectF(x, unit - 8, width, 16), Qt::AlignVCenter, tr("default"));
    for (size_t i = 0; i < labels.size(); ++i) {
        painter->setPen(labels[i].colour);
        painter->setFont(theme()->font(FontRole::CaptionStrong));
        const QFontMetrics metrics(painter->font());
        painter->drawText(QRectF(x, placed[i] - 14, width, 14), Qt::AlignVCenter,
                          metrics.elidedText(labels[i].name, Qt::ElideRight, width));
        painter->setFont(theme()->font(FontRole::Caption));
        painter->drawText(QRectF(x, placed[i], width, 14), Qt::AlignVCenter, labels[i].value);
    }
    painter->setPen(tokens().text2);
    const int failed = data_.failed();
    if (failed > 0)
        painter->drawText(QRectF(x, area.bottom() + 3, width, 16), Qt::AlignVCenter, tr("%1 failed").arg(failed));
    if (offScale_ > 0 && following()) {
        painter->setPen(tokens().text3);
        painter->drawText(QRectF(area.right() - 150, area.top() - 4, 148, 16), Qt::AlignRight | Qt::AlignVCenter,
                          QStringLiteral("\u25b2 ") + tr("%1 off-scale").arg(offScale_));
    }
    painter->setPen(tokens().text3);
    painter->drawText(QRectF(x + 12, height() - 20, width - 12, 16), Qt::AlignVCenter, tr("trial"));
}

int64_t BestSoFarChart::trialNear(const QPointF& at) const {
    int64_t found = 0;
    double nearest = 64;  // 8 px, squared
    for (size_t i = 0; i < data_.trials.size(); ++i) {
        const double ratio = ratioOf(data_.trials[i]);
        if (!(ratio > 0)) continue;
        const double dx = xAxis->coordToPixel(double(data_.trials[i].id)) - at.x();
        if (std::fabs(dx) > 8) continue;
        const double dy = yAxis->coordToPixel(ratio) - at.y();
        if (dx * dx + dy * dy < nearest) nearest = dx * dx + dy * dy, found = data_.trials[i].id;
    }
    return found;
}

void BestSoFarChart::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    Plot::mousePressEvent(event);
}

void BestSoFarChart::mouseReleaseEvent(QMouseEvent* event) {
    Plot::mouseReleaseEvent(event);
    if ((event->position() - pressed_).manhattanLength() > 3) return;
    if (const store::TrialRow* row = data_.trial(trialNear(event->position())))
        selection_->selectTrial(row->task, row->id);
}

}  // namespace fettle::ui
