// SPDX-License-Identifier: GPL-3.0-or-later
// Graph passes, in the order they run. Each is a function Graph -> Result<Graph> (fuse ends the list); each is checked
// by running the model before and after on the reference evaluator (tests).
//
// The passes that need operator knowledge (folding runs the reference; layouts and fusion ask for the fusion class)
// get it through OpTraits, so that graph/ does not know ops/.
#pragma once

#include <functional>

#include "core/graph/graph.h"
#include "core/graph/kind.h"
#include "core/support/error.h"

namespace fettle::graph {

struct OpTraits {
    // 0 anchor, 1 elementwise, 2 injective, 3 opaque (ops::Fusion)
    std::function<int(const Node&)> fusion;
    std::function<OpKind(const Node&)> kind;
    std::function<Result<std::vector<Tensor>>(const Node&, std::span<const Tensor* const>)> evaluate;
    std::function<bool(const Graph&, const Node&)> canLower;
};

struct PassOptions {
    int lanes = 16;                     // vector width in float32 elements; 1: no blocking
    int64_t foldLimitBytes = 64 << 20;  // do not fold into larger constants
};

Result<Graph> foldConstants(Graph graph, const OpTraits& traits, const PassOptions& options);
Result<Graph> simplify(Graph graph,
                       const OpTraits& traits);  // identities, no-op reshapes, cancelling transposes, dead code
Result<Graph> foldBatchNorm(Graph graph);        // BatchNormalization into the Conv/Gemm before it
Result<Graph> recognisePatterns(Graph graph);    // spelt-out LayerNorm, GELU, ... to one node
Result<Graph> chooseLayouts(
    Graph graph, const OpTraits& traits,
    const PassOptions& options);  // NCHWc, halo, packed weights; inserts fettle.Reorder at edges
Result<FusedGraph> fuse(Graph graph, const OpTraits& traits);

// All of the above, in order.
Result<FusedGraph> optimise(Graph graph, const OpTraits& traits, const PassOptions& options);

}  // namespace fettle::graph
