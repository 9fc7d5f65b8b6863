// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/inputs.h"
#include "core/ops/op.h"

namespace fettle::compile {

std::vector<graph::Tensor> seededInputs(const OpenedModel& model, uint64_t seed) {
    std::vector<graph::Tensor> inputs;
    for (const graph::ValueId id : model.original.inputs)
        inputs.push_back(
            graph::randomTensor(model.original.values[static_cast<size_t>(id)].type, seed + inputs.size()));
    return inputs;
}

std::vector<graph::TensorType> outputTypes(const codegen::ModelPlan& plan) {
    std::vector<graph::TensorType> types;
    for (const codegen::TensorInfo& output : plan.outputs) types.push_back(output.type);
    return types;
}

Result<Verification> verifyModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                 double tolerance, uint64_t seed) {
    const auto inputs = seededInputs(model, seed);
    FETTLE_TRY(const auto expected, ops::evaluateGraph(model.original, inputs));
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
