// SPDX-License-Identifier: GPL-3.0-or-later
// Which operator has which loop form. registry() fills OpRow::lower from it.
#pragma once

#include <string_view>

#include "core/ops/op.h"

namespace fettle::ops {

// Empty when the operator has none (it may still be folded away).
Lower lowerOf(std::string_view domain, std::string_view name);

}  // namespace fettle::ops
