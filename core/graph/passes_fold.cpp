// SPDX-License-Identifier: GPL-3.0-or-later
// Folding: a node whose inputs are all constant becomes a constant, up to a size; so does what only asks for shapes.
#include <algorithm>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

bool isRandom(const Node& node) {
    return node.op.starts_with("Random") || node.op == "Multinomial" || node.op == "Bernoulli";
}

// Shape and Size depend on the type of their input only, and types are static.
std::optional<Tensor> shapeQuery(const Graph& graph, const Node& node) {
    if (!node.domain.empty() || (node.op != "Shape" && node.op != "Size")) return std::nullopt;
    const Shape& shape = valueOf(graph, node.inputs[0]).type.shape;
    if (node.op == "Size") {
        const int64_t count = elementCount(shape);
        return tensorOf<int64_t>(DType::Int64, {}, std::span(&count, 1));
    }
    const auto rank = static_cast<int64_t>(shape.size());
    const auto clamp = [rank](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
    const int64_t start = clamp(node.intOr("start", 0)), end = std::max(start, clamp(node.intOr("end", rank)));
    const Shape part(shape.begin() + start, shape.begin() + end);
    return tensorOf<int64_t>(DType::Int64, {end - start}, std::span(part));
}

bool isFoldable(const Graph& graph, const Node& node, const PassOptions& options) {
    if (isRandom(node)) return false;
    int64_t bytes = 0;
    for (ValueId id : node.outputs)
        if (id != kNone) bytes += physicalBytes(valueOf(graph, id).type);
    if (bytes > options.foldLimitBytes) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId id) { return id == kNone || graph.isConstant(id); });
}

}  // namespace

Result<Graph> foldConstants(Graph graph, const OpTraits& traits, const PassOptions& options) {
    std::vector<bool> dead(graph.nodes.size(), false);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const Node& node = graph.nodes[n];
        std::vector<Tensor> results;
        if (auto shape = shapeQuery(graph, node)) {
            results.push_back(std::move(*shape));
        } else if (isFoldable(graph, node, options)) {
            std::vector<const Tensor*> inputs;
            for (ValueId id : node.inputs) inputs.push_back(id == kNone ? nullptr : &*valueOf(graph, id).constant);
            auto evaluated = traits.evaluate(node, inputs);
            if (!evaluated || evaluated->size() < node.outputs.size()) continue;  // it may still run later
            results = std::move(*evaluated);
        } else {
            continue;
        }
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] == kNone) continue;
            Value& value = valueOf(graph, node.outputs[i]);
            value.type = results[i].type;
            value.constant = std::move(results[i]);
            value.producer = -1;
        }
        dead[n] = true;
    }
    compact(graph, dead);
    return graph;
}

}  // namespace fettle::graph
