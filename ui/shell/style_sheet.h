// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of the window, made from the tokens. Heights follow the design: menu 28, toolbar 44, tabs 32.
#pragma once

#include <QString>

#include "ui/shell/tokens.h"

namespace fettle::ui {

QString styleSheet(const Tokens& tokens, double scale);  // scale 1: base font of 13 px

}  // namespace fettle::ui
