// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/theme.h"

#include <QApplication>
#include <QDirIterator>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QStyle>
#include <QStyleFactory>
#include <cmath>

#include "ui/shell/icons.h"
#include "ui/shell/style_sheet.h"

namespace fettle::ui {

namespace {

struct FontRow {
    int pixels;
    QFont::Weight weight;
    bool mono;
};

FontRow fontRow(FontRole role) {
    switch (role) {
        case FontRole::Tile:
            return {22, QFont::DemiBold, false};
        case FontRole::Headline:
            return {15, QFont::DemiBold, false};
        case FontRole::Normal:
            return {13, QFont::Normal, false};
        case FontRole::NormalStrong:
            return {13, QFont::DemiBold, false};
        case FontRole::Dense:
            return {12, QFont::Normal, false};
        case FontRole::DenseStrong:
            return {12, QFont::DemiBold, false};
        case FontRole::Caption:
            return {11, QFont::Normal, false};
        case FontRole::CaptionStrong:
            return {11, QFont::Medium, false};
        case FontRole::KindLetter:
            return {10, QFont::DemiBold, false};
        case FontRole::AxisSmall:
            return {10, QFont::Normal, false};
        case FontRole::Code:
            return {12, QFont::Normal, true};
        case FontRole::CodeSmall:
            return {11, QFont::Normal, true};
    }
    return {13, QFont::Normal, false};
}

QPalette paletteOf(const Tokens& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text1);
    p.setColor(QPalette::Base, t.surface);
    p.setColor(QPalette::AlternateBase, t.sunken);
    p.setColor(QPalette::Text, t.text1);
    p.setColor(QPalette::Button, t.surface);
    p.setColor(QPalette::ButtonText, t.text1);
    p.setColor(QPalette::BrightText, t.text1);
    p.setColor(QPalette::Highlight, t.selection);
    p.setColor(QPalette::HighlightedText, t.text1);
    p.setColor(QPalette::PlaceholderText, t.text3);
    p.setColor(QPalette::ToolTipBase, t.surface);
    p.setColor(QPalette::ToolTipText, t.text1);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.raised);
    p.setColor(QPalette::Midlight, t.border);
    p.setColor(QPalette::Mid, t.border);
    p.setColor(QPalette::Dark, t.borderStrong);
    p.setColor(QPalette::Shadow, t.borderStrong);
    const QColor disabled = mix(t.window, t.text3, 0.55);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, disabled);
    return p;
}

}  // namespace

Theme::Theme(QApplication& application)
    : application_(application), systemPalette_(application.palette()), tokens_(&lightTokens()) {
    // The base of the design is 13 px = 10 pt at 96 dpi; a larger system font scales everything.
    const double systemPixels = QFontInfo(application.font()).pixelSize();
    scale_ = systemPixels > 14 ? std::min(systemPixels / 13.0, 2.0) : 1.0;
    loadFonts();
    application.setStyle(QStyleFactory::create("Fusion"));
    application.installEventFilter(this);
    apply();
}

void Theme::loadFonts() {
    initResources();
    initResources();
    QDirIterator files(":/", {"*.ttf", "*.otf"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) QFontDatabase::addApplicationFont(files.next());
    const QStringList families = QFontDatabase::families();
    auto firstOf = [&](const QStringList& wanted, QFontDatabase::SystemFont fallback) {
        for (const QString& family : wanted)
            if (families.contains(family)) return family;
        return QFontDatabase::systemFont(fallback).family();
    };
    sans_ = firstOf({"Fettle Inter", "Inter"}, QFontDatabase::GeneralFont);
    mono_ = firstOf({"Fettle Mono", "JetBrains Mono"}, QFontDatabase::FixedFont);
}

QFont Theme::font(FontRole role) const {
    const FontRow row = fontRow(role);
    QFont font(row.mono ? mono_ : sans_);
    font.setPixelSize(px(row.pixels));
    font.setWeight(row.weight);
    font.setHintingPreference(QFont::PreferNoHinting);
    if (row.mono) font.setStyleHint(QFont::Monospace);
    return font;
}

int Theme::px(int designPixels) const {
    return static_cast<int>(std::lround(designPixels * scale_));
}

bool Theme::animated() const {
    return application_.style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0;
}

void Theme::setChoice(ThemeChoice choice) {
    choice_ = choice;
    apply();
}

bool Theme::systemIsDark() const {
    return systemPalette_.color(QPalette::Window).lightness() < systemPalette_.color(QPalette::WindowText).lightness();
}

void Theme::apply() {
    const bool dark = choice_ == ThemeChoice::System ? systemIsDark() : choice_ == ThemeChoice::Dark;
    tokens_ = dark ? &darkTokens() : &lightTokens();
    applying_ = true;
    application_.setFont(font(FontRole::Normal));
    application_.setPalette(paletteOf(*tokens_));
    application_.setStyleSheet(styleSheet(*tokens_, scale_));
    applying_ = false;
    emit changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    // The system switched between light and dark while we run.
    if (watched == &application_ && event->type() == QEvent::ApplicationPaletteChange && !applying_) {
        const QPalette now = application_.palette();
        if (now.color(QPalette::Window) != tokens_->window) {
            systemPalette_ = now;
            if (choice_ == ThemeChoice::System) apply();
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace fettle::ui
