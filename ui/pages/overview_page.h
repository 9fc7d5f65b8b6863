// SPDX-License-Identifier: GPL-3.0-or-later
// What is slow and what tuning bought: tiles, time by kind, the ten slowest operators, whole-model latency.
#pragma once

#include "ui/charts/before_after_bars.h"
#include "ui/charts/kind_strip.h"
#include "ui/charts/latency_chart.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tile.h"

namespace fettle::ui {

class OverviewPage : public QWidget {
    Q_OBJECT
public:
    explicit OverviewPage(const UiContext& context, QWidget* parent = nullptr);
    void refresh(unsigned changes);
    void setFollowing(bool on) { latency_->setFollowing(on); }

signals:
    void userZoomed();

private:
    void refreshTiles();

    UiContext context_;
    Tile* baseline_;
    Tile* now_;
    Tile* speedUp_;
    Tile* trials_;
    ThemedLabel* where_;
    KindLegend* legend_;
    KindStrip* strip_;
    BeforeAfterBars* bars_;
    LatencyChart* latency_;
    Panel* latencyPanel_;
};

}  // namespace fettle::ui
