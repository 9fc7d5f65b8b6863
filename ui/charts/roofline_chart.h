// SPDX-License-Identifier: GPL-3.0-or-later
// The small roofline of the Inspector: every operator as a dot, the selected one with its way from default to best.
#pragma once

#include "ui/charts/plot.h"
#include "ui/charts/roofline.h"
#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"

namespace fettle::ui {

class RooflineChart : public Plot {
    Q_OBJECT
public:
    RooflineChart(const SessionData& data, SelectionContext* selection, Theme* theme, FrameTimer* frames,
                  QWidget* parent = nullptr);
    void setRoof(const Roof& roof);

protected:
    void fill() override;
    void restyle() override;

private:
    void paintAll(QCPPainter* painter);

    const SessionData& data_;
    SelectionContext* selection_;
    Roof roof_;
};

}  // namespace fettle::ui
