// SPDX-License-Identifier: GPL-3.0-or-later
// Who got the trial budget and what it bought: operators by rounds; not tried, tried without gain, gain.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

struct BudgetCell {
    int trials = 0;
    double gainNs = 0;
};  // gain of the whole model: weight x improvement
struct BudgetGrid {
    std::vector<int> tasks;  // rows, those with most trials first; the chosen one always among them
    int rounds = 0, roundsPerColumn = 1;
    std::vector<std::vector<BudgetCell>> cells;  // [row][column]
    double most = 0;                             // largest gain of a cell after the first round of its task
};
// At most `rows` operators and `columns` columns; rounds are merged when there are more.
BudgetGrid budgetGrid(const SessionData& data, int chosenTask, int rows, int columns);

class BudgetMap : public QWidget {
    Q_OBJECT
public:
    BudgetMap(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent = nullptr);
    void refresh();
    QSize sizeHint() const override { return {320, 110}; }
    QSize minimumSizeHint() const override { return {160, 60}; }

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override { refresh(); }
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect area() const;
    int rowAt(int y) const;

    const SessionData& data_;
    SelectionContext* selection_;
    Theme* theme_;
    BudgetGrid grid_;
};

}  // namespace fettle::ui
