// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: state, operator, trials with progress, best, ETA, noise, failures; Follow at the right.
#pragma once

#include <QFrame>
#include <QProgressBar>
#include <QToolButton>

#include "ui/shell/ui_context.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

class StatusLine : public QWidget {
    Q_OBJECT
public:
    explicit StatusLine(const UiContext& context, QWidget* parent = nullptr);
    void refresh();
    void setFollowing(bool on);

signals:
    void followingChosen(bool on);

private:
    struct Part {
        QWidget* widget;
        ThemedLabel *name, *value;
    };
    Part part(const QString& name);
    void set(Part& part, const QString& value);
    void applyTheme();
    QString stateText() const;

    UiContext context_;
    QFrame* dot_;
    ThemedLabel* state_;
    Part operator_, trials_, best_, eta_, noise_, failed_;
    QProgressBar* bar_;
    QToolButton* follow_;
};

}  // namespace fettle::ui
