// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run in a strip, with a frame round what the chart below shows. Click or drag moves the frame.
#pragma once

#include <QWidget>
#include <memory>

#include "ui/flame/flame_layout.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

class FlameMinimap : public QWidget {
    Q_OBJECT
public:
    explicit FlameMinimap(Theme* theme, QWidget* parent = nullptr);
    void setTree(std::shared_ptr<const FlameTree> tree);
    void setFrame(FlameRange range);
    QSize sizeHint() const override { return {theme_->px(600), theme_->px(32)}; }

signals:
    void frameMoved(double middleNs);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void moveTo(double x);

    Theme* theme_;
    std::shared_ptr<const FlameTree> tree_;
    FlameLayout layout_;
    FlameRange frame_;
};

}  // namespace fettle::ui
