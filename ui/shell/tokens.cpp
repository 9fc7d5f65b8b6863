// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fettle::ui {

namespace {

Tokens makeLight() {
    Tokens t;
    t.window = "#EFF0F3", t.surface = "#FFFFFF", t.sunken = "#F6F7F9", t.raised = "#F0F1F4";
    t.border = "#D9DCE1", t.borderStrong = "#B9BEC7", t.grid = "#E9EBEE";
    t.text1 = "#15181C", t.text2 = "#454C57", t.text3 = "#5F6773";
    t.accent = "#4F4FC4", t.onAccent = "#FFFFFF", t.selection = "#E4E4F8";
    t.track = "#E3E5EA", t.before = "#A9AFB9", t.dot = "#A3A9B4";
    t.better = "#1B5E9B", t.betterFill = "#E3EEF8", t.worse = "#964507", t.worseFill = "#FBEADB";
    t.noise = "#8A8F98";
    t.warning = "#8A5A00", t.warningFill = "#FFF4DC", t.warningEdge = "#E2B85A";
    t.codeKeyword = "#4F4FC4", t.codeNumber = "#0B6BA8", t.codeComment = t.text3;
    t.flameModel = "#C3C8D0", t.flameSection = "#D1D5DC", t.flameBlock = "#DFE2E7";
    t.differenceFaster = "#2F7FC4", t.differenceSame = "#C9CDD4", t.differenceSlower = "#E08A3C";
    return t;
}

Tokens makeDark() {
    Tokens t;
    t.dark = true;
    t.window = "#17191C", t.surface = "#202327", t.sunken = "#1A1D20", t.raised = "#2A2E33";
    t.border = "#33383F", t.borderStrong = "#4D545E", t.grid = "#2B2F35";
    t.text1 = "#E9EBEE", t.text2 = "#B9BFC8", t.text3 = "#959DA9";
    t.accent = "#A3A3FA", t.onAccent = "#14141F", t.selection = "#2D2E50";
    t.track = "#33383F", t.before = "#5F6773", t.dot = "#69717D", t.dotEdge = "#7CC4F5";
    t.better = "#6DB3F2", t.betterFill = "#1C3146", t.worse = "#F0A35E", t.worseFill = "#43301E";
    t.noise = "#8A8F98";
    t.warning = "#F2C265", t.warningFill = "#352C18", t.warningEdge = "#6B5522";
    t.codeKeyword = "#B4B4FF", t.codeNumber = "#7CC4F5", t.codeComment = t.text3;
    t.flameModel = "#4A515B", t.flameSection = "#3F454E", t.flameBlock = "#353A42";
    t.differenceFaster = "#4C9FE0", t.differenceSame = "#565C66", t.differenceSlower = "#F0A35E";
    return t;
}

double luminance(const QColor& colour) {
    auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

}  // namespace

const Tokens& lightTokens() {
    static const Tokens tokens = makeLight();
    return tokens;
}

const Tokens& darkTokens() {
    static const Tokens tokens = makeDark();
    return tokens;
}

QColor kindColour(graph::OpKind kind) {
    // Okabe and Ito's palette, safe for colour-blind eyes; in the order of OpKind.
    static const std::array<QColor, 7> colours = {"#0072B2", "#D55E00", "#CC79A7", "#009E73",
                                                  "#E69F00", "#56B4E9", "#8A8F98"};
    const auto index = static_cast<size_t>(kind);
    return index < colours.size() ? colours[index] : colours.back();
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor labelOn(const QColor& fill) {
    return contrast(fill, Qt::white) >= 4.5 ? QColor(Qt::white) : QColor(Qt::black);
}

QColor mix(const QColor& a, const QColor& b, double t) {
    t = std::clamp(t, 0.0, 1.0);
    auto channel = [t](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * t)); };
    return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

QColor cividis(double t) {
    // Eleven samples of cividis (Nunez, Anderton and Renslow, PLOS ONE 2018), interpolated.
    static const std::array<QColor, 11> stops = {"#00224E", "#083370", "#35456C", "#4F576C", "#666970", "#7D7C78",
                                                 "#948E77", "#AEA371", "#C8B866", "#E5CF52", "#FEE838"};
    if (!(t > 0)) return stops.front();
    if (t >= 1) return stops.back();
    const double at = t * (stops.size() - 1);
    const auto index = static_cast<size_t>(at);
    return mix(stops[index], stops[index + 1], at - static_cast<double>(index));
}

QColor differenceColour(const Tokens& tokens, double change) {
    if (!std::isfinite(change)) return tokens.differenceSame;
    return change < 0 ? mix(tokens.differenceSame, tokens.differenceFaster, -change / 0.8)
                      : mix(tokens.differenceSame, tokens.differenceSlower, change / 0.5);
}

}  // namespace fettle::ui
