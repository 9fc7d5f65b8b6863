// SPDX-License-Identifier: GPL-3.0-or-later
// Words about a group for people: what its main operator does, and where in the model it sits.
#pragma once

#include <string>

#include "core/graph/graph.h"

namespace fettle::compile {

// "3x3, 64 to 128 channels, stride 2, pad 1", "Depthwise 3x3, stride 1, pad 1", "128x768x768 (MxNxK)"; or the shape of
// the output.
std::string detailText(const graph::Graph& graph, const graph::Group& group);

// "features/features.3" of a node named "/features/features.3/Conv"; empty when names carry no path.
std::string groupPath(const graph::Graph& graph, const graph::Group& group);

}  // namespace fettle::compile
