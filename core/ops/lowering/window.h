// SPDX-License-Identifier: GPL-3.0-or-later
// The sliding window of Conv, ConvTranspose and the pools: attributes with their defaults, paddings resolved.
#pragma once

#include <string>
#include <vector>

#include "core/ops/lowering/lowering.h"

namespace fettle::ops {

struct Window {
    std::vector<int64_t> kernel, stride, dilation, padBefore, padAfter;  // one per spatial dimension

    size_t rank() const { return kernel.size(); }
    // How many elements before the first and after the last one the window reaches, over all `outputs` positions.
    int64_t before(size_t d) const { return padBefore[d]; }
    int64_t after(size_t d, int64_t input, int64_t outputs) const {
        return (outputs - 1) * stride[d] + (kernel[d] - 1) * dilation[d] - padBefore[d] - (input - 1);
    }
};

// auto_pad (SAME_UPPER ...) is resolved from the shapes; [N, C, spatial...].
Window windowOf(const graph::Node& node, const graph::Shape& kernel, const graph::Shape& input,
                const graph::Shape& output);

// True when no window position leaves the tensor; with `halo`, or when it stays in a zero border around it.
bool staysInside(const Window& window, const graph::TensorType& input, const graph::Shape& output, bool halo);

// "h", "w" for two spatial dimensions, "w" for one, "d" "h" "w" for three.
std::string spatialName(size_t dimension, size_t rank);

}  // namespace fettle::ops
