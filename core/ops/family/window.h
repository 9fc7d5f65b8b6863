// SPDX-License-Identifier: GPL-3.0-or-later
// The sliding window of Conv, ConvTranspose and the pools: kernel, stride, dilation and padding per spatial axis.
#pragma once

#include "core/ops/op.h"

namespace fettle::ops {

struct Window {
    std::vector<int64_t> kernel, stride, dilation, padBefore, padAfter;
    graph::Shape output;  // spatial extents

    size_t rank() const { return kernel.size(); }
    // How many elements beyond the last of `input` the window reaches at its last position; negative: it stays inside.
    int64_t after(size_t d, int64_t input) const {
        return (output[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] - padBefore[d] - (input - 1);
    }
};

// The spatial extents of [N, C, spatial...], or of weights [OC, IC, kernel...].
inline graph::Shape spatialOf(const graph::Shape& shape) {
    return {shape.begin() + 2, shape.end()};
}

// Reads strides, dilations, pads, auto_pad and ceil_mode (ONNX Conv-22, MaxPool-22) for the given spatial extents.
Result<Window> windowOf(const graph::Node& node, const graph::Shape& spatial, std::vector<int64_t> kernel);

// ConvTranspose-22: also output_padding and output_shape. padBefore/padAfter are what is cut off the full output.
Result<Window> transposedWindowOf(const graph::Node& node, const graph::Shape& spatial, std::vector<int64_t> kernel);

}  // namespace fettle::ops
