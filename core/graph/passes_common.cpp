// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/passes_common.h"

#include <algorithm>
#include <queue>

namespace fettle::graph {

bool isOutput(const Graph& graph, ValueId id) {
    return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

NodeId producerIdOf(const Graph& graph, ValueId id) {
    return id == kNone ? -1 : valueOf(graph, id).producer;
}

const Node* producerOf(const Graph& graph, ValueId id) {
    const NodeId node = producerIdOf(graph, id);
    return node < 0 ? nullptr : &graph.nodes[static_cast<size_t>(node)];
}

ValueId addConstant(Graph& graph, const std::string& name, Tensor tensor) {
    Value value;
    value.name = name;
    value.type = tensor.type;
    value.constant = std::move(tensor);
    return graph.addValue(std::move(value));
}

ValueId addInts(Graph& graph, const std::string& name, const std::vector<int64_t>& values) {
    return addConstant(graph, name,
                       tensorOf<int64_t>(DType::Int64, {static_cast<int64_t>(values.size())}, std::span(values)));
}

void replaceUses(Graph& graph, ValueId from, ValueId to) {
    for (Node& node : graph.nodes)
        for (ValueId& input : node.inputs)
            if (input == from) input = to;
}

bool bypass(Graph& graph, NodeId id, ValueId in) {
    const ValueId out = graph.nodes[static_cast<size_t>(id)].outputs[0];
    if (!isOutput(graph, out)) {
        replaceUses(graph, out, in);
        graph.nodes[static_cast<size_t>(id)].outputs[0] = kNone;
        return true;
    }
    const NodeId producer = producerIdOf(graph, in);
    if (producer < 0 || isOutput(graph, in)) return false;
    for (ValueId& output : graph.nodes[static_cast<size_t>(producer)].outputs)
        if (output == in) output = out;
    valueOf(graph, out).producer = producer;
    valueOf(graph, in).producer = -1;
    graph.nodes[static_cast<size_t>(id)].outputs[0] = kNone;
    replaceUses(graph, in, out);
    return true;
}

void compact(Graph& graph, std::vector<bool> dead) {
    dead.resize(graph.nodes.size(), false);
    std::vector<int> readers(graph.values.size(), 0);
    for (ValueId id : graph.outputs) ++readers[static_cast<size_t>(id)];
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        if (!dead[n])
            for (ValueId id : graph.nodes[n].inputs)
                if (id != kNone) ++readers[static_cast<size_t>(id)];
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        const bool wanted = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
            return id != kNone && readers[static_cast<size_t>(id)] > 0;
        });
        if (dead[n] || wanted) continue;
        dead[n] = true;
        for (ValueId id : node.inputs)
            if (id != kNone) --readers[static_cast<size_t>(id)];
    }
    std::vector<Node> kept;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        if (!dead[n]) kept.push_back(std::move(graph.nodes[n]));
    graph.nodes = std::move(kept);
    for (size_t v = 0; v < graph.values.size(); ++v) {
        graph.values[v].producer = -1;
        if (readers[v] == 0) graph.values[v].constant.reset();
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        for (ValueId id : graph.nodes[n].outputs)
            if (id != kNone) valueOf(graph, id).producer = static_cast<NodeId>(n);
}

void sortNodes(Graph& graph) {
    const size_t count = graph.nodes.size();
    std::vector<int> maker(graph.values.size(), -1), waiting(count, 0);
    for (size_t n = 0; n < count; ++n)
        for (ValueId id : graph.nodes[n].outputs)
            if (id != kNone) maker[static_cast<size_t>(id)] = static_cast<int>(n);
    std::vector<std::vector<size_t>> next(count);
    for (size_t n = 0; n < count; ++n)
        for (ValueId id : graph.nodes[n].inputs)
            if (id != kNone && maker[static_cast<size_t>(id)] >= 0) {
                next[static_cast<size_t>(maker[static_cast<size_t>(id)])].push_back(n);
                ++waiting[n];
            }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t n = 0; n < count; ++n)
        if (waiting[n] == 0) ready.push(n);
    std::vector<Node> sorted;
    while (!ready.empty()) {
        const size_t n = ready.top();
        ready.pop();
        sorted.push_back(graph.nodes[n]);
        for (size_t reader : next[n])
            if (--waiting[reader] == 0) ready.push(reader);
    }
    graph.nodes = std::move(sorted);
    compact(graph);
}

std::optional<double> scalarConstant(const Graph& graph, ValueId id) {
    if (!graph.isConstant(id) || elementCount(valueOf(graph, id).type.shape) != 1) return std::nullopt;
    return toDoubles(*valueOf(graph, id).constant)[0];
}

std::optional<std::vector<int64_t>> axesOf(const Graph& graph, const Node& node) {
    if (node.attributes.contains("axes")) return node.intsOr("axes", {});
    if (node.inputs.size() > 1 && graph.isConstant(node.inputs[1]))
        return toInts(*valueOf(graph, node.inputs[1]).constant);
    return std::nullopt;
}

bool isReshape(const Node& node) {
    static const char* const kOps[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    return node.domain.empty() &&
           std::any_of(std::begin(kOps), std::end(kOps), [&](const char* op) { return node.op == op; });
}

bool isOneToOneMove(const Node& node) {
    return isReshape(node) || (node.domain.empty() && (node.op == "Transpose" || node.op == "DepthToSpace" ||
                                                       node.op == "SpaceToDepth" || node.op == "Identity"));
}

}  // namespace fettle::graph
