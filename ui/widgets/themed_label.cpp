// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/themed_label.h"

#include <QPainter>

namespace fettle::ui {

QColor inkColour(const Tokens& tokens, Ink ink) {
    switch (ink) {
        case Ink::Text1:
            return tokens.text1;
        case Ink::Text2:
            return tokens.text2;
        case Ink::Text3:
            return tokens.text3;
        case Ink::Accent:
            return tokens.accent;
        case Ink::Better:
            return tokens.better;
        case Ink::Worse:
            return tokens.worse;
        case Ink::Warning:
            return tokens.warning;
    }
    return tokens.text1;
}

ThemedLabel::ThemedLabel(Theme* theme, FontRole font, Ink ink, const QString& text, QWidget* parent)
    : QLabel(text, parent), theme_(theme), font_(font), ink_(ink) {
    connect(theme_, &Theme::changed, this, &ThemedLabel::apply);
    apply();
}

void ThemedLabel::setInk(Ink ink) {
    if (ink == ink_) return;
    ink_ = ink;
    apply();
}

void ThemedLabel::setRole(FontRole font) {
    font_ = font;
    apply();
}

void ThemedLabel::setElided(bool on) {
    elided_ = on;
    update();
}

void ThemedLabel::apply() {
    setFont(theme_->font(font_));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, inkColour(theme_->tokens(), ink_));
    colours.setColor(QPalette::Text, inkColour(theme_->tokens(), ink_));
    setPalette(colours);
    // Bars with a style sheet of their own hand their colours down over a palette; a label's own rule wins.
    setStyleSheet(QString("color: %1;").arg(inkColour(theme_->tokens(), ink_).name()));
}

QSize ThemedLabel::minimumSizeHint() const {
    const QSize size = QLabel::minimumSizeHint();
    return elided_ ? QSize(24, size.height()) : size;
}

void ThemedLabel::paintEvent(QPaintEvent* event) {
    if (!elided_ || fontMetrics().horizontalAdvance(text()) <= contentsRect().width()) return QLabel::paintEvent(event);
    QPainter painter(this);
    painter.setPen(inkColour(theme_->tokens(), ink_));
    painter.drawText(contentsRect(), int(alignment()),
                     fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    if (toolTip() != text()) setToolTip(text());
}

}  // namespace fettle::ui
