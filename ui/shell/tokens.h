// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the window, light and dark, and the colour arithmetic that charts share. No widgets.
#pragma once

#include <QColor>

#include "core/graph/kind.h"

namespace fettle::ui {

// One colour per role; see docs and the comments for the use of each. Text colours reach 4.5:1 on window, surface,
// sunken and selection.
struct Tokens {
    bool dark = false;
    QColor window;        // menu, toolbar, tab bar, status, splitters
    QColor surface;       // docks, pages, tables, plots, fields
    QColor sunken;        // dock titles, table headers, code boxes
    QColor raised;        // hover, hot block in assembly
    QColor border;        // 1 px round docks and panels
    QColor borderStrong;  // fields, buttons, axes, tooltips, dialogs
    QColor grid;          // plot grid, row separators
    QColor text1;         // values, names
    QColor text2;         // sentences, chart annotations
    QColor text3;         // captions, headers, axis labels
    QColor accent;        // what is live or selected; never a kind
    QColor onAccent;      // label on accent
    QColor selection;     // selected row
    QColor track;         // empty part of bars
    QColor before;        // default-schedule bars
    QColor dot;           // trials of other operators
    QColor dotEdge;       // edge of the selected operator's dots; invalid: none
    QColor better, betterFill;
    QColor worse, worseFill;
    QColor noise;  // inside noise: fills only
    QColor warning, warningFill, warningEdge;
    QColor codeKeyword, codeNumber, codeComment;
    QColor flameModel, flameSection, flameBlock;
    QColor differenceFaster, differenceSame, differenceSlower;
};

const Tokens& lightTokens();
const Tokens& darkTokens();

QColor kindColour(graph::OpKind kind);                   // the fill, the same in both themes
double contrast(const QColor& a, const QColor& b);       // WCAG 2 ratio, 1 to 21
QColor labelOn(const QColor& fill);                      // white if it reaches 4.5:1, else black
QColor mix(const QColor& a, const QColor& b, double t);  // t = 0: a, t = 1: b

QColor cividis(double t);  // sequential scale, t in [0, 1], clamped
// Relative change of time (-0.5: twice as fast is -50 %); full colour at -80 % and +50 %.
QColor differenceColour(const Tokens& tokens, double change);

}  // namespace fettle::ui
