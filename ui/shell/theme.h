// SPDX-License-Identifier: GPL-3.0-or-later
// Light or dark, as the user chose or the system's palette says; fonts by role; the application's style sheet.
// One object, made in main() and handed to whoever paints. Views repaint on changed().
#pragma once

#include <QFont>
#include <QObject>
#include <QPalette>

#include "ui/shell/tokens.h"

class QApplication;

namespace fettle::ui {

enum class ThemeChoice { System, Light, Dark };

// Sizes in pixels at the default base of 13; all scale with the system's font.
enum class FontRole {
    Tile,           // 22 semibold: tile values, start title
    Headline,       // 15 semibold: toolbar headline, Inspector heading
    Normal,         // 13: menu, toolbar, page tabs, dialogs
    NormalStrong,   // 13 semibold
    Dense,          // 12: docks and tables
    DenseStrong,    // 12 semibold: panel titles
    Caption,        // 11: captions, table headers, axis labels
    CaptionStrong,  // 11 medium
    KindLetter,     // 10 semibold
    AxisSmall,      // 10
    Code,           // mono 12: Code page
    CodeSmall,      // mono 11: Inspector, Log, Trials
};

class Theme : public QObject {
    Q_OBJECT
public:
    // Loads every font of the resources, sets style, palette and style sheet of `application`, which outlives this.
    explicit Theme(QApplication& application);

    const Tokens& tokens() const { return *tokens_; }
    bool dark() const { return tokens_->dark; }
    ThemeChoice choice() const { return choice_; }
    void setChoice(ThemeChoice choice);

    QFont font(FontRole role) const;
    int px(int designPixels) const;  // a length of the design, scaled with the base font
    bool animated() const;           // false when the system's animation duration is 0

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void loadFonts();
    void apply();
    bool systemIsDark() const;

    QApplication& application_;
    QPalette systemPalette_;
    const Tokens* tokens_;
    ThemeChoice choice_ = ThemeChoice::System;
    QString sans_, mono_;
    double scale_ = 1;
    bool applying_ = false;
};

}  // namespace fettle::ui
