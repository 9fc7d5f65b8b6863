// SPDX-License-Identifier: GPL-3.0-or-later
// An error shown where it happened: what, where, why, what to do next; with Copy and close.
#pragma once

#include <QFrame>

#include "core/support/error.h"
#include "ui/widgets/themed_label.h"

class QPushButton;
class QToolButton;

namespace fettle::ui {

class Banner : public QFrame {
    Q_OBJECT
public:
    explicit Banner(Theme* theme, QWidget* parent = nullptr);

    void showError(const Error& error);
    // A notice that is no error, with one action; `action` empty: none.
    void showNotice(const QString& what, const QString& why, const QString& action);
    const Error& error() const { return error_; }

signals:
    void actionChosen();

private:
    void applyTheme();

    Theme* theme_;
    Error error_;
    QLabel* icon_;
    ThemedLabel* what_;
    ThemedLabel* why_;
    QPushButton* copy_;
    QPushButton* action_;
    QToolButton* close_;
};

}  // namespace fettle::ui
