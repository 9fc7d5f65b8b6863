// SPDX-License-Identifier: GPL-3.0-or-later
// The ten slowest operators as pairs of bars: grey is the default schedule, the kind's colour the best.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/charts/scale.h"
#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

// Which operators the bars show: the slowest now, one per occurrence, at most `most`.
std::vector<int> slowestOperators(const SessionData& data, size_t most);

class BeforeAfterBars : public QWidget {
    Q_OBJECT
public:
    BeforeAfterBars(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent = nullptr);
    void refresh();

    QSize sizeHint() const override { return {400, 400}; }
    QSize minimumSizeHint() const override { return {240, 160}; }

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowHeight() const;
    int rowAt(const QPoint& at) const;
    void select(int row);
    void paintRow(QPainter& painter, int row, const QRect& area, double longest) const;
    QRect bars() const;

    const SessionData& data_;
    SelectionContext* selection_;
    Theme* theme_;
    std::vector<int> rows_;  // indices into SessionData::operators
};

}  // namespace fettle::ui
