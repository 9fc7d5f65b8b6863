// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_controls.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <set>

#include "ui/shell/icons.h"
#include "ui/widgets/kind_chip.h"

namespace fettle::ui {

FlameSearchField::FlameSearchField(Theme* theme, QWidget* parent) : QLineEdit(parent), theme_(theme) {
    setProperty("dense", true);
    setPlaceholderText(tr("Search spans"));
    setAccessibleName(tr("Search spans"));
    setToolTip(tr("Text in a name, /a regular expression/, or a kind such as matmul"));
    setFont(theme_->font(FontRole::Dense));
    connect(theme_, &Theme::changed, this, [this] {
        setFont(theme_->font(FontRole::Dense));
        placeText();
    });
    placeText();
}

void FlameSearchField::setNote(const QString& note) {
    note_ = note;
    setAccessibleDescription(note);
    placeText();
}

int FlameSearchField::noteWidth() const {
    if (note_.isEmpty()) return 0;
    const int note = QFontMetrics(theme_->font(FontRole::Dense)).horizontalAdvance(note_) + theme_->px(8);
    return note + theme_->px(62) <= width() ? note : 0;
}

void FlameSearchField::placeText() {
    setTextMargins(theme_->px(18), 0, noteWidth(), 0);
    update();
}

void FlameSearchField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    placeText();
}

void FlameSearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const int icon = theme_->px(16), margin = theme_->px(7);
    themedIcon("edit-find", theme_->tokens().text3).paint(&painter, margin, (height() - icon) / 2, icon, icon);
    painter.setFont(theme_->font(FontRole::Dense));
    painter.setPen(theme_->tokens().text3);
    if (noteWidth() > 0)
        painter.drawText(rect().adjusted(0, 0, -theme_->px(8), 0), Qt::AlignRight | Qt::AlignVCenter, note_);
}

void FlameSearchField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) return clear();
    QLineEdit::keyPressEvent(event);
}

FlameLegend::FlameLegend(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Colours of the kinds of operators"));
    connect(theme_, &Theme::changed, this, [this] { update(); });
}

void FlameLegend::setKinds(std::vector<graph::OpKind> kinds) {
    kinds_ = std::move(kinds);
    updateGeometry();
    update();
}

QSize FlameLegend::sizeHint() const {
    const QFontMetrics metrics(theme_->font(FontRole::Caption));
    int width = 0;
    for (graph::OpKind kind : kinds_) width += theme_->px(14 + 6 + 14) + metrics.horizontalAdvance(kindText(kind));
    return {std::max(0, width - theme_->px(14)), theme_->px(16)};
}

void FlameLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(theme_->font(FontRole::Caption));
    const QFontMetrics metrics(painter.font());
    int x = std::max(0, width() - sizeHint().width());
    for (graph::OpKind kind : kinds_) {
        const int chip = theme_->px(14), text = metrics.horizontalAdvance(kindText(kind));
        if (x + chip + 6 + text > width() + 1) break;
        paintKindChip(painter, QRectF(x, (height() - chip) / 2, chip, chip), kind, *theme_);
        x += chip + theme_->px(6);
        painter.setPen(theme_->tokens().text2);
        painter.drawText(QRect(x, 0, text + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, kindText(kind));
        x += text + theme_->px(14);
    }
}

std::vector<graph::OpKind> kindsOf(const FlameTree& tree) {
    std::set<graph::OpKind> kinds;
    for (const FlameNode& node : tree.nodes)
        if (node.role == SpanRole::Operator || node.role == SpanRole::Stage) kinds.insert(node.kind);
    return {kinds.begin(), kinds.end()};
}

}  // namespace fettle::ui
