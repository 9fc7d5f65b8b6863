// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/tune_page.h"

#include <QButtonGroup>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/shell/icons.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

TunePage::TunePage(const UiContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setProperty("surface", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addLayout(makeCharts(), 1);
    connect(best_, &Plot::userZoomed, this, [this] { emit followingChosen(false); });
    connect(predicted_, &Plot::userZoomed, this, [this] { emit followingChosen(false); });
    connect(context.selection, &SelectionContext::operatorChanged, this, &TunePage::updateWords);
    updateWords();
}

QWidget* TunePage::makeToolbar() {
    Theme* theme = context_.theme;
    auto* bar = new QWidget;
    bar->setFixedHeight(theme->px(36));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    showing_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text1);
    showing_->setElided(true);
    row->addWidget(showing_);
    auto* scales = new QButtonGroup(this);
    auto* segments = new QHBoxLayout;
    segments->setSpacing(0);
    for (bool logarithmic : {true, false}) {
        auto* button = new QPushButton(logarithmic ? tr("Log") : tr("Linear"));
        button->setCheckable(true);
        button->setChecked(logarithmic);
        button->setProperty("segment", true);
        button->setFont(theme->font(FontRole::Dense));
        scales->addButton(button, logarithmic);
        segments->addWidget(button);
    }
    row->addLayout(segments);
    row->addStretch(1);
    round_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text2);
    row->addWidget(round_);
    follow_ = new QPushButton(tr("Follow"));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    follow_->setProperty("follow", true);
    follow_->setFont(theme->font(FontRole::Dense));
    follow_->setToolTip(tr("Keep the newest trials in view; zooming or dragging a chart switches this off"));
    row->addWidget(follow_);
    connect(scales, &QButtonGroup::idClicked, this, [this](int logarithmic) { best_->setLogarithmic(logarithmic); });
    connect(follow_, &QPushButton::clicked, this, &TunePage::followingChosen);
    auto paint = [this] { follow_->setIcon(themedIcon("office-chart-line", context_.theme->tokens().text1)); };
    connect(theme, &Theme::changed, this, paint);
    paint();
    return bar;
}

QLayout* TunePage::makeCharts() {
    Theme* theme = context_.theme;
    const SessionData& data = context_.data();
    best_ = new BestSoFarChart(data, context_.selection, theme, context_.frames);
    predicted_ = new PredictedChart(data, context_.selection, theme, context_.frames);
    histogram_ = new HistogramChart(data, context_.selection, theme, context_.frames);
    budget_ = new BudgetMap(data, context_.selection, theme);
    importance_ = new ImportanceBars(data, theme);
    auto* bestPanel = new Panel(theme, tr("Best so far"), best_);
    bestPanel->setCaption(tr("time \u00f7 operator's default, by trial"));
    predictedPanel_ = new Panel(theme, tr("Predicted and measured"), predicted_);
    budgetPanel_ = new Panel(theme, tr("Where the budget went"), budget_);
    budgetPanel_->setCaption(tr("gain per round, ms \u00b7 \u25a1 tried, nothing gained"));
    histogramPanel_ = new Panel(theme, tr("Latency"), histogram_);
    importancePanel_ = new Panel(theme, tr("What matters"), importance_);
    auto* grid = new QGridLayout;
    grid->setContentsMargins(8, 8, 8, 4);
    grid->setSpacing(8);
    grid->addWidget(bestPanel, 0, 0);
    grid->addWidget(predictedPanel_, 0, 1);
    grid->addWidget(budgetPanel_, 1, 0, 2, 1);
    grid->addWidget(histogramPanel_, 1, 1);
    grid->addWidget(importancePanel_, 2, 1);
    grid->setColumnStretch(0, 46);
    grid->setColumnStretch(1, 28);
    grid->setRowStretch(0, 22);
    grid->setRowStretch(1, 13);
    grid->setRowStretch(2, 13);
    return grid;
}

void TunePage::setFollowing(bool on) {
    follow_->setChecked(on);
    for (Plot* plot : std::initializer_list<Plot*>{best_, predicted_}) plot->setFollowing(on);
}

void TunePage::resetSession() {
    best_->reset();
    refresh(~0u);
}

void TunePage::updateWords() {
    const SessionData& data = context_.data();
    const TaskState* task = data.task(context_.selection->task());
    const QString name = task ? QString::fromStdString(task->row.name) : QString();
    showing_->setText(task ? tr("%1 over all operators").arg(name) : tr("All operators"));
    QString round = data.rounds > 0 ? tr("Round %1").arg(data.rounds - 1) : QString();
    if (task)
        round += (round.isEmpty() ? QString() : QStringLiteral(" \u00b7 ")) +
                 counted(tr("%n trial(s) on %1", nullptr, task->trials), task->trials).arg(name.section(" + ", 0, 0));
    round_->setText(round);
    histogramPanel_->setTitle(task ? tr("Latency of %1").arg(name.section(" + ", 0, 0)) : tr("Latency"));
    histogramPanel_->setCaption(task ? tr("%n measured \u00b7 ms, log", nullptr, task->ok) : QString());
    predictedPanel_->setCaption(predicted_->caption());
    importancePanel_->setCaption(importance_->caption());
}

void TunePage::refresh(unsigned changes) {
    if (changes & (ChangedTrials | ChangedBest | ChangedTasks | ChangedModel)) {
        best_->markDirty();
        predicted_->markDirty();
        histogram_->markDirty();
        if (isVisible() || changes == ~0u) budget_->refresh();
    }
    if (changes & (ChangedModel | ChangedTrials)) importance_->refresh();
    updateWords();
}

}  // namespace fettle::ui
