// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/passes.h"

namespace fettle::graph {

Result<FusedGraph> optimise(Graph graph, const OpTraits& traits, const PassOptions& options) {
    FETTLE_TRY(graph, foldConstants(std::move(graph), traits, options));
    FETTLE_TRY(graph, simplify(std::move(graph), traits));
    FETTLE_TRY(graph, foldConstants(std::move(graph), traits, options));
    FETTLE_TRY(graph, foldBatchNorm(std::move(graph)));
    FETTLE_TRY(graph, recognisePatterns(std::move(graph)));
    FETTLE_TRY(graph, simplify(std::move(graph), traits));
    FETTLE_TRY(graph, chooseLayouts(std::move(graph), traits, options));
    return fuse(std::move(graph), traits);
}

}  // namespace fettle::graph
