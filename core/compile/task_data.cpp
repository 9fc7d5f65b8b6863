// SPDX-License-Identifier: GPL-3.0-or-later
// Data to check and time one task with: the model's own constants, seeded activations, the reference's outputs.
#include <algorithm>
#include <cmath>

#include "core/compile/model.h"
#include "core/ops/op.h"

namespace fettle::compile {

using graph::Graph;
using graph::Group;
using graph::Node;
using graph::Tensor;
using graph::TensorType;

namespace {

// Integers below which an input is valid wherever a Gather of the group uses indices.
int64_t indexBound(const Graph& graph, const Group& group) {
    int64_t bound = 8;
    for (graph::NodeId id : group.nodes) {
        const Node& node = graph.nodes[static_cast<size_t>(id)];
        if (!node.op.starts_with("Gather")) continue;
        const graph::Shape& shape = graph.values[static_cast<size_t>(node.inputs[0])].type.shape;
        const int64_t axis = node.intOr("axis", 0);
        bound =
            std::min(bound, shape[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis)]);
    }
    return std::max<int64_t>(bound, 1);
}

// `positive`: away from zero and below none, for groups that take roots, logarithms or quotients of their inputs.
Tensor activation(const TensorType& type, uint64_t seed, int64_t bound, bool positive) {
    TensorType plain = type;
    plain.layout = {};
    Tensor tensor = graph::randomTensor(plain, seed);
    const bool integers = !graph::isFloat(type.dtype) && type.dtype != graph::DType::Bool;
    if (integers || positive) {
        std::vector<double> values = graph::toDoubles(tensor);
        for (double& value : values)
            value = integers ? static_cast<double>(static_cast<int64_t>(value) % bound) : std::fabs(value) + 0.5;
        tensor = graph::fromDoubles(type.dtype, type.shape, values);
    }
    return graph::relayout(tensor, type.layout);
}

}  // namespace

Result<measure::TaskData> makeTaskData(const OpenedModel& model, const Task& task, uint64_t seed) {
    const Graph& graph = model.fused.graph;
    const Group& group = model.fused.groups[static_cast<size_t>(task.groups.front())];
    const int64_t bound = indexBound(graph, group);
    measure::TaskData data;
    data.key = task.structuralHash;
    // Masked logits are rightly infinite; data on which most of the result is so would hide errors.
    struct Attempt {
        bool positive;
        int64_t bound;
    };
    double best = -1;
    for (const Attempt attempt : {Attempt{false, bound}, Attempt{false, std::min<int64_t>(bound, 2)},
                                  Attempt{true, std::min<int64_t>(bound, 2)}}) {
        std::vector<Tensor> inputs;
        for (size_t i = 0; i < group.inputs.size(); ++i) {
            const graph::Value& value = graph.values[static_cast<size_t>(group.inputs[i])];
            inputs.push_back(value.constant
                                 ? *value.constant
                                 : activation(value.type, seed * 1000003 + i, attempt.bound, attempt.positive));
        }
        FETTLE_TRY(auto expected, ops::evaluateGroup(graph, group, inputs));
        if (const double finite = graph::finiteShare(expected); finite > best) {
            best = finite;
            data.inputs = std::move(inputs);
            data.expected = std::move(expected);
        }
        if (best == 1) break;
    }
    if (best >= 0.5) return data;
    return fail(ErrorCode::Failed, "cannot check trials of " + task.name, model.name,
                "its reference gives infinities or NaN on every seeded input, which would hide errors");
}

}  // namespace fettle::compile
