// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op.h"

namespace fettle::ops {

using graph::Graph;
using graph::kNone;
using graph::Node;
using graph::NodeId;
using graph::Tensor;
using graph::TensorType;
using graph::Value;
using graph::ValueId;

namespace {

// Values as they come to be, in plain layout; dropped after their last reader.
class Evaluation {
public:
    explicit Evaluation(const Graph& graph)
        : graph_(graph), tensors_(graph.values.size()), readers_(graph.values.size(), 0) {}

    void set(ValueId id, const Tensor& tensor) { tensors_[id] = relayout(tensor, {}); }
    void keep(ValueId id) {
        if (id != kNone) ++readers_[id];
    }
    const Tensor& get(ValueId id) {
        if (!tensors_[id].bytes && graph_.isConstant(id)) set(id, *graph_.values[id].constant);
        return tensors_[id];
    }

    Status run(const Node& node) {
        const OpRow* row = findOp(node.domain, node.op, node.opset);
        if (!row || !row->evaluate)
            return fail(ErrorCode::UnsupportedOperators, "cannot evaluate the model",
                        "node " + node.name + " (" + node.op + ")",
                        "the operator is not known for opset " + std::to_string(node.opset));
        std::vector<const Tensor*> inputs;
        for (ValueId id : node.inputs) inputs.push_back(id == kNone ? nullptr : &get(id));
        FETTLE_TRY(const std::vector<Tensor> outputs, row->evaluate(node, inputs));
        for (size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i)
            if (node.outputs[i] != kNone) tensors_[node.outputs[i]] = outputs[i];
        for (ValueId id : node.inputs)
            if (id != kNone && --readers_[id] == 0) tensors_[id] = {};
        return {};
    }

private:
    const Graph& graph_;
    std::vector<Tensor> tensors_;
    std::vector<int> readers_;
};

tl::unexpected<Error> wrongInputs(const std::string& why) {
    return fail(ErrorCode::Failed, "cannot evaluate the model", "", why);
}

Status checkInput(const Value& value, const Tensor& tensor) {
    if (tensor.type.dtype == value.type.dtype && tensor.type.shape == value.type.shape) return {};
    return wrongInputs("the input " + value.name + " is " + typeText(tensor.type) + "; the model wants " +
                       typeText(value.type));
}

Result<std::vector<Tensor>> evaluateNodes(const Graph& graph, const std::vector<const Node*>& nodes,
                                          const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs,
                                          const std::vector<Tensor>& tensors) {
    if (tensors.size() != inputs.size())
        return wrongInputs(std::to_string(tensors.size()) + " tensors were given for " + std::to_string(inputs.size()) +
                           " inputs");
    Evaluation evaluation(graph);
    for (size_t i = 0; i < inputs.size(); ++i) {
        FETTLE_CHECK(checkInput(graph.values[inputs[i]], tensors[i]));
        evaluation.set(inputs[i], tensors[i]);
    }
    for (const Node* node : nodes)
        for (ValueId id : node->inputs) evaluation.keep(id);
    for (ValueId id : outputs) evaluation.keep(id);
    for (const Node* node : nodes) FETTLE_CHECK(evaluation.run(*node));
    std::vector<Tensor> results;
    for (ValueId id : outputs) results.push_back(relayout(evaluation.get(id), graph.values[id].type.layout));
    return results;
}

}  // namespace

Result<std::vector<Tensor>> evaluateGraph(const Graph& graph, const std::vector<Tensor>& inputs) {
    std::vector<const Node*> nodes;
    for (const Node& node : graph.nodes) nodes.push_back(&node);
    return evaluateNodes(graph, nodes, graph.inputs, graph.outputs, inputs);
}

Result<std::vector<Tensor>> evaluateGroup(const Graph& graph, const graph::Group& group,
                                          const std::vector<Tensor>& inputs) {
    std::vector<const Node*> nodes;
    for (NodeId id : group.nodes) nodes.push_back(&graph.nodes[id]);
    return evaluateNodes(graph, nodes, group.inputs, group.outputs, inputs);
}

}  // namespace fettle::ops
