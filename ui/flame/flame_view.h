// SPDX-License-Identifier: GPL-3.0-or-later
// One flame chart: paints a tree, zooms and pans over it, tells what is pointed at.
//
// Mouse: click chooses a span, double click zooms to it, the wheel with Ctrl zooms at the mouse, dragging pans.
// Keys: W or Up zooms in, S or Down out, A or Left and D or Right pan, Return zooms to what is chosen, Home shows all,
// Backspace goes back, Esc clears.
#pragma once

#include <QVariantAnimation>
#include <QWidget>
#include <memory>

#include "ui/flame/flame_paint.h"

namespace fettle::ui {

class FlameTip;

class FlameView : public QWidget {
    Q_OBJECT
public:
    static constexpr int kZoomMs = 150;

    FlameView(Theme* theme, const QString& accessibleName, QWidget* parent = nullptr);

    // Shows the whole tree, or, when keepPlace, the span of the same name path that filled the view before.
    void setTree(std::shared_ptr<const FlameTree> tree, bool keepPlace = false);
    const FlameTree& tree() const { return *tree_; }
    const FlameStyle& style() const { return style_; }
    void setIcicle(bool on);
    void setAxis(bool on);
    void setMatch(std::shared_ptr<const FlameMatch> match);
    void setColouring(std::function<QColor(const FlameNode&)> fill, std::function<QString(const FlameNode&)> label);
    // Marks the group's span; without a group (-1), those of the task.
    void setSelected(int group, int task);

    FlameRange range() const { return target_; }  // where a running zoom will end
    int zoomNode() const { return coveringNode(*tree_, target_); }
    void zoomTo(FlameRange range, bool remember = true);
    void zoomToNode(int node);
    void zoomToAll();
    bool zoomBack();  // false: there is nothing to go back to
    // The box at a point of this widget; null: nothing there.
    const FlameBox* boxAt(QPointF position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void rangeChanged();  // the place where the zoom ends
    void frameChanged();  // every step of the way
    void nodeChosen(int node);
    void escaped();  // Esc, to be used by a search

public:
    FlameRange shownRange() const { return shown_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    const FlameLayout& layoutNow() const;
    void showRange(FlameRange range);
    void scaleAround(double ns, double factor);
    void pan(double share);
    void hover(QPointF position, QPoint global);
    void applyTheme();

    Theme* theme_;
    FlameTip* tip_;
    std::shared_ptr<const FlameTree> tree_;
    std::shared_ptr<const FlameMatch> match_;
    FlameStyle style_;
    FlameRange target_, shown_, from_;
    std::vector<FlameRange> history_;
    QVariantAnimation zoom_;
    mutable FlameLayout layout_;
    mutable bool layoutStale_ = true;
    ElisionCache elisions_;
    int selectedGroup_ = -1, selectedTask_ = -1, chosenNode_ = -1;
    QPointF pressedAt_;
    FlameRange pressedRange_;
    bool dragging_ = false;
};

}  // namespace fettle::ui
