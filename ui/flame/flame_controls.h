// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts of the Flame page: a search field with its result inside, and the legend of kinds.
#pragma once

#include <QLineEdit>
#include <QWidget>
#include <vector>

#include "ui/flame/flame_tree.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class FlameSearchField : public QLineEdit {
    Q_OBJECT
public:
    explicit FlameSearchField(Theme* theme, QWidget* parent = nullptr);
    void setNote(const QString& note);  // at the right, inside the field

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;  // Esc clears

private:
    int noteWidth() const;  // 0: no room for it
    void placeText();

    Theme* theme_;
    QString note_;
};

class FlameLegend : public QWidget {
    Q_OBJECT
public:
    explicit FlameLegend(Theme* theme, QWidget* parent = nullptr);
    void setKinds(std::vector<graph::OpKind> kinds);  // in the order to be shown
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme* theme_;
    std::vector<graph::OpKind> kinds_;
};

// The kinds of a tree's operators, in the order of OpKind.
std::vector<graph::OpKind> kindsOf(const FlameTree& tree);

}  // namespace fettle::ui
