// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a laid-out flame chart, on the screen and into files alike.
#pragma once

#include <QHash>
#include <QPainter>
#include <QString>
#include <functional>

#include "ui/flame/flame_layout.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

constexpr int kFlameRow = 24;  // design pixels, one of which is the gap
constexpr int kFlameAxis = 22;

struct FlameStyle {
    bool icicle = true;  // the model on top; otherwise at the bottom
    bool axis = false;   // a time axis: above an icicle, below a flame; it starts at 0 where the range starts
    const FlameMatch* match = nullptr;               // outlined, when a search is on
    std::function<bool(const FlameNode&)> selected;  // ink edge; may be empty
    std::function<QColor(const FlameNode&)> fill;    // instead of the kind's colour; an invalid one keeps it
    std::function<QString(const FlameNode&)> label;  // instead of the name; may be empty
};

// Height in pixels of a chart of `depth` levels.
int flameHeight(int depth, const FlameStyle& style, const Theme& theme);
// Top of a level's row, in pixels below the chart's top.
double flameRowTop(int level, int depth, const FlameStyle& style, const Theme& theme);
// The level at y, or -1.
int flameRowAt(double y, int depth, const FlameStyle& style, const Theme& theme);

// The colour of a span: greys above the operators, the kind's colour, stages mixed with the surface.
QColor spanColour(const FlameTree& tree, const FlameNode& node, const Tokens& tokens);

// Shortened names by node and width, so that a repaint measures no text. Clear it when tree or fonts change.
class ElisionCache {
public:
    QString elided(const QString& text, const QFontMetrics& metrics, int node, int width);
    void clear() { texts_.clear(); }

private:
    QHash<qint64, QString> texts_;
};

// `origin` is the chart's top left corner.
void paintFlame(QPainter& painter, QPointF origin, const FlameTree& tree, const FlameLayout& layout,
                const FlameStyle& style, const Theme& theme, ElisionCache& elisions);

}  // namespace fettle::ui
