// SPDX-License-Identifier: GPL-3.0-or-later
// How far a convolution reads beyond its input.
#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace fettle::graph {

struct Reach {
    int64_t before = 0, after = 0;  // elements, >= 0
};

// Per spatial dimension of a Conv; auto_pad is resolved from the shapes.
std::vector<Reach> windowReach(const Graph& graph, const Node& conv);

}  // namespace fettle::graph
