// SPDX-License-Identifier: GPL-3.0-or-later
// The box beside the mouse: self, total, shares, runs and spread of one span.
#pragma once

#include <QPointer>
#include <QWidget>
#include <utility>
#include <vector>

#include "ui/flame/flame_tree.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

struct FlameTipText {
    graph::OpKind kind = graph::OpKind::Other;
    bool hasKind = false;
    QString name, path;
    std::vector<std::pair<QString, QString>> rows;  // label, value; read in two columns, left to right
    QString note;                                   // one line below; may be empty
};
// `zoomNs`: the length of what is in view. `merged`: how many spans the box stands for.
FlameTipText tipText(const FlameTree& tree, int node, double zoomNs, int merged);

// "12.3 %"; two figures below one percent.
QString percentText(double share);

class FlameTip : public QWidget {
    Q_OBJECT
public:
    FlameTip(Theme* theme, QWidget* owner);
    void showText(const FlameTipText& text, QPoint globalPosition);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    int columnWidth(int column) const;

    Theme* theme_;
    FlameTipText text_;
};

}  // namespace fettle::ui
