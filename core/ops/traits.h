// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph passes may know about operators, from the registry.
#pragma once

#include "core/graph/passes.h"

namespace fettle::ops {

graph::OpTraits traits();

}  // namespace fettle::ops
