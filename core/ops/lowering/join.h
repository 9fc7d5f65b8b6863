// SPDX-License-Identifier: GPL-3.0-or-later
// The two halves of joinStages(): substitution (join.cpp) and axes (tidy_axes.cpp).
#pragma once

#include "core/ops/lowering/lowering.h"

namespace fettle::ops {

std::vector<loop::Range> rangesOf(const loop::Stage& stage);

// Simplifies every index of the stage, splits axes where that turns divisions into affine indices ("n" becomes
// "n_o", "n_i"), and drops axes of extent 1 (one space axis always stays).
void tidyAxes(loop::Stage& stage);

}  // namespace fettle::ops
