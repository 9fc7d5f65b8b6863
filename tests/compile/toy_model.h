// SPDX-License-Identifier: GPL-3.0-or-later
// The model of tests/runtime/models/toy.c, y = max(2 a + b, 0) + 0.5, as an opened and compiled model, and an
// evaluator that runs it in the real runner (nothing is compiled: there is no builder).
#pragma once

#include <fstream>

#include "core/compile/model.h"
#include "core/measure/runner_client.h"

namespace fettle::compile::toy {

inline graph::Tensor scalar(float value) {
    return graph::tensorOf<float>(graph::DType::Float32, {1}, std::span<const float>(&value, 1));
}

inline OpenedModel opened() {
    const graph::TensorType type{graph::DType::Float32, {4, 250}, {}};
    OpenedModel model;
    model.name = "toy";
    graph::Graph& graph = model.original;
    const auto value = [&](const char* name, int producer) { return graph.addValue({name, type, producer, {}}); };
    const auto constant = [&](const char* name, float x) {
        const graph::Tensor tensor = scalar(x);
        return graph.addValue({name, tensor.type, -1, tensor});
    };
    const auto a = value("a", -1), b = value("b", -1);
    const auto twice = value("twice", 0), sum = value("sum", 1), positive = value("positive", 2), y = value("y", 3);
    const auto two = constant("two", 2), half = constant("half", 0.5f);
    const auto node = [&](const char* name, const char* op, std::vector<graph::ValueId> in, graph::ValueId out) {
        graph.nodes.push_back({name, "", op, "", 13, std::move(in), {out}, {}});
    };
    node("Mul_0", "Mul", {a, two}, twice);
    node("Add_1", "Add", {twice, b}, sum);
    node("Relu_2", "Relu", {sum}, positive);
    node("Add_3", "Add", {positive, half}, y);
    graph.inputs = {a, b};
    graph.outputs = {y};
    model.groupNames = {"Affine_0", "Relu_1 + Add_2"};
    model.groupPaths = {"body/first", "body/second"};
    model.taskOfGroup = {0, 1};
    for (int i = 0; i < 2; ++i) {
        Task task;
        task.id = i;
        task.name = model.groupNames[static_cast<size_t>(i)];
        task.kind = graph::OpKind::Elementwise;
        task.flops = 2000;
        model.tasks.push_back(task);
    }
    return model;
}

inline CompiledModel compiled() {
    const graph::TensorType type{graph::DType::Float32, {4, 250}, {}};
    CompiledModel result;
    result.plan.name = "toy";
    result.plan.modelSha256 = "00";
    result.plan.inputs = {{"a", type}, {"b", type}};
    result.plan.outputs = {{"y", type}};
    result.plan.steps = {{0, "Affine_0", {}, 0}, {1, "Relu_1 + Add_2", {}, 1}};
    result.plan.arenaBytes = 4032;
    std::ifstream file(std::string(FETTLE_MODELS) + "/toy.so", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    result.sharedObject.assign(bytes, bytes + text.size());
    return result;
}

class RunnerOnly : public measure::Evaluator {
public:
    Status measure(std::span<const measure::Job>, const measure::EvaluatorConfig&, const CancelToken&,
                   const std::function<void(size_t, measure::TrialResult)>&) override {
        return fail(ErrorCode::Failed, "no builder", "", "");
    }
    Result<codegen::Built> build(const loop::LoopProgram&, const codegen::Artefacts&) override {
        return fail(ErrorCode::Failed, "no builder", "", "");
    }
    Result<codegen::Built> buildModel(const codegen::ModelPlan&) override {
        return fail(ErrorCode::Failed, "no builder", "", "");
    }
    Result<std::vector<graph::Tensor>> runModel(std::span<const std::byte> object, const std::string& name,
                                                const std::vector<graph::Tensor>& inputs,
                                                const std::vector<graph::TensorType>& outputs, int threads) override {
        FETTLE_TRY(const auto model, runner_.loadModel(object, name, inputs));
        return runner_.runModel(model, outputs, threads);
    }
    Result<measure::ModelTimings> timeModel(std::span<const std::byte> object, const std::string& name,
                                            const std::vector<graph::Tensor>& inputs, int threads, int runs,
                                            double minSeconds, bool perStep, const CancelToken& cancel) override {
        FETTLE_TRY(const auto model, runner_.loadModel(object, name, inputs));
        return runner_.timeModel(model, threads, runs, minSeconds, perStep, cancel);
    }
    Result<measure::Roofline> measureRoofline(int threads) override { return runner_.measureRoofline(threads); }

private:
    measure::RunnerClient runner_{{FETTLE_PROGRAMS, std::chrono::seconds(10), std::chrono::seconds(10), -1},
                                  std::make_shared<measure::SpawnThread>()};
};

}  // namespace fettle::compile::toy
