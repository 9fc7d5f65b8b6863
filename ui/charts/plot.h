// SPDX-License-Identifier: GPL-3.0-or-later
// The base of our QCustomPlot charts: theme, 1-2-3-5 ticks, device pixel ratio, the frame timer, and Follow.
// A chart keeps a pointer to the data and fills its graphs in fill(), called only when dirty and visible.
#pragma once

#include <qcustomplot.h>

#include <functional>

#include "ui/charts/frame_timer.h"
#include "ui/charts/scale.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

// Ticks at 1-2-3-5 (logarithmic) or 1-2-5 (linear), labels with a suffix ("0.5" + multiplication sign).
class NiceTicker : public QCPAxisTicker {
public:
    NiceTicker(bool logarithmic, QString suffix, int most)
        : logarithmic_(logarithmic), suffix_(std::move(suffix)), most_(most) {}

protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    int getSubTickCount(double) override { return 0; }

private:
    bool logarithmic_;
    QString suffix_;
    int most_;
};

// Draws with a function, over everything; for notes, end labels and rugs that are no graph.
class PaintItem : public QCPAbstractItem {
public:
    PaintItem(QCustomPlot* plot, std::function<void(QCPPainter*)> paint);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override { paint_(painter); }

private:
    std::function<void(QCPPainter*)> paint_;
};

class Plot : public QCustomPlot, public FrameClient {
    Q_OBJECT
public:
    Plot(Theme* theme, FrameTimer* frames, const QString& accessibleName, QWidget* parent = nullptr);
    ~Plot() override;

    void markDirty() { frames_->markDirty(this); }
    bool following() const { return following_; }
    void setFollowing(bool on);

    QWidget* frameWidget() override { return this; }
    void drawFrame() override;

    QSize minimumSizeHint() const override { return {120, 80}; }
    QSize sizeHint() const override { return {320, 200}; }

signals:
    void userZoomed();  // the user moved the view: Follow is off now

protected:
    virtual void fill() = 0;     // data, and ranges when following()
    virtual void restyle() = 0;  // pens and brushes from tokens(), after setUpAxis

    const Tokens& tokens() const { return theme_->tokens(); }
    Theme* theme() const { return theme_; }
    void setUpAxis(QCPAxis* axis, bool logarithmic, const QString& suffix, int most, bool grid);
    void letUserZoom(Qt::Orientations orientations);
    // Label colours and a caption drawn in the lower corners, in text 3.
    void drawCorner(QCPPainter* painter, const QString& text, Qt::Alignment corner);

    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void applyTheme();
    void followScreen();
    void onScreenChanged();

    Theme* theme_;
    FrameTimer* frames_;
    bool following_ = true;
    bool styled_ = false;
    bool zoomable_ = false;
};

}  // namespace fettle::ui
