// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/lowering/window.h"

namespace fettle::ops {

bool staysInside(const Window& window, const graph::TensorType& input, bool halo) {
    for (size_t d = 0; d < window.rank(); ++d) {
        const size_t axis = 2 + d;
        const graph::Layout& layout = input.layout;
        const int64_t borderBefore = halo && axis < layout.haloBefore.size() ? layout.haloBefore[axis] : 0;
        const int64_t borderAfter = halo && axis < layout.haloAfter.size() ? layout.haloAfter[axis] : 0;
        if (window.padBefore[d] > borderBefore) return false;
        if (window.after(d, input.shape[axis]) > borderAfter) return false;
    }
    return true;
}

std::string spatialName(size_t dimension, size_t rank) {
    static const char* const kNames[] = {"d", "h", "w"};
    return rank <= 3 ? kNames[3 - rank + dimension] : "s" + std::to_string(dimension);
}

}  // namespace fettle::ops
