// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_tip.h"

#include <QCoreApplication>
#include <QPainter>
#include <QScreen>
#include <algorithm>

#include "core/support/format.h"
#include "ui/widgets/kind_chip.h"

namespace fettle::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FlameTip", text);
}

QString msText(double ns) {
    return QString::fromStdString(formatMs(ns)) + " ms";
}

constexpr int kPadding = 10, kLine = 18;

}  // namespace

QString percentText(double share) {
    const double percent = share * 100;
    return QString::fromStdString(formatDouble(percent, percent > 0 && percent < 0.95 ? 2 : 1)) + " %";
}

FlameTipText tipText(const FlameTree& tree, int index, double zoomNs, int merged) {
    const FlameNode& node = tree.nodes[index];
    FlameTipText text;
    text.kind = node.kind;
    text.hasKind = node.role == SpanRole::Operator || node.role == SpanRole::Stage;
    text.name = QString::fromStdString(node.name);
    text.path = QString::fromStdString(node.path);
    auto share = [&](double of) { return of > 0 ? percentText(double(node.durationNs) / of) : QString("-"); };
    text.rows = {{tr("Total"), msText(double(node.durationNs))},
                 {tr("% of all"), share(double(tree.totalNs()))},
                 {tr("Self"), msText(double(node.selfNs))}};
    if (node.parent >= 0) text.rows.push_back({tr("% of parent"), share(double(tree.nodes[node.parent].durationNs))});
    if (node.parent >= 0 && zoomNs < double(tree.totalNs()) * (1 - 1e-9) && double(node.durationNs) <= zoomNs)
        text.rows.push_back({tr("% of zoom"), share(zoomNs)});
    text.rows.push_back({tr("Runs"), QString::number(tree.runs)});
    if (node.maxNs > 0) text.rows.push_back({tr("Spread"), QString::fromUtf8("\u00b1 ") + percentText(node.spread())});
    if (node.flops > 0 && node.durationNs > 0 && node.role == SpanRole::Operator)
        text.rows.push_back(
            {tr("GFLOP/s"), QString::fromStdString(formatDouble(node.flops / double(node.durationNs), 1))});
    if (node.occurrences > 1) text.rows.push_back({tr("Occurs"), QString::number(node.occurrences)});
    if (merged > 1) text.note = tr("The longest of %1 spans too narrow to draw apart: zoom in.").arg(merged);
    return text;
}

FlameTip::FlameTip(Theme* theme, QWidget* owner)
    : QWidget(owner, Qt::ToolTip | Qt::FramelessWindowHint), theme_(theme) {
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Span"));
}

int FlameTip::columnWidth(int column) const {
    const QFontMetrics metrics(theme_->font(FontRole::Dense));
    int label = 0, value = 0;
    for (size_t i = static_cast<size_t>(column); i < text_.rows.size(); i += 2) {
        label = std::max(label, metrics.horizontalAdvance(text_.rows[i].first));
        value = std::max(value, metrics.horizontalAdvance(text_.rows[i].second));
    }
    return label + theme_->px(16) + value;
}

QSize FlameTip::sizeHint() const {
    const QFontMetrics strong(theme_->font(FontRole::DenseStrong)), plain(theme_->font(FontRole::Dense));
    const int heading = strong.horizontalAdvance(text_.name) + theme_->px(text_.hasKind ? 24 : 0) +
                        (text_.path.isEmpty() ? 0 : theme_->px(24) + plain.horizontalAdvance(text_.path));
    const int columns = columnWidth(0) + theme_->px(24) + columnWidth(1);
    const int note =
        text_.note.isEmpty() ? 0 : QFontMetrics(theme_->font(FontRole::Caption)).horizontalAdvance(text_.note);
    const int lines = 1 + static_cast<int>(text_.rows.size() + 1) / 2 + (text_.note.isEmpty() ? 0 : 1);
    return {std::max({heading, columns, note}) + 2 * theme_->px(kPadding),
            lines * theme_->px(kLine) + 2 * theme_->px(kPadding) + theme_->px(4)};
}

void FlameTip::showText(const FlameTipText& text, QPoint at) {
    text_ = text;
    const QSize size = sizeHint();
    QPoint corner = at + QPoint(theme_->px(14), theme_->px(14));
    if (const QScreen* screen = parentWidget() ? parentWidget()->screen() : nullptr) {
        const QRect room = screen->availableGeometry();
        if (corner.x() + size.width() > room.right()) corner.setX(std::max(room.left(), room.right() - size.width()));
        if (corner.y() + size.height() > room.bottom()) corner.setY(at.y() - size.height() - theme_->px(10));
    }
    setGeometry(QRect(corner, size));
    show();
    update();
}

void FlameTip::paintEvent(QPaintEvent*) {
    const Tokens& t = theme_->tokens();
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    painter.setPen(t.borderStrong);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const int padding = theme_->px(kPadding), line = theme_->px(kLine);
    QRect row(padding, padding, width() - 2 * padding, line);

    QRect heading = row;
    if (text_.hasKind) {
        const int chip = theme_->px(16);
        paintKindChip(painter, QRectF(row.left(), row.top() + (line - chip) / 2, chip, chip), text_.kind, *theme_);
        heading.setLeft(row.left() + theme_->px(24));
    }
    painter.setFont(theme_->font(FontRole::DenseStrong));
    painter.setPen(t.text1);
    painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text_.name);
    painter.setFont(theme_->font(FontRole::Dense));
    painter.setPen(t.text3);
    painter.drawText(heading, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, text_.path);

    row.translate(0, line + theme_->px(4));
    const int gap = theme_->px(24), second = row.left() + (row.width() + gap) / 2;
    for (size_t i = 0; i < text_.rows.size(); ++i) {
        QRect cell = row;
        if (i % 2 == 0)
            cell.setRight(second - gap);
        else
            cell.setLeft(second);
        painter.setPen(t.text3);
        painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, text_.rows[i].first);
        painter.setPen(t.text1);
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, text_.rows[i].second);
        if (i % 2 == 1 || i + 1 == text_.rows.size()) row.translate(0, line);
    }
    painter.setFont(theme_->font(FontRole::Caption));
    painter.setPen(t.text3);
    if (!text_.note.isEmpty()) painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, text_.note);
}

}  // namespace fettle::ui
