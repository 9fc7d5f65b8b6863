// SPDX-License-Identifier: GPL-3.0-or-later
// What the cost model looks at: gain share per feature. Hidden until there are enough valid trials to mean something.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/session_data.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class ImportanceBars : public QWidget {
    Q_OBJECT
public:
    static constexpr int kEnoughTrials = 30;

    ImportanceBars(const SessionData& data, Theme* theme, QWidget* parent = nullptr);
    void refresh();
    QString caption() const;
    QSize sizeHint() const override { return {260, 110}; }
    QSize minimumSizeHint() const override { return {140, 60}; }

protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

private:
    bool enough() const;

    const SessionData& data_;
    Theme* theme_;
};

}  // namespace fettle::ui
