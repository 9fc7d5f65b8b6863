// SPDX-License-Identifier: GPL-3.0-or-later
// Resize-19 and Upsample-9 along one axis: each output coordinate is a weighted sum of a few input coordinates.
#pragma once

#include "core/ops/op.h"

namespace fettle::ops {

struct ResizeTap {
    int64_t index;  // input coordinate
    double weight;
};

struct ResizeAxis {
    int64_t extent = 1;                        // of the output
    std::vector<std::vector<ResizeTap>> taps;  // per output coordinate; empty: the axis is copied
};

// One per axis of the input. Needs the scales or sizes as constants in `view`.
Result<std::vector<ResizeAxis>> resizeAxes(const NodeView& view);

}  // namespace fettle::ops
