// SPDX-License-Identifier: GPL-3.0-or-later
// The sliding window of Conv, ConvTranspose and the pools: kernel, stride, dilation and padding per spatial axis.
#pragma once

#include "core/ops/op.h"

namespace fettle::ops {

struct Window {
    std::vector<int64_t> kernel, stride, dilation, padBefore, padAfter;
    graph::Shape output;  // spatial extents
};

// Reads strides, dilations, pads, auto_pad and ceil_mode (ONNX Conv-22, MaxPool-22) for the given spatial extents.
Result<Window> windowOf(const graph::Node& node, const graph::Shape& spatial, std::vector<int64_t> kernel);

// ConvTranspose-22: also output_padding and output_shape. padBefore/padAfter are what is cut off the full output.
Result<Window> transposedWindowOf(const graph::Node& node, const graph::Shape& spatial, std::vector<int64_t> kernel);

}  // namespace fettle::ops
