// SPDX-License-Identifier: GPL-3.0-or-later
// How far the cost model can be trusted: predicted against measured time (both over the operator's default), with
// y = x, rank correlation and top-k recall on trials that were predicted before they were measured.
#pragma once

#include "ui/charts/plot.h"
#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"

namespace fettle::ui {

class PredictedChart : public Plot {
    Q_OBJECT
public:
    PredictedChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                   QWidget* parent = nullptr);
    QString caption() const;  // "v44, 240 held out"

protected:
    void fill() override;
    void restyle() override;

private:
    void paintNotes(QCPPainter* painter);

    const SessionData& data_;
    SelectionContext* selection_;
    QCPGraph* others_;
    QCPGraph* chosen_;
    QCPGraph* diagonal_;
    int offScale_ = 0, points_ = 0;
    bool learnt_ = false;  // false: only the analytic bound has predicted so far
};

}  // namespace fettle::ui
