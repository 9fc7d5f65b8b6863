// SPDX-License-Identifier: GPL-3.0-or-later
// A framed part of a page: title left, one caption right, the body below.
#pragma once

#include <QFrame>

#include "ui/widgets/themed_label.h"

class QVBoxLayout;
class QHBoxLayout;

namespace fettle::ui {

class Panel : public QFrame {
    Q_OBJECT
public:
    Panel(Theme* theme, const QString& title, QWidget* body, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setCaption(const QString& caption);
    void addToTitle(QWidget* widget);  // at the right, after the caption

private:
    ThemedLabel* title_;
    ThemedLabel* caption_;
    QHBoxLayout* heading_;
};

}  // namespace fettle::ui
