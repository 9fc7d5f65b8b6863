// SPDX-License-Identifier: GPL-3.0-or-later
// What the lowering of Conv, ConvTranspose and the pools asks of their window.
#pragma once

#include <string>

#include "core/graph/types.h"
#include "core/ops/family/window.h"

namespace fettle::ops {

// True when no window position leaves the tensor; with `halo`, or when it stays in a zero border around it.
bool staysInside(const Window& window, const graph::TensorType& input, bool halo);

// "h", "w" for two spatial dimensions, "w" for one, "d" "h" "w" for three.
std::string spatialName(size_t dimension, size_t rank);

}  // namespace fettle::ops
