// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/compile/inputs.h"
#include "core/ops/op.h"

namespace fettle::compile {

namespace {

// An integer input that a Gather uses as indices must lie inside what it gathers from; 0 where none does.
int64_t indexBound(const graph::Graph& graph, graph::ValueId input) {
    int64_t bound = 0;
    for (const graph::Node& node : graph.nodes) {
        if (!node.op.starts_with("Gather") || node.inputs.size() < 2 || node.inputs[1] != input) continue;
        const graph::Shape& shape = graph.values[static_cast<size_t>(node.inputs[0])].type.shape;
        const int64_t axis = node.intOr("axis", 0);
        const auto d = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
        bound = bound == 0 ? shape[d] : std::min(bound, shape[d]);
    }
    return bound;
}

}  // namespace

std::vector<graph::Tensor> seededInputs(const OpenedModel& model, uint64_t seed, int64_t integerLimit) {
    std::vector<graph::Tensor> inputs;
    for (const graph::ValueId id : model.original.inputs) {
        const graph::TensorType& type = model.original.values[static_cast<size_t>(id)].type;
        graph::Tensor tensor = graph::randomTensor(type, seed + inputs.size());
        int64_t bound = indexBound(model.original, id);
        bound = bound > 0 ? std::min(bound, integerLimit) : integerLimit;
        if (!graph::isFloat(type.dtype) && type.dtype != graph::DType::Bool) {
            std::vector<double> values = graph::toDoubles(tensor);
            for (double& value : values) value = std::fmod(value, static_cast<double>(bound));
            tensor = graph::fromDoubles(type.dtype, type.shape, values);
        }
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

std::vector<graph::TensorType> outputTypes(const codegen::ModelPlan& plan) {
    std::vector<graph::TensorType> types;
    for (const codegen::TensorInfo& output : plan.outputs) types.push_back(output.type);
    return types;
}

Result<Verification> verifyModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                 double tolerance, uint64_t seed) {
    auto inputs = seededInputs(model, seed);
    FETTLE_TRY(auto expected, ops::evaluateGraph(model.original, inputs));
    if (graph::finiteShare(expected) < 1) {  // an attention mask, say, must be 0 or 1
        inputs = seededInputs(model, seed, 2);
        FETTLE_TRY(expected, ops::evaluateGraph(model.original, inputs));
        if (graph::finiteShare(expected) < 0.5)
            return fail(ErrorCode::Failed, "cannot verify the model", model.name,
                        "the reference itself gives mostly infinities or NaN on seeded inputs, which would hide errors",
                        "Give real inputs with --data.");
    }
    FETTLE_TRY(const auto actual, evaluator.runModel(compiled.sharedObject, compiled.plan.name, inputs,
                                                     outputTypes(compiled.plan), compiled.plan.threads));
    if (expected.size() != actual.size())
        return fail(
            ErrorCode::Failed, "cannot verify the model", model.name,
            "it gives " + std::to_string(actual.size()) + " outputs and not " + std::to_string(expected.size()));
    Verification verification;
    verification.tolerance = tolerance;
    verification.ok = true;
    for (size_t i = 0; i < expected.size(); ++i) {
        const codegen::TensorInfo& info = compiled.plan.outputs[i];
        if (actual[i].type.shape != expected[i].type.shape || actual[i].type.dtype != expected[i].type.dtype)
            return fail(ErrorCode::Failed, "cannot verify the model", info.name,
                        "it is " + graph::typeText(actual[i].type) + " and not " + graph::typeText(expected[i].type));
        const graph::Difference difference = graph::compareTensors(actual[i], expected[i]);
        const bool ok = !difference.finiteMismatch && difference.maxRel <= tolerance;
        verification.outputs.push_back({info.name, info.type.shape, difference.maxAbs, difference.maxRel, ok});
        verification.ok = verification.ok && ok;
    }
    return verification;
}

}  // namespace fettle::compile
