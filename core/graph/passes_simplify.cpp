// SPDX-License-Identifier: GPL-3.0-or-later
// Simplification: each rule looks at one node and either rewrites it or leaves it; rules run until none applies.
#include <algorithm>
#include <numeric>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

using Rule = bool (*)(Graph&, NodeId);

Node& at(Graph& graph, NodeId id) {
    return graph.nodes[static_cast<size_t>(id)];
}

const TensorType& typeAt(const Graph& graph, ValueId id) {
    return valueOf(graph, id).type;
}

bool onlyFirstOutput(const Graph& graph, const Node& node) {
    const auto consumers = graph.consumers();
    for (size_t i = 1; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNone &&
            (isOutput(graph, node.outputs[i]) || !consumers[static_cast<size_t>(node.outputs[i])].empty()))
            return false;
    return true;
}

// Nodes that hand on their first input unchanged.
bool dropIdentity(Graph& graph, NodeId id) {
    const Node& node = at(graph, id);
    if (!node.domain.empty() || node.inputs.empty() || node.inputs[0] == kNone || node.outputs[0] == kNone)
        return false;
    const TensorType& in = typeAt(graph, node.inputs[0]);
    const TensorType& out = typeAt(graph, node.outputs[0]);
    if (in.dtype != out.dtype || in.shape != out.shape) return false;
    bool identity =
        node.op == "Identity" || node.op == "Cast" || node.op == "Expand" || node.op == "Tile" || isReshape(node);
    if (node.op == "Dropout") identity = onlyFirstOutput(graph, node);
    if (node.op == "Concat" || node.op == "Split" || node.op == "Sum" || node.op == "Max" || node.op == "Min" ||
        node.op == "Mean")
        identity = node.inputs.size() == 1 && node.outputs.size() == 1;
    if (node.op == "Slice") identity = node.inputs.size() < 5;  // without steps, an equal shape is all of it
    if (node.op == "Transpose") {
        const std::vector<int64_t> perm = node.intsOr("perm", {});
        identity = !perm.empty() && std::is_sorted(perm.begin(), perm.end());
    }
    return identity && bypass(graph, id, node.inputs[0]);
}

// x+0, x-0, x*1, x/1 where the constant does not broadcast x to another shape.
bool dropNeutral(Graph& graph, NodeId id) {
    const Node& node = at(graph, id);
    if (!node.domain.empty() || node.inputs.size() != 2) return false;
    const bool sum = node.op == "Add" || node.op == "Sub", product = node.op == "Mul" || node.op == "Div";
    if (!sum && !product) return false;
    const double neutral = sum ? 0 : 1;
    for (size_t i = 0; i < 2; ++i) {
        const bool commutes = node.op == "Add" || node.op == "Mul";
        if (i == 1 && !commutes) break;
        const auto constant = scalarConstant(graph, node.inputs[1 - i]);
        if (!constant || *constant != neutral) continue;
        if (typeAt(graph, node.inputs[i]).shape != typeAt(graph, node.outputs[0]).shape) continue;
        if (bypass(graph, id, node.inputs[i])) return true;
    }
    return false;
}

// Flatten, Squeeze, Unsqueeze and chains of them are one Reshape to a constant shape.
bool mergeReshapes(Graph& graph, NodeId id) {
    const Node node = at(graph, id);
    if (!isReshape(node) || node.outputs[0] == kNone) return false;
    const Shape shape = typeAt(graph, node.outputs[0]).shape;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return false;
    ValueId source = node.inputs[0];
    const Node* before = producerOf(graph, source);
    if (before && isReshape(*before)) source = before->inputs[0];
    const bool constantShape = node.op == "Reshape" && node.inputs.size() > 1 && graph.isConstant(node.inputs[1]) &&
                               toInts(*valueOf(graph, node.inputs[1]).constant) == shape;
    if (source == node.inputs[0] && constantShape) return false;
    const ValueId target = addInts(graph, valueOf(graph, node.outputs[0]).name + ".shape", shape);
    Node& changed = at(graph, id);
    changed.op = "Reshape";
    changed.opset = std::max(node.opset, 13);
    changed.attributes.clear();
    changed.inputs = {source, target};
    return true;
}

std::vector<int64_t> permOf(const Graph& graph, const Node& node) {
    std::vector<int64_t> reversed(typeAt(graph, node.inputs[0]).shape.size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return node.intsOr("perm", reversed);
}

bool mergeTransposes(Graph& graph, NodeId id) {
    const Node node = at(graph, id);
    if (!node.domain.empty() || node.op != "Transpose" || node.outputs[0] == kNone) return false;
    const Node* before = producerOf(graph, node.inputs[0]);
    if (!before || before->op != "Transpose" || !before->domain.empty()) return false;
    const std::vector<int64_t> first = permOf(graph, *before), second = permOf(graph, node);
    std::vector<int64_t> both;
    for (int64_t axis : second) both.push_back(first[static_cast<size_t>(axis)]);
    const ValueId source = before->inputs[0];
    at(graph, id).inputs[0] = source;
    at(graph, id).attributes["perm"] = both;
    return true;
}

// A transpose that only moves dimensions of extent 1 is a reshape.
bool transposeToReshape(Graph& graph, NodeId id) {
    const Node node = at(graph, id);
    if (!node.domain.empty() || node.op != "Transpose" || node.outputs[0] == kNone) return false;
    const Shape& in = typeAt(graph, node.inputs[0]).shape;
    int64_t last = -1;
    for (int64_t axis : permOf(graph, node)) {
        if (in[static_cast<size_t>(axis)] == 1) continue;
        if (axis < last) return false;
        last = axis;
    }
    at(graph, id).op = "Flatten";  // any reshape: mergeReshapes() gives it its form
    at(graph, id).attributes.clear();
    return mergeReshapes(graph, id);
}

// A constant right-hand side is transposed here, once.
bool gemmWithoutTransB(Graph& graph, NodeId id) {
    const Node node = at(graph, id);
    if (!node.domain.empty() || node.op != "Gemm" || node.intOr("transB", 0) == 0 || !graph.isConstant(node.inputs[1]))
        return false;
    const Value& b = valueOf(graph, node.inputs[1]);
    const int64_t n = b.type.shape[0], k = b.type.shape[1];
    const std::vector<double> values = toDoubles(*b.constant);
    std::vector<double> transposed(values.size());
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < k; ++j)
            transposed[static_cast<size_t>(j * n + i)] = values[static_cast<size_t>(i * k + j)];
    const ValueId changed = addConstant(graph, b.name + ".T", fromDoubles(b.type.dtype, {k, n}, transposed));
    at(graph, id).inputs[1] = changed;
    at(graph, id).attributes["transB"] = int64_t{0};
    return true;
}

constexpr Rule kRules[] = {dropIdentity,    dropNeutral,        mergeReshapes,
                           mergeTransposes, transposeToReshape, gemmWithoutTransB};

// Each output of a Split becomes a Slice, so that every reader can read through its own.
void splitToSlices(Graph& graph) {
    std::vector<Node> nodes;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const Node node = graph.nodes[n];
        if (!node.domain.empty() || node.op != "Split" || node.outputs.size() < 2) {
            nodes.push_back(node);
            continue;
        }
        const Shape& in = typeAt(graph, node.inputs[0]).shape;
        const int64_t given = node.intOr("axis", 0);
        const int64_t axis = given < 0 ? given + static_cast<int64_t>(in.size()) : given;
        int64_t start = 0;
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] == kNone) continue;
            const int64_t size = typeAt(graph, node.outputs[i]).shape[static_cast<size_t>(axis)];
            const std::string base = node.name + "." + std::to_string(i);
            Node slice;
            slice.name = base;
            slice.label = displayName(node) + "." + std::to_string(i);
            slice.op = "Slice";
            slice.opset = std::max(node.opset, 13);
            slice.outputs = {node.outputs[i]};
            slice.inputs = {node.inputs[0], addInts(graph, base + ".start", {start}),
                            addInts(graph, base + ".end", {start + size}), addInts(graph, base + ".axis", {axis})};
            start += size;
            nodes.push_back(std::move(slice));
        }
    }
    graph.nodes = std::move(nodes);
    compact(graph);
}

}  // namespace

Result<Graph> simplify(Graph graph, const OpTraits&) {
    compact(graph);
    splitToSlices(graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
            for (Rule rule : kRules)
                if (graph.nodes[static_cast<size_t>(id)].outputs[0] != kNone) changed |= rule(graph, id);
        compact(graph);
    }
    return graph;
}

}  // namespace fettle::graph
