// SPDX-License-Identifier: GPL-3.0-or-later
// A dock of ours: a 28 px title (name, a count, float and close), a surface body. The name is also its objectName,
// so that layouts can be saved and restored.
#pragma once

#include <QDockWidget>
#include <QToolButton>

#include "ui/widgets/themed_label.h"

namespace fettle::ui {

class Dock : public QDockWidget {
    Q_OBJECT
public:
    Dock(Theme* theme, const QString& objectName, const QString& title, QWidget* body, QWidget* parent = nullptr);
    void setCount(const QString& count);

private:
    void applyTheme();

    Theme* theme_;
    QWidget* bar_;
    ThemedLabel* count_;
    QToolButton* float_;
    QToolButton* close_;
};

}  // namespace fettle::ui
