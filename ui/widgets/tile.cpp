// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tile.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QVBoxLayout>
#include <cmath>

namespace fettle::ui {

Tile::Tile(Theme* theme, const QString& caption, QWidget* parent) : QFrame(parent), name_(caption) {
    setProperty("panel", true);
    setFixedHeight(theme->px(76));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(0);
    column->addWidget(new ThemedLabel(theme, FontRole::Dense, Ink::Text3, caption));
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    value_ = new ThemedLabel(theme, FontRole::Tile, Ink::Text1);
    after_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text3);
    row->addWidget(value_, 0, Qt::AlignBottom);
    row->addWidget(after_, 1, Qt::AlignBottom);
    after_->setContentsMargins(0, 0, 0, 3);
    column->addLayout(row);
    note_ = new ThemedLabel(theme, FontRole::Caption, Ink::Text3);
    note_->setElided(true);
    column->addWidget(note_);
    bar_ = new QProgressBar;
    bar_->setRange(0, 1000);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(6);
    bar_->hide();
    column->addWidget(bar_, 0, Qt::AlignVCenter);
}

void Tile::setValue(const QString& value, const QString& after) {
    if (value_->text() != value) value_->setText(value);
    if (after_->text() != after) after_->setText(after);
    setAccessibleName(name_ + ": " + value + ' ' + after);
}

void Tile::setNote(const QString& note) {
    if (note_->text() != note) note_->setText(note);
}

void Tile::setProgress(double share) {
    bar_->setVisible(share >= 0);
    note_->setVisible(share < 0);
    if (share >= 0) bar_->setValue(int(std::lround(1000 * std::min(share, 1.0))));
}

}  // namespace fettle::ui
