// SPDX-License-Identifier: GPL-3.0-or-later
// The search as it goes: best so far with every trial, how far predictions can be trusted, where the budget went.
#pragma once

#include <QPushButton>

#include "ui/charts/best_so_far_chart.h"
#include "ui/charts/budget_map.h"
#include "ui/charts/histogram_chart.h"
#include "ui/charts/importance_bars.h"
#include "ui/charts/predicted_chart.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/panel.h"

namespace fettle::ui {

class TunePage : public QWidget {
    Q_OBJECT
public:
    explicit TunePage(const UiContext& context, QWidget* parent = nullptr);
    void refresh(unsigned changes);
    void resetSession();
    void setFollowing(bool on);

signals:
    void followingChosen(bool on);

private:
    QWidget* makeToolbar();
    QLayout* makeCharts();
    void updateWords();

    UiContext context_;
    ThemedLabel* showing_;
    ThemedLabel* round_;
    QPushButton* follow_;
    BestSoFarChart* best_;
    PredictedChart* predicted_;
    HistogramChart* histogram_;
    BudgetMap* budget_;
    ImportanceBars* importance_;
    Panel *predictedPanel_, *histogramPanel_, *importancePanel_, *budgetPanel_;
};

}  // namespace fettle::ui
