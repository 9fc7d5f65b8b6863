// SPDX-License-Identifier: GPL-3.0-or-later
#include <queue>

#include "core/onnx/steps.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

namespace {

// Follows inputs among the nodes that wait for each other until one comes again.
std::string cycleText(const Graph& graph, const std::vector<int>& waiting) {
    NodeId at = 0;
    while (waiting[at] == 0) ++at;
    std::vector<NodeId> path;
    std::vector<bool> seen(graph.nodes.size(), false);
    while (!seen[at]) {
        seen[at] = true;
        path.push_back(at);
        for (ValueId input : graph.nodes[at].inputs) {
            const NodeId producer = input < 0 ? -1 : graph.values[input].producer;
            if (producer >= 0 && waiting[producer] > 0) {
                at = producer;
                break;
            }
        }
    }
    std::string text = shown(graph.nodes[at].name);
    int named = 0;
    for (size_t i = path.size(); i-- > 0;) {
        if (++named > 20) return text.append(" -> ...");
        text.append(" -> ").append(shown(graph.nodes[path[i]].name));
        if (path[i] == at) break;
    }
    return text;
}

}  // namespace

Status sortNodes(ImportedModel& model) {
    Graph& graph = model.graph;
    const auto readers = graph.consumers();
    std::vector<int> waiting(graph.nodes.size(), 0);
    for (size_t v = 0; v < graph.values.size(); ++v)
        if (graph.values[v].producer >= 0)
            for (NodeId reader : readers[v]) ++waiting[reader];
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        if (waiting[n] == 0) ready.push(static_cast<NodeId>(n));
    std::vector<NodeId> order;
    while (!ready.empty()) {
        const NodeId next = ready.top();
        ready.pop();
        order.push_back(next);
        for (ValueId output : graph.nodes[next].outputs) {
            if (output < 0) continue;
            for (NodeId reader : readers[output])
                if (--waiting[reader] == 0) ready.push(reader);
        }
    }
    if (order.size() != graph.nodes.size())
        return fail(ErrorCode::BadModel, "the model is not valid", "graph",
                    std::string("the nodes form a cycle: ").append(cycleText(graph, waiting)));
    if (std::is_sorted(order.begin(), order.end())) return {};
    model.warnings.push_back("The nodes of the model are not in topological order; they were sorted.");
    std::vector<Node> nodes;
    for (NodeId old : order) {
        nodes.push_back(std::move(graph.nodes[old]));
        for (ValueId output : nodes.back().outputs)
            if (output >= 0) graph.values[output].producer = static_cast<NodeId>(nodes.size() - 1);
    }
    graph.nodes = std::move(nodes);
    return {};
}

}  // namespace fettle::onnx
