// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/passes.h"

#include <set>

#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

// Every output is made by a node of its own: one that is an input, a constant or listed twice gets a copy.
void copyBareOutputs(Graph& graph) {
    std::set<ValueId> made;
    for (ValueId& output : graph.outputs) {
        if (producerIdOf(graph, output) >= 0 && made.insert(output).second) continue;
        Value copy;
        copy.name = valueOf(graph, output).name;
        copy.type = valueOf(graph, output).type;
        copy.type.layout = {};
        Node node;
        node.name = "copy." + copy.name;
        node.op = "Identity";
        node.opset = 13;
        node.inputs = {output};
        output = graph.addValue(std::move(copy));
        node.outputs = {output};
        graph.nodes.push_back(std::move(node));
    }
    compact(graph);
}

}  // namespace

Result<FusedGraph> optimise(Graph graph, const OpTraits& traits, const PassOptions& options) {
    FETTLE_TRY(graph, foldConstants(std::move(graph), traits, options));
    FETTLE_TRY(graph, simplify(std::move(graph), traits));
    FETTLE_TRY(graph, foldConstants(std::move(graph), traits, options));
    FETTLE_TRY(graph, foldBatchNorm(std::move(graph)));
    FETTLE_TRY(graph, recognisePatterns(std::move(graph)));
    FETTLE_TRY(graph, simplify(std::move(graph), traits));
    copyBareOutputs(graph);
    FETTLE_TRY(graph, chooseLayouts(std::move(graph), traits, options));
    return fuse(std::move(graph), traits);
}

}  // namespace fettle::graph
