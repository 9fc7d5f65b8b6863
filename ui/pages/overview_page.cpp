// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/overview_page.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "core/support/format.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}
const QString kDash = QStringLiteral("\u2013");

// Noise of a sum of operators, from the spread of each measurement: independent errors add in squares.
double modelNoise(const SessionData& data, bool best) {
    double squares = 0, total = 0;
    for (const TaskState& task : data.tasks) {
        const double ns = double(best ? task.nowNs() : task.defaultNs) * task.row.weight;
        const double error = ns * (best ? task.bestSpread : task.defaultSpread);
        squares += error * error;
        total += ns;
    }
    return total > 0 ? std::sqrt(squares) / total : 0;
}

}  // namespace

OverviewPage::OverviewPage(const UiContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setProperty("surface", true);
    setAttribute(Qt::WA_StyledBackground);
    Theme* theme = context.theme;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 4);
    column->setSpacing(12);
    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(12);
    baseline_ = new Tile(theme, tr("Baseline"));
    now_ = new Tile(theme, tr("Now"));
    speedUp_ = new Tile(theme, tr("Speed-up"));
    trials_ = new Tile(theme, tr("Trials"));
    speedUp_->setValueInk(Ink::Accent);
    for (Tile* tile : {baseline_, now_, speedUp_, trials_}) tiles->addWidget(tile, 1);
    column->addLayout(tiles);
    auto* strip = new QVBoxLayout;
    strip->setSpacing(4);
    auto* heading = new QHBoxLayout;
    where_ = new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1);
    legend_ = new KindLegend(theme);
    heading->addWidget(where_);
    heading->addWidget(legend_, 1);
    strip->addLayout(heading);
    strip_ = new KindStrip(context.data(), context.selection, theme);
    strip->addWidget(strip_);
    column->addLayout(strip);
    bars_ = new BeforeAfterBars(context.data(), context.selection, theme);
    auto* barsPanel = new Panel(theme, tr("Ten slowest operators"), bars_);
    barsPanel->setCaption(tr("default in grey, best in colour, ms each"));
    latency_ = new LatencyChart(context.data(), theme, context.frames);
    latencyPanel_ = new Panel(theme, tr("Whole-model latency"), latency_);
    auto* charts = new QHBoxLayout;
    charts->setSpacing(10);
    charts->addWidget(barsPanel, 5);
    charts->addWidget(latencyPanel_, 4);
    column->addLayout(charts, 1);
    connect(latency_, &Plot::userZoomed, this, &OverviewPage::userZoomed);
    refresh(~0u);
}

void OverviewPage::refreshTiles() {
    const SessionData& data = context_.data();
    const double baseline = data.baselineNs(), now = data.modelNs();
    auto percent = [](double share) { return QStringLiteral("\u00b1 ") + text(formatDouble(100 * share, 1)) + " %"; };
    auto ms = [](double ns) { return ns > 0 ? text(formatMs(ns, 2)) + " ms" : QStringLiteral("\u2013"); };
    const double before = modelNoise(data, false), after = modelNoise(data, true);
    int missing = 0;
    for (const TaskState& task : data.tasks) missing += task.nowNs() == 0;
    const QString partial = missing > 0 && baseline > 0
                                ? counted(tr("%n operator(s) not measured yet", nullptr, missing), missing)
                                : QString();
    baseline_->setValue(ms(baseline));
    baseline_->setNote(baseline <= 0        ? tr("not measured yet")
                       : !partial.isEmpty() ? partial
                                            : tr("default schedules") + QStringLiteral(" \u00b7 ") + percent(before));
    now_->setValue(ms(now));
    now_->setNote(now <= 0 ? tr("not measured yet")
                           : tr("best schedules") + QStringLiteral(" \u00b7 ") + percent(after));
    if (baseline > 0 && now > 0) {
        const double ratio = baseline / now, error = ratio * std::sqrt(before * before + after * after);
        speedUp_->setValue(text(formatRatio(ratio)));
        speedUp_->setNote(tr("%1 \u2013 %2 with noise")
                              .arg(text(formatDouble(ratio - error, 2)), text(formatDouble(ratio + error, 2))));
    } else {
        speedUp_->setValue(kDash);
        speedUp_->setNote({});
    }
    const session::Progress& p = data.progress;
    const bool live = context_.session->tuning() && p.trialBudget > 0;
    trials_->setValue(QString::number(data.trials.size()),
                      live ? tr("%1 of %2 in this run").arg(p.trials).arg(p.trialBudget) : QString());
    trials_->setProgress(live ? double(p.trials) / p.trialBudget : -1);
    const int failed = data.failed();
    trials_->setNote(data.trials.empty() ? tr("press Tune to begin")
                     : failed            ? tr("%n failed", nullptr, failed)
                                         : tr("none failed"));
    where_->setText(now > 0 ? tr("Where the %1 go").arg(ms(now)) : tr("Where the time goes"));
}

void OverviewPage::refresh(unsigned changes) {
    if (changes & (ChangedTrials | ChangedBest | ChangedProgress | ChangedState | ChangedTasks)) refreshTiles();
    if (changes & (ChangedBest | ChangedTasks)) {
        strip_->refresh();
        std::vector<KindShare> narrow;
        std::vector<double> values;
        for (const KindShare& s : strip_->shares()) values.push_back(s.share);
        const auto widths = stripWidths(values, std::max(200, strip_->width()));
        for (size_t i = 0; i < widths.size(); ++i)
            if (widths[i] < 110 && strip_->shares()[i].share > 0.0005) narrow.push_back(strip_->shares()[i]);
        legend_->setShares(narrow);
        bars_->refresh();
    }
    if (changes & (ChangedTrials | ChangedBest | ChangedTasks)) {
        latency_->markDirty();
        latencyPanel_->setCaption(latency_->caption());
    }
}

}  // namespace fettle::ui
