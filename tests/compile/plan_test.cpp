// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/compile/memory.h"
#include "core/onnx/import.h"
#include "core/space/design_space.h"
#include "core/support/random.h"
#include "tests/compile/run_plan.h"
#include "tests/ops/model_builder.h"

namespace fettle::test {
namespace {

target::Target targetWith(int lanes) {
    target::Target target;
    target.vectorBits = lanes * 32;
    return target;
}

codegen::ModelPlan planOf(const compile::OpenedModel& model, const target::Target& target) {
    auto plan = compile::planModel(model, std::vector<schedule::Trace>(model.tasks.size()), target, 1);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
    return plan ? *plan : codegen::ModelPlan{};
}

// Opens, plans, runs; the outputs must be those of the reference on the graph as imported.
codegen::ModelPlan checkPlan(const graph::Graph& graph, int lanes, uint64_t seed) {
    const target::Target target = targetWith(lanes);
    const auto model = compile::openGraph(graph, "sha", target);
    EXPECT_TRUE(model) << (model ? "" : model.error().message());
    if (!model) return {};
    const codegen::ModelPlan plan = planOf(*model, target);
    // views have no step, so a step's place is not its group's
    for (const codegen::Step& step : plan.steps) {
        const auto group = static_cast<size_t>(step.group);
        EXPECT_EQ(step.name, model->groupNames[group]);
        EXPECT_EQ(step.task, model->taskOfGroup[group]);
    }
    std::vector<graph::Tensor> inputs;
    for (graph::ValueId id : graph.inputs)
        inputs.push_back(graph::randomTensor(graph.values[static_cast<size_t>(id)].type, ++seed));
    const auto expected = ops::evaluateGraph(graph, inputs);
    EXPECT_TRUE(expected) << (expected ? "" : expected.error().message());
    const std::vector<graph::Tensor> actual = runPlan(plan, inputs);
    for (size_t i = 0; i < actual.size(); ++i) {
        const graph::Difference difference = graph::compareTensors(actual[i], (*expected)[i]);
        EXPECT_FALSE(difference.finiteMismatch) << plan.outputs[i].name;
        EXPECT_LT(difference.maxRel, 1e-4) << plan.outputs[i].name;
    }
    return plan;
}

// Live buffers never overlap, every offset is aligned, and the arena is no larger than all buffers together.
TEST(Memory, LiveBuffersNeverOverlap) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        Rng rng(seed);
        std::vector<compile::Lifetime> lives;
        int64_t all = 0;
        for (int64_t i = 0, n = 1 + rng.below(40); i < n; ++i) {
            const int first = static_cast<int>(rng.below(30));
            lives.push_back({rng.below(5000), first, first + static_cast<int>(rng.below(6)), 0});
            all += (lives.back().bytes + 63) / 64 * 64;
        }
        const int64_t arena = compile::placeBestFit(lives);
        EXPECT_LE(arena, all);
        for (size_t i = 0; i < lives.size(); ++i) {
            EXPECT_EQ(lives[i].offset % 64, 0);
            EXPECT_LE(lives[i].offset + lives[i].bytes, arena);
            for (size_t j = 0; j < i; ++j) {
                const bool together = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
                const bool apart = lives[i].offset + lives[i].bytes <= lives[j].offset ||
                                   lives[j].offset + lives[j].bytes <= lives[i].offset;
                EXPECT_TRUE(!together || apart) << seed;
            }
        }
    }
}

TEST(Memory, ReusesWhatIsOver) {
    std::vector<compile::Lifetime> chain;
    for (int i = 0; i < 10; ++i) chain.push_back({640, i, i + 1, 0});
    EXPECT_EQ(compile::placeBestFit(chain), 2 * 640);
}

// Two branches of one input meet in a concat over whole blocks: the concat costs no step.
TEST(Plan, ConcatOfWholeBlocksIsAView) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 6, 6});
    const Attributes padded = {{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    const ValueId stem = m.node("Relu", {m.node("Conv", {x, m.weights({8, 3, 3, 3})}, padded)});
    const ValueId a = m.node("Relu", {m.node("Conv", {stem, m.weights({8, 8, 1, 1})})});
    const ValueId b = m.node("Relu", {m.node("Conv", {stem, m.weights({16, 8, 3, 3})}, padded)});
    const ValueId both = m.node("Concat", {a, b}, {{"axis", int64_t{1}}});
    const ValueId y = m.node("Conv", {both, m.weights({8, 24, 3, 3})}, padded);
    const auto plan = checkPlan(m.finish({m.node("Sigmoid", {y})}), 8, 1);
    EXPECT_EQ(plan.steps.size(), 6u);       // halo of x, four convolutions, plain output
    EXPECT_EQ(plan.steps.back().group, 6);  // of seven groups; the concat has no step
}

// The same with 12 channels in front: the second part starts inside a block, so it is copied.
TEST(Plan, ConcatInsideABlockIsCopied) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 6, 6});
    const ValueId a = m.node("Conv", {x, m.weights({12, 3, 1, 1})});
    const ValueId b = m.node("Conv", {x, m.weights({16, 3, 1, 1})});
    const ValueId both = m.node("Concat", {a, b}, {{"axis", int64_t{1}}});
    const auto plan = checkPlan(m.finish({m.node("Conv", {both, m.weights({8, 28, 3, 3})})}), 8, 1);
    EXPECT_EQ(plan.steps.size(), 5u);
}

TEST(Plan, ReshapeOfAnInputIsAView) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3, 4});
    const ValueId flat = m.node("Reshape", {x, m.ints({2, 12})});
    const ValueId a = m.node("MatMul", {flat, m.weights({12, 5})}), b = m.node("MatMul", {flat, m.weights({12, 6})});
    const auto plan = checkPlan(m.finish({m.node("Relu", {a}), m.node("Tanh", {b})}), 8, 1);
    EXPECT_EQ(plan.steps.size(), 2u);
}

// Outputs that are an input, a constant, or the same value twice.
TEST(Plan, BareOutputsAreCopied) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3});
    const ValueId y = m.node("Relu", {x}), k = m.node("Neg", {m.weights({4})});
    const auto plan = checkPlan(m.finish({y, x, k, y}), 8, 1);
    EXPECT_EQ(plan.outputs.size(), 4u);
    EXPECT_EQ(plan.steps.size(), 4u);
}

// Such a target has no lanes at all; blocks of one channel are no blocks.
TEST(Plan, ScalarTargetsHaveSchedulesToo) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 6, 6});
    ValueId v = m.node("Relu", {m.node("Conv", {x, m.weights({8, 3, 3, 3})})});
    v = m.node("Softmax", {m.node("Flatten", {m.node("GlobalAveragePool", {v})})}, {{"axis", int64_t{-1}}});
    const graph::Graph graph = m.finish({v});
    checkPlan(graph, 0, 1);
    const auto model = compile::openGraph(graph, "sha", targetWith(0));
    ASSERT_TRUE(model) << model.error().message();
    for (const compile::Task& task : model->tasks) {
        const auto scheduled = schedule::replay(task.program, space::defaultTrace(task.program, targetWith(0), 2));
        ASSERT_TRUE(scheduled) << scheduled.error().message();
        EXPECT_EQ(loop::print(*scheduled).find("vectorized"), std::string::npos);
    }
}

TEST(Plan, WantsOneTraceATask) {
    ModelBuilder m;
    const auto model = compile::openGraph(m.finish({m.node("Relu", {m.input("x", {2, 3})})}), "sha", targetWith(8));
    ASSERT_TRUE(model) << model.error().message();
    const auto plan = compile::planModel(*model, {}, targetWith(8), 1);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().why, "0 traces for 1 tasks");
}

TEST(Plan, EqualGroupsAreOneTask) {
    ModelBuilder m;
    ValueId v = m.input("x", {1, 16});
    for (int i = 0; i < 3; ++i) v = m.node("Relu", {m.node("MatMul", {v, m.weights({16, 16})})});
    const graph::Graph graph = m.finish({v});
    const auto model = compile::openGraph(graph, "sha", targetWith(8));
    ASSERT_TRUE(model) << model.error().message();
    ASSERT_EQ(model->tasks.size(), 1u);
    EXPECT_EQ(model->tasks[0].weight, 3);
    EXPECT_EQ(model->tasks[0].detail, "1x16x16 (MxNxK)");
    EXPECT_EQ(model->tasks[0].name, "MatMul_0 + Relu_1");
    checkPlan(graph, 8, 3);
}

TEST(Plan, SmallModelsRunAsPlanned) {
    const std::filesystem::path models = std::filesystem::path(FETTLE_SOURCE_DIR) / "../shared/models";
    if (!std::filesystem::exists(models)) GTEST_SKIP() << "no models beside the source";
    for (const char* name :
         {"sample/digits_mobilenet", "real/mnist_cntk", "real/mnist_mlp", "real/keras_mlp", "real/policy_go1"}) {
        SCOPED_TRACE(name);
        const auto model = onnx::importModel(models / name / "model.onnx");
        ASSERT_TRUE(model) << model.error().message();
        checkPlan(model->graph, 16, 5);
    }
}

// Seeded, physical, and what the reference says of them.
TEST(TaskData, FitsTheProgram) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 6, 6}), table = m.weights({5, 4});
    const ValueId ids = m.input("ids", {2, 3}, DType::Int64);
    const ValueId y = m.node("Conv", {x, m.weights({8, 3, 3, 3})}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    const auto model =
        compile::openGraph(m.finish({y, m.node("Gather", {table, ids}), m.node("Sqrt", {x})}), "sha", targetWith(8));
    ASSERT_TRUE(model) << model.error().message();
    for (const compile::Task& task : model->tasks) {
        SCOPED_TRACE(task.name);
        const auto data = compile::makeTaskData(*model, task, 7), again = compile::makeTaskData(*model, task, 7);
        ASSERT_TRUE(data && again) << (data ? "" : data.error().message());
        size_t t = 0;
        for (size_t i = 0; i < data->inputs.size(); ++i, ++t) {
            EXPECT_EQ(data->inputs[i].type, task.program.tensors[t].type);
            EXPECT_TRUE(std::ranges::equal(data->inputs[i].data(), again->inputs[i].data()));
        }
        for (const graph::Tensor& tensor : data->expected) {
            EXPECT_EQ(tensor.type, task.program.tensors[t++].type);
            for (double value : graph::toDoubles(tensor)) EXPECT_TRUE(std::isfinite(value));
        }
    }
}

}  // namespace
}  // namespace fettle::test
