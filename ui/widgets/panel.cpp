// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel.h"

#include <QVBoxLayout>

namespace fettle::ui {

Panel::Panel(Theme* theme, const QString& title, QWidget* body, QWidget* parent) : QFrame(parent) {
    setProperty("panel", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    heading_ = new QHBoxLayout;
    heading_->setContentsMargins(10, 4, 10, 2);
    heading_->setSpacing(8);
    title_ = new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, title);
    caption_ = new ThemedLabel(theme, FontRole::Caption, Ink::Text3);
    caption_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    caption_->setElided(true);
    title_->setFixedHeight(theme->px(20));
    heading_->addWidget(title_);
    heading_->addWidget(caption_, 1);
    column->addLayout(heading_);
    column->addWidget(body, 1);
}

void Panel::setTitle(const QString& title) {
    title_->setText(title);
}

void Panel::setCaption(const QString& caption) {
    if (caption_->text() != caption) caption_->setText(caption);
}

void Panel::addToTitle(QWidget* widget) {
    heading_->addWidget(widget);
}

}  // namespace fettle::ui
