// SPDX-License-Identifier: GPL-3.0-or-later
// A figure with its caption above and a note below: Baseline, Now, Speed-up, Trials.
#pragma once

#include <QFrame>

#include "ui/widgets/themed_label.h"

class QProgressBar;

namespace fettle::ui {

class Tile : public QFrame {
    Q_OBJECT
public:
    Tile(Theme* theme, const QString& caption, QWidget* parent = nullptr);
    void setValue(const QString& value, const QString& after = {});  // "812", "of 2048"
    void setNote(const QString& note);
    void setProgress(double share);  // in [0, 1], drawn instead of a note; negative: none
    void setValueInk(Ink ink) { value_->setInk(ink); }

private:
    QString name_;
    ThemedLabel* value_;
    ThemedLabel* after_;
    ThemedLabel* note_;
    QProgressBar* bar_;
};

}  // namespace fettle::ui
