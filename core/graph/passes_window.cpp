// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/passes_window.h"

#include <algorithm>

#include "core/graph/passes_common.h"

namespace fettle::graph {

std::vector<Reach> windowReach(const Graph& graph, const Node& conv) {
    const Shape& input = valueOf(graph, conv.inputs[0]).type.shape;
    const Shape& weights = valueOf(graph, conv.inputs[1]).type.shape;
    const Shape& output = valueOf(graph, conv.outputs[0]).type.shape;
    const size_t rank = input.size() - 2;
    const std::vector<int64_t> strides = conv.intsOr("strides", std::vector<int64_t>(rank, 1));
    const std::vector<int64_t> dilations = conv.intsOr("dilations", std::vector<int64_t>(rank, 1));
    const std::vector<int64_t> pads = conv.intsOr("pads", std::vector<int64_t>(2 * rank, 0));
    const std::string automatic = conv.stringOr("auto_pad", "NOTSET");
    std::vector<Reach> result;
    for (size_t d = 0; d < rank; ++d) {
        const int64_t span = (output[2 + d] - 1) * strides[d] + (weights[2 + d] - 1) * dilations[d] + 1;
        int64_t before = automatic == "NOTSET" ? pads[d] : 0;
        if (automatic.starts_with("SAME")) {
            const int64_t total = std::max<int64_t>(0, span - input[2 + d]);
            before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        }
        result.push_back({before, std::max<int64_t>(0, span - before - input[2 + d])});
    }
    return result;
}

}  // namespace fettle::graph
