// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns that exporters spell out, back to one node.
//   LayerNormalization   d = x - mean(x);  d / sqrt(mean(d^2) + epsilon) * gamma + beta
#include <algorithm>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

const Node* madeBy(const Graph& graph, ValueId id, const char* op) {
    const Node* node = producerOf(graph, id);
    return node && node->domain.empty() && node->op == op ? node : nullptr;
}

// ReduceMean over the last dimension, kept.
const Node* lastMean(const Graph& graph, ValueId id) {
    const Node* node = madeBy(graph, id, "ReduceMean");
    if (!node || node->intOr("keepdims", 1) == 0) return nullptr;
    const auto axes = axesOf(graph, *node);
    const auto rank = static_cast<int64_t>(valueOf(graph, node->inputs[0]).type.shape.size());
    if (!axes || axes->size() != 1 || ((*axes)[0] != -1 && (*axes)[0] != rank - 1)) return nullptr;
    return node;
}

// x - mean(x): gives x.
ValueId centredOf(const Graph& graph, ValueId id) {
    const Node* sub = madeBy(graph, id, "Sub");
    if (!sub) return kNone;
    const Node* mean = lastMean(graph, sub->inputs[1]);
    return mean && mean->inputs[0] == sub->inputs[0] ? sub->inputs[0] : kNone;
}

// d * d or d ^ 2: gives d.
ValueId squaredOf(const Graph& graph, ValueId id) {
    if (const Node* mul = madeBy(graph, id, "Mul"); mul && mul->inputs[0] == mul->inputs[1]) return mul->inputs[0];
    const Node* pow = madeBy(graph, id, "Pow");
    if (!pow || scalarConstant(graph, pow->inputs[1]) != 2.0) return kNone;
    return pow->inputs[0];
}

struct Normalised {
    ValueId x;
    double epsilon;
};

// d / sqrt(mean(d^2) + epsilon)
std::optional<Normalised> normalisedOf(const Graph& graph, ValueId id) {
    const Node* div = madeBy(graph, id, "Div");
    if (!div) return std::nullopt;
    const ValueId x = centredOf(graph, div->inputs[0]);
    const Node* root = madeBy(graph, div->inputs[1], "Sqrt");
    if (x == kNone || !root) return std::nullopt;
    const Node* sum = madeBy(graph, root->inputs[0], "Add");
    if (!sum) return std::nullopt;
    const size_t constant = graph.isConstant(sum->inputs[1]) ? 1 : 0;
    const auto epsilon = scalarConstant(graph, sum->inputs[constant]);
    const Node* mean = lastMean(graph, sum->inputs[1 - constant]);
    if (!epsilon || !mean) return std::nullopt;
    const ValueId centred = squaredOf(graph, mean->inputs[0]);
    if (centred == kNone || centredOf(graph, centred) != x) return std::nullopt;
    return Normalised{x, *epsilon};
}

// The operand of a two-operand node that is a constant vector over the last dimension of x; -1 when neither is.
int vectorOperand(const Graph& graph, const Node& node, int64_t size) {
    for (int i = 0; i < 2; ++i) {
        const ValueId id = node.inputs[static_cast<size_t>(i)];
        if (graph.isConstant(id) && valueOf(graph, id).type.shape == Shape{size}) return i;
    }
    return -1;
}

// `id` is the Mul by gamma; the Add of beta after it is taken along when it is the only reader.
bool foldLayerNorm(Graph& graph, NodeId id, const std::vector<std::vector<NodeId>>& consumers) {
    const Node scale = graph.nodes[static_cast<size_t>(id)];
    if (!scale.domain.empty() || scale.op != "Mul" || scale.inputs.size() != 2) return false;
    const int64_t size =
        valueOf(graph, scale.outputs[0]).type.shape.empty() ? 0 : valueOf(graph, scale.outputs[0]).type.shape.back();
    const int gamma = vectorOperand(graph, scale, size);
    if (gamma < 0) return false;
    const auto normalised = normalisedOf(graph, scale.inputs[static_cast<size_t>(1 - gamma)]);
    if (!normalised) return false;

    NodeId last = id;
    ValueId beta = kNone;
    const auto& readers = consumers[static_cast<size_t>(scale.outputs[0])];
    if (readers.size() == 1 && !isOutput(graph, scale.outputs[0])) {
        const Node& shift = graph.nodes[static_cast<size_t>(readers[0])];
        const int operand = shift.op == "Add" && shift.domain.empty() ? vectorOperand(graph, shift, size) : -1;
        if (operand >= 0 && shift.inputs[static_cast<size_t>(1 - operand)] == scale.outputs[0]) {
            beta = shift.inputs[static_cast<size_t>(operand)];
            last = readers[0];
        }
    }
    Node& node = graph.nodes[static_cast<size_t>(last)];
    node.op = "LayerNormalization";
    node.opset = 17;
    node.attributes = {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(normalised->epsilon)}};
    node.inputs = {normalised->x, scale.inputs[static_cast<size_t>(gamma)]};
    if (beta != kNone) node.inputs.push_back(beta);
    return true;
}

}  // namespace

Result<Graph> recognisePatterns(Graph graph) {
    const auto consumers = graph.consumers();
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) foldLayerNorm(graph, id, consumers);
    compact(graph);
    return graph;
}

}  // namespace fettle::graph
