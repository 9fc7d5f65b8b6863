// SPDX-License-Identifier: GPL-3.0-or-later
// Every trial as a dot (time over its own operator's default), the selected operator's on top, best-so-far lines of
// the operator and of the whole model, failures as a rug below the axis.
#pragma once

#include "ui/charts/plot.h"
#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"

namespace fettle::ui {

class BestSoFarChart : public Plot {
    Q_OBJECT
public:
    BestSoFarChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                   QWidget* parent = nullptr);

    void setLogarithmic(bool on);
    void reset();  // another session

protected:
    void fill() override;
    void restyle() override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void takeNewTrials();
    void drawSelected();
    void drawLines();
    void setRanges();
    void paintRug(QCPPainter* painter);
    void paintEndLabels(QCPPainter* painter);
    double ratioOf(const store::TrialRow& row) const;
    int64_t trialNear(const QPointF& at) const;

    const SessionData& data_;
    SelectionContext* selection_;
    QCPGraph* others_;
    QCPGraph* chosen_;
    QCPGraph* modelCasing_;
    QCPGraph* modelLine_;
    QCPGraph* bestCasing_;
    QCPGraph* bestLine_;
    QCPItemStraightLine* unit_;
    size_t seen_ = 0;                // trials already in others_
    std::vector<int64_t> defaults_;  // by task, as used for the dots drawn
    std::vector<double> ratios_;
    bool logarithmic_ = true;
    int offScale_ = 0;
    QPointF pressed_;
};

}  // namespace fettle::ui
