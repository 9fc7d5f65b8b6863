// SPDX-License-Identifier: GPL-3.0-or-later
// Icons of the resources (resources/icons/*.svg), in the colour of the text around them.
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace fettle::ui {

// Registers fonts and icons; they sit in a static library, so somebody has to ask. Safe to call again.
void initResources();

// "document-open" -> :/icons/document-open.svg in `colour`, its disabled form at 55 %; sharp at every ratio.
// A name that is not there gives a null icon. Make it again when the theme changes.
QIcon themedIcon(const QString& name, const QColor& colour);

// The application's own icon, in its own colours.
QIcon applicationIcon();

}  // namespace fettle::ui
