// SPDX-License-Identifier: GPL-3.0-or-later
// Before and after of the selected operator: two bars with whiskers of the measured spread, values at the right.
#pragma once

#include <QWidget>

#include "ui/models/session_data.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class MeasureBars : public QWidget {
    Q_OBJECT
public:
    explicit MeasureBars(Theme* theme, QWidget* parent = nullptr);
    void setTask(const TaskState* task);  // copied; null: nothing
    QSize sizeHint() const override { return {300, theme_->px(42)}; }
    QSize minimumSizeHint() const override { return {180, theme_->px(42)}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme* theme_;
    int64_t defaultNs_ = 0, bestNs_ = 0;
    double defaultSpread_ = 0, bestSpread_ = 0;
    graph::OpKind kind_ = graph::OpKind::Other;
};

}  // namespace fettle::ui
