// SPDX-License-Identifier: GPL-3.0-or-later
// How the selected operator's trials are spread: latency histogram with the best and the default marked.
#pragma once

#include "ui/charts/plot.h"
#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"

namespace fettle::ui {

class HistogramChart : public Plot {
    Q_OBJECT
public:
    HistogramChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                   QWidget* parent = nullptr);
    int measured() const { return total_; }

protected:
    void fill() override;
    void restyle() override;

private:
    void paintBars(QCPPainter* painter);

    const SessionData& data_;
    SelectionContext* selection_;
    Histogram bins_;
    int total_ = 0;
};

}  // namespace fettle::ui
