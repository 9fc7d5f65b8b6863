// SPDX-License-Identifier: GPL-3.0-or-later
// Latency of the whole model, estimated from its operators, against trials.
#pragma once

#include "ui/charts/plot.h"
#include "ui/models/session_data.h"

namespace fettle::ui {

class LatencyChart : public Plot {
    Q_OBJECT
public:
    LatencyChart(const SessionData& data, Theme* theme, FrameTimer* frames, QWidget* parent = nullptr);
    QString caption() const;  // "last 100 trials: -0.10 ms"

protected:
    void fill() override;
    void restyle() override;

private:
    void paintNotes(QCPPainter* painter);

    const SessionData& data_;
    QCPGraph* line_;
    QCPGraph* end_;
    QCPGraph* baseline_;
};

}  // namespace fettle::ui
