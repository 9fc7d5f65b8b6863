// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected operator: shape, work, why it is slow, before and after, the best schedule.
#pragma once

#include <QFrame>
#include <QPlainTextEdit>
#include <QToolButton>

#include "ui/charts/roofline_chart.h"
#include "ui/docks/measure_bars.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/kind_chip.h"
#include "ui/widgets/themed_label.h"

class QGridLayout;

namespace fettle::ui {

class InspectorPanel : public QFrame {
    Q_OBJECT
public:
    explicit InspectorPanel(const UiContext& context, QWidget* parent = nullptr);
    void refresh();

signals:
    void openInCode();

private:
    QWidget* makeHeading();
    QLayout* makeFigures();
    void showTask(const TaskState& task);
    void applyTheme();
    void fitCodeBox(const QString& text);

    UiContext context_;
    QWidget* empty_;
    QWidget* body_;
    KindChip* chip_;
    ThemedLabel* name_;
    ThemedLabel* detail_;
    QToolButton* copy_;
    ThemedLabel* figures_[6];
    ThemedLabel* why_;
    RooflineChart* roofline_;
    ThemedLabel* runs_;
    MeasureBars* bars_;
    ThemedLabel* trial_;
    QToolButton* openCode_;
    QPlainTextEdit* schedule_;
    ThemedLabel* warning_;
};

}  // namespace fettle::ui
