// SPDX-License-Identifier: GPL-3.0-or-later
// One matrix product with a rectifier as a task with its data, and as a whole model.
#pragma once

#include "core/codegen/model_plan.h"
#include "core/measure/evaluator.h"
#include "tests/loop/sample_programs.h"

namespace fettle::measure::sample {

inline constexpr int64_t kM = 33, kN = 40, kK = 20;

inline loop::LoopProgram matmul() {
    return loop::sample::matmul(kM, kN, kK);
}

inline TaskData matmulData() {
    TaskData data;
    data.key = 11;
    data.inputs = {graph::randomTensor({graph::DType::Float32, {kM, kK}, {}}, 1),
                   graph::randomTensor({graph::DType::Float32, {kK, kN}, {}}, 2)};
    const auto a = data.inputs[0].as<float>(), b = data.inputs[1].as<float>();
    std::vector<float> c;
    for (int64_t m = 0; m < kM; ++m)
        for (int64_t n = 0; n < kN; ++n) {
            double sum = 0;
            for (int64_t k = 0; k < kK; ++k)
                sum += double{a[static_cast<size_t>(m * kK + k)]} * double{b[static_cast<size_t>(k * kN + n)]};
            c.push_back(static_cast<float>(std::max(sum, 0.0)));
        }
    data.expected = {graph::tensorOf<float>(graph::DType::Float32, {kM, kN}, c)};
    return data;
}

inline codegen::ModelPlan matmulPlan() {
    using Space = codegen::BufferRef::Space;
    const TaskData data = matmulData();
    codegen::ModelPlan plan;
    plan.name = "product";
    plan.modelSha256 = "ab";
    plan.inputs = {{"A", data.inputs[0].type}};
    plan.outputs = {{"C", data.expected[0].type}};
    plan.tasks = {matmul()};
    plan.steps = {{0, "MatMul_0 + Relu_1", {{Space::Input, 0, 0}, {Space::Constant, 0, 0}, {Space::Output, 0, 0}}, 3}};
    plan.constants.assign(data.inputs[1].data().begin(), data.inputs[1].data().end());
    return plan;
}

}  // namespace fettle::measure::sample
