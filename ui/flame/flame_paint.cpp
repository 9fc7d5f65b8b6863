// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_paint.h"

#include <algorithm>
#include <cmath>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

struct Brush {
    QPainter& painter;
    const Theme& theme;
    const FlameStyle& style;
    double ratio;  // device pixels for each pixel: edges are put on whole ones

    double snap(double x) const { return std::round(x * ratio) / ratio; }
};

// "features.3" inside "features" may be called ".3" when there is no room for more.
QString shortName(const FlameTree& tree, const FlameNode& node) {
    if (node.parent < 0 || node.role != SpanRole::Section) return {};
    const std::string& above = tree.nodes[node.parent].name;
    const bool extends = node.name.size() > above.size() + 1 && node.name.starts_with(above) &&
                         (node.name[above.size()] == '.' || node.name[above.size()] == '/');
    return extends ? QString::fromStdString(node.name.substr(above.size())) : QString();
}

void paintLabel(const Brush& b, const QRectF& box, const FlameTree& tree, int index, const QColor& fill,
                ElisionCache& elisions) {
    const FlameNode& node = tree.nodes[index];
    const int padding = b.theme.px(6);
    const double room = box.width() - 2 * padding;
    if (room < b.theme.px(18)) return;
    const QFontMetrics metrics(b.painter.font());
    const QString name = b.style.label ? b.style.label(node) : QString::fromStdString(node.name);
    const QString time = QString::fromStdString(formatMs(double(node.durationNs))) + " ms";
    const int timeWidth = metrics.horizontalAdvance(time);
    const QRectF area = box.adjusted(padding, 0, -padding, 0);
    double nameRoom = room;
    b.painter.setPen(labelOn(fill));
    const int nameWidth = metrics.horizontalAdvance(name);
    if (const QString brief = nameWidth > room ? shortName(tree, node) : QString(); !brief.isEmpty()) {
        if (metrics.horizontalAdvance(brief) <= room) b.painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, brief);
        return;
    }
    if (nameWidth + timeWidth + b.theme.px(12) <= room) {
        b.painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, time);
        nameRoom -= timeWidth;
    }
    b.painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                       elisions.elided(name, metrics, index, static_cast<int>(nameRoom)));
}

void paintEdge(const Brush& b, const QRectF& box, const QColor& ink) {
    b.painter.setBrush(Qt::NoBrush);
    b.painter.setPen(QPen(ink, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    b.painter.drawRect(box.width() > 4 ? box.adjusted(1, 1, -1, -1) : box.adjusted(-1, 1, 1, -1));
}

void paintRow(const Brush& b, double x0, double y, const FlameTree& tree, const std::vector<FlameBox>& row,
              ElisionCache& elisions) {
    const Tokens& tokens = b.theme.tokens();
    const int height = b.theme.px(kFlameRow) - 1;
    std::vector<QRectF> edged;
    for (const FlameBox& box : row) {
        const FlameNode& node = tree.nodes[box.node];
        const double left = b.snap(x0 + box.left), right = b.snap(x0 + box.right);
        const double gap = right - left >= 2 ? 1 : 0;
        const QRectF rect(left, y, std::max(right - left - gap, 1 / b.ratio), height);
        QColor fill = b.style.fill ? b.style.fill(node) : QColor();
        if (!fill.isValid()) fill = spanColour(tree, node, tokens);
        b.painter.fillRect(rect, fill);
        if (box.spans == 1) paintLabel(b, rect, tree, box.node, fill, elisions);
        const bool matches = b.style.match && b.style.match->matched[box.node];
        if (matches || (b.style.selected && b.style.selected(node))) edged.push_back(rect);
    }
    for (const QRectF& rect : edged) paintEdge(b, rect, tokens.text1);
}

void paintAxis(const Brush& b, double x0, double y, const FlameLayout& layout) {
    const Tokens& tokens = b.theme.tokens();
    b.painter.setFont(b.theme.font(FontRole::Caption));
    const QFontMetrics metrics(b.painter.font());
    const double low = layout.range().low;
    const FlameRange fromZero{0, layout.range().length()};
    const auto marks = axisMarks(fromZero, layout.width(), b.theme.px(60));
    if (marks.size() < 2) return;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10((marks[1] - marks[0]) / 1e6) - 1e-9)), 0, 6);
    const int height = b.theme.px(kFlameAxis);
    const double base = b.style.icicle ? y + height - 4 : y + 2;
    b.painter.fillRect(QRectF(x0, b.style.icicle ? base + 2 : base, layout.width(), 1), tokens.grid);
    for (size_t i = 0; i < marks.size(); ++i) {
        const double x = b.snap(x0 + layout.xOf(low + marks[i]));
        QString text = QString::fromStdString(formatDouble(marks[i] / 1e6, decimals));
        if (i == 0) text = "0 ms";
        if (x + 4 + metrics.horizontalAdvance(text) > x0 + layout.width()) continue;
        b.painter.fillRect(QRectF(x, b.style.icicle ? base - 3 : base, 1, 5), tokens.borderStrong);
        b.painter.setPen(tokens.text3);
        b.painter.drawText(QPointF(x + 4, b.style.icicle ? base - 3 : base + metrics.ascent() + 2), text);
    }
}

}  // namespace

int flameHeight(int depth, const FlameStyle& style, const Theme& theme) {
    return depth * theme.px(kFlameRow) + (style.axis ? theme.px(kFlameAxis) : 0);
}

double flameRowTop(int level, int depth, const FlameStyle& style, const Theme& theme) {
    const int row = theme.px(kFlameRow);
    return style.icicle ? (style.axis ? theme.px(kFlameAxis) : 0) + level * row : (depth - 1 - level) * row;
}

int flameRowAt(double y, int depth, const FlameStyle& style, const Theme& theme) {
    const double rows = y - (style.icicle && style.axis ? theme.px(kFlameAxis) : 0);
    const int line = static_cast<int>(std::floor(rows / theme.px(kFlameRow)));
    if (line < 0 || line >= depth) return -1;
    return style.icicle ? line : depth - 1 - line;
}

QColor spanColour(const FlameTree& tree, const FlameNode& node, const Tokens& tokens) {
    switch (node.role) {
        case SpanRole::Model:
            return tokens.flameModel;
        case SpanRole::Section:
            return node.depth == 1 ? tokens.flameSection : tokens.flameBlock;
        case SpanRole::Operator:
            return kindColour(node.kind);
        case SpanRole::Stage:
            break;
    }
    const bool inner = node.parent >= 0 && tree.nodes[node.parent].role == SpanRole::Stage;
    return mix(kindColour(node.kind), tokens.surface, inner ? 0.42 : 0.22);
}

QString ElisionCache::elided(const QString& text, const QFontMetrics& metrics, int node, int width) {
    if (texts_.size() > 20000) texts_.clear();
    QString& known = texts_[qint64(node) << 16 | std::clamp(width, 0, 0xffff)];
    if (known.isNull()) known = metrics.elidedText(text, Qt::ElideRight, width);
    return known;
}

void paintFlame(QPainter& painter, QPointF origin, const FlameTree& tree, const FlameLayout& layout,
                const FlameStyle& style, const Theme& theme, ElisionCache& elisions) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const Brush brush{painter, theme, style, std::max(1.0, painter.device()->devicePixelRatioF())};
    painter.setFont(theme.font(FontRole::Caption));
    const QRectF clip = painter.hasClipping() ? painter.clipBoundingRect() : QRectF();
    for (int level = 0; level < layout.depth(); ++level) {
        const double y = origin.y() + flameRowTop(level, tree.depth(), style, theme);
        if (clip.isValid() && (y > clip.bottom() || y + theme.px(kFlameRow) < clip.top())) continue;
        paintRow(brush, origin.x(), y, tree, layout.row(level), elisions);
    }
    if (style.axis) {
        const double y = style.icicle ? 0 : tree.depth() * theme.px(kFlameRow);
        paintAxis(brush, origin.x(), origin.y() + y, layout);
    }
    painter.restore();
}

}  // namespace fettle::ui
