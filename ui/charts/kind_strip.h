// SPDX-License-Identifier: GPL-3.0-or-later
// A 100 % strip: where the model's time goes, by kind of operator, the largest first.
#pragma once

#include <QRectF>
#include <QWidget>
#include <vector>

#include "ui/models/session_data.h"
#include "ui/shell/selection_context.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

struct KindShare {
    graph::OpKind kind = graph::OpKind::Other;
    QString name;                   // "Convolution 1x1", "Depthwise", "Matmul"
    double share = 0;               // of modelNs()
    std::vector<double> operators;  // shares of its operators, largest first: where the white ticks go
};
// Convolutions are told apart by their detail ("Depthwise 3x3 ..." -> Depthwise); the rest by kind.
std::vector<KindShare> kindShares(const SessionData& data);

// Widths in pixels that sum to `width` exactly; each share in proportion (largest remainder).
std::vector<int> stripWidths(const std::vector<double>& shares, int width);

class KindStrip : public QWidget {
    Q_OBJECT
public:
    KindStrip(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent = nullptr);
    void refresh();
    const std::vector<KindShare>& shares() const { return shares_; }
    QSize sizeHint() const override { return {400, theme_->px(28)}; }
    QSize minimumSizeHint() const override { return {100, theme_->px(28)}; }

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    int indexAt(int x) const;

    const SessionData& data_;
    SelectionContext* selection_;
    Theme* theme_;
    std::vector<KindShare> shares_;
};

// The entries of the strip that are too narrow for a label of their own, as a legend.
class KindLegend : public QWidget {
    Q_OBJECT
public:
    explicit KindLegend(Theme* theme, QWidget* parent = nullptr);
    void setShares(std::vector<KindShare> shares);
    QSize sizeHint() const override { return {200, theme_->px(18)}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme* theme_;
    std::vector<KindShare> shares_;
};

}  // namespace fettle::ui
