// SPDX-License-Identifier: GPL-3.0-or-later
// A label whose font and colour are roles of the theme; it follows the theme by itself.
#pragma once

#include <QLabel>

#include "ui/shell/theme.h"

namespace fettle::ui {

enum class Ink { Text1, Text2, Text3, Accent, Better, Worse, Warning };
QColor inkColour(const Tokens& tokens, Ink ink);

class ThemedLabel : public QLabel {
    Q_OBJECT
public:
    ThemedLabel(Theme* theme, FontRole font, Ink ink, const QString& text = {}, QWidget* parent = nullptr);
    void setInk(Ink ink);
    void setRole(FontRole font);
    void setElided(bool on);  // shortens at the right instead of asking for room; the whole text is the tooltip

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void apply();

    Theme* theme_;
    FontRole font_;
    Ink ink_;
    bool elided_ = false;
};

}  // namespace fettle::ui
