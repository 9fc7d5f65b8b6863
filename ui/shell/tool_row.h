// SPDX-License-Identifier: GPL-3.0-or-later
// The toolbar: actions, target, budget, and the headline that is read from two metres.
#pragma once

#include <QComboBox>
#include <QToolBar>

#include "core/session/tuning_session.h"
#include "ui/shell/actions.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

struct Budget {
    int trials = 256;
    double minutes = 0;  // 0: by trials
};

class ToolRow : public QToolBar {
    Q_OBJECT
public:
    ToolRow(Theme* theme, const Actions& actions, QWidget* parent = nullptr);

    QString target() const;                 // text for findTarget
    void setTarget(const QString& target);  // of an open session
    Budget budget() const;
    void setBudget(const Budget& budget);
    void setHeadline(double baselineNs, double nowNs);  // 0: empty

signals:
    void targetChosen(const QString& target);
    void budgetChosen();
    void optionsChosen();

private:
    QComboBox* combo(const QString& prefix, const QString& accessibleName, int width);

    Theme* theme_;
    QComboBox* target_;
    QComboBox* budget_;
    ThemedLabel *before_, *arrow_, *now_, *ratio_;
    Budget custom_;
};

}  // namespace fettle::ui
