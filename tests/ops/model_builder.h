// SPDX-License-Identifier: GPL-3.0-or-later
// Small graphs for tests, written as a person would: shapes of results follow from the registry's rules.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/op.h"
#include "core/support/random.h"

namespace fettle::test {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Attributes = std::map<std::string, graph::Attribute>;

class ModelBuilder {
public:
    explicit ModelBuilder(int opset = 17) : opset_(opset) { graph.name = "test"; }

    ValueId input(const std::string& name, Shape shape, DType dtype = DType::Float32) {
        graph::Value value;
        value.name = name;
        value.type = {dtype, std::move(shape), {}};
        graph.inputs.push_back(graph.addValue(std::move(value)));
        return graph.inputs.back();
    }

    ValueId constant(const std::string& name, Tensor tensor) {
        graph::Value value;
        value.name = name;
        value.type = tensor.type;
        value.constant = std::move(tensor);
        return graph.addValue(std::move(value));
    }

    ValueId weights(Shape shape) {
        const std::string name = "w" + std::to_string(graph.values.size());
        return constant(name, graph::randomTensor({DType::Float32, std::move(shape), {}}, graph.values.size()));
    }

    ValueId numbers(Shape shape, const std::vector<double>& values, DType dtype = DType::Float32) {
        return constant("k" + std::to_string(graph.values.size()), graph::fromDoubles(dtype, std::move(shape), values));
    }

    ValueId ints(const std::vector<int64_t>& values) {
        return constant(
            "i" + std::to_string(graph.values.size()),
            graph::tensorOf<int64_t>(DType::Int64, {static_cast<int64_t>(values.size())}, std::span(values)));
    }

    // All outputs of a new node.
    std::vector<ValueId> nodes(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {},
                               size_t outputs = 1) {
        graph::Node node;
        node.op = op;
        node.name = op + "_" + std::to_string(graph.nodes.size());
        node.opset = opset_;
        node.inputs = std::move(inputs);
        node.attributes = std::move(attributes);
        node.outputs.assign(outputs, graph::kNone);
        const ops::OpRow* row = ops::findOp("", op, opset_);
        if (!row) throw std::runtime_error("no operator " + op);
        ops::NodeView view{&node, {}, {}};
        for (ValueId id : node.inputs) {
            const graph::Value* value = id == graph::kNone ? nullptr : &graph.values[static_cast<size_t>(id)];
            view.types.push_back(value ? &value->type : nullptr);
            view.constants.push_back(value && value->constant ? &*value->constant : nullptr);
        }
        const auto types = row->shape(view);
        if (!types) throw std::runtime_error(types.error().message());
        for (size_t i = 0; i < outputs; ++i) {
            graph::Value value;
            value.name = node.name + ":" + std::to_string(i);
            value.type = (*types)[i];
            value.producer = static_cast<graph::NodeId>(graph.nodes.size());
            node.outputs[i] = graph.addValue(std::move(value));
        }
        graph.nodes.push_back(node);
        return node.outputs;
    }

    ValueId node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
        return nodes(op, std::move(inputs), std::move(attributes))[0];
    }

    graph::Graph finish(const std::vector<ValueId>& outputs) {
        graph.outputs = outputs;
        return graph;
    }

    graph::Graph graph;

private:
    int opset_;
};

}  // namespace fettle::test
