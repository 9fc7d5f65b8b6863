// SPDX-License-Identifier: GPL-3.0-or-later
// The machine's ceilings: multiply-adds on registers, and reading memory that fits no cache.
#pragma once

#include "core/measure/trial.h"

namespace fettle::measure::runner {

Roofline probeRoofline(int threads);  // about 0.3 s

}  // namespace fettle::measure::runner
