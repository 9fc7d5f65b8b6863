// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/lowering/window.h"

namespace fettle::ops {

Window windowOf(const graph::Node& node, const graph::Shape& kernel, const graph::Shape& input,
                const graph::Shape& output) {
    const size_t rank = kernel.size();
    Window window;
    window.kernel = kernel;
    window.stride = node.intsOr("strides", std::vector<int64_t>(rank, 1));
    window.dilation = node.intsOr("dilations", std::vector<int64_t>(rank, 1));
    const std::vector<int64_t> pads = node.intsOr("pads", std::vector<int64_t>(2 * rank, 0));
    const std::string automatic = node.stringOr("auto_pad", "NOTSET");
    for (size_t d = 0; d < rank; ++d) {
        int64_t before = pads[d], after = pads[rank + d];
        if (automatic == "VALID") before = after = 0;
        if (automatic.starts_with("SAME")) {
            const int64_t reach = (kernel[d] - 1) * window.dilation[d] + 1;
            const int64_t total = std::max<int64_t>(0, (output[2 + d] - 1) * window.stride[d] + reach - input[2 + d]);
            before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
            after = total - before;
        }
        window.padBefore.push_back(before);
        window.padAfter.push_back(after);
    }
    return window;
}

bool staysInside(const Window& window, const graph::TensorType& input, const graph::Shape& output, bool halo) {
    for (size_t d = 0; d < window.rank(); ++d) {
        const size_t axis = 2 + d;
        const graph::Layout& layout = input.layout;
        const int64_t borderBefore = halo && axis < layout.haloBefore.size() ? layout.haloBefore[axis] : 0;
        const int64_t borderAfter = halo && axis < layout.haloAfter.size() ? layout.haloAfter[axis] : 0;
        if (window.before(d) > borderBefore) return false;
        if (window.after(d, input.shape[axis], output[axis]) > borderAfter) return false;
    }
    return true;
}

std::string spatialName(size_t dimension, size_t rank) {
    static const char* const kNames[] = {"d", "h", "w"};
    return rank <= 3 ? kNames[3 - rank + dimension] : "s" + std::to_string(dimension);
}

}  // namespace fettle::ops
