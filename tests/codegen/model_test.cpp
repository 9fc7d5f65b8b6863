// SPDX-License-Identifier: GPL-3.0-or-later
// Whole models and the other artefacts.
#include <cstring>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/schedule/trace.h"
#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace fettle::codegen::testing {
namespace {

using loop::sample::matmul;

// Two matmuls in a row: X[3,20] * W0[20,32] -> arena -> * W1[32,5] -> Y.
ModelPlan twoLayers(const graph::Tensor& w0, const graph::Tensor& w1) {
    ModelPlan plan;
    plan.name = "two_layers";
    plan.modelSha256 = "0";
    plan.inputs = {{"x", {graph::DType::Float32, {3, 20}, {}}}};
    plan.outputs = {{"y", {graph::DType::Float32, {3, 5}, {}}}};
    plan.tasks = {matmul(3, 32, 20), matmul(3, 5, 32)};
    plan.tasks[0] = *schedule::replay(plan.tasks[0], *schedule::parse("parallel matmul m\n"));
    const auto align = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
    plan.constants.resize(align(w0.data().size()) + align(w1.data().size()));
    std::memcpy(plan.constants.data(), w0.data().data(), w0.data().size());
    std::memcpy(plan.constants.data() + align(w0.data().size()), w1.data().data(), w1.data().size());
    using Space = BufferRef::Space;
    plan.arenaBytes = 3 * 32 * 4;
    plan.steps = {{0, "first", {{Space::Input, 0, 0}, {Space::Constant, 0, 0}, {Space::Arena, 0, 0}}},
                  {1,
                   "second",
                   {{Space::Arena, 0, 0},
                    {Space::Constant, 0, static_cast<int64_t>(align(w0.data().size()))},
                    {Space::Output, 0, 0}}}};
    return plan;
}

struct Aligned {
    alignas(64) float x[60], y[15], arena[96];
};

TEST(Model, RunsItsStepsInOrder) {
    const graph::Tensor w0 = graph::randomTensor({graph::DType::Float32, {20, 32}, {}}, 1);
    const graph::Tensor w1 = graph::randomTensor({graph::DType::Float32, {32, 5}, {}}, 2);
    const auto built = buildModel(twoLayers(w0, w1), target::detectHost());
    ASSERT_TRUE(built) << built.error().message();
    const auto library = LoadedTask::load(built->sharedObject);
    const auto query = reinterpret_cast<fettle_query_fn>(library->symbol("fettle_two_layers_query"));
    const auto run = reinterpret_cast<fettle_run_fn>(library->symbol("fettle_two_layers_run"));
    ASSERT_TRUE(query && run);
    EXPECT_EQ(library->symbol("fettle_runtime_run"), nullptr);
    const fettle_info* info = query(FETTLE_ABI_MAJOR);
    ASSERT_TRUE(info);
    EXPECT_STREQ(info->model_name, "two_layers");
    EXPECT_EQ(info->input_count, 1u);
    EXPECT_STREQ(info->inputs[0].name, "x");
    EXPECT_EQ(info->inputs[0].bytes, 240u);
    EXPECT_EQ(info->inputs[0].dims[1], 20);
    EXPECT_STREQ(info->step_names[1], "second");
    Aligned memory{};
    const graph::Tensor x = graph::randomTensor({graph::DType::Float32, {3, 20}, {}}, 3);
    std::memcpy(memory.x, x.data().data(), sizeof memory.x);
    const fettle_buffer in{memory.x, sizeof memory.x}, out{memory.y, sizeof memory.y};
    for (const uint32_t threads : {1u, 2u}) {
        std::memset(memory.y, 0xff, sizeof memory.y);
        fettle_call call{};
        call.struct_size = sizeof call;
        call.threads = threads;
        call.inputs = &in;
        call.outputs = &out;
        call.workspace = memory.arena;
        call.workspace_bytes = sizeof memory.arena;
        ASSERT_EQ(run(&call), FETTLE_OK);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 5; ++j) {
                double want = 0;
                for (int k = 0; k < 32; ++k) {
                    double hidden = 0;
                    for (int l = 0; l < 20; ++l)
                        hidden += memory.x[i * 20 + l] * w0.as<float>()[static_cast<size_t>(l * 32 + k)];
                    want += std::max(hidden, 0.0) * w1.as<float>()[static_cast<size_t>(k * 5 + j)];
                }
                EXPECT_NEAR(memory.y[i * 5 + j], std::max(want, 0.0), 1e-5);
            }
    }
}

TEST(Model, RefusesAPlanThatDoesNotFit) {
    const graph::Tensor w = graph::randomTensor({graph::DType::Float32, {20, 32}, {}}, 1);
    ModelPlan plan = twoLayers(w, w);
    plan.steps[1].buffers.pop_back();
    const auto built = buildModel(plan, target::detectHost());
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().why, "step second has 2 buffers for 3 tensors");
}

TEST(Artefacts, ShowWhatWasBuilt) {
    const auto program = schedule::replay(matmul(24, 32, 64, 16),
                                          *schedule::parse("split matmul.n 16 -> n0 nv\nsplit matmul.m 12 -> mo "
                                                           "mi\nreorder matmul n0 mo\nmicrokernel matmul mi nv\n"));
    const auto built = buildTask(*program, target::detectHost(), {true, true, true, true});
    ASSERT_TRUE(built) << built.error().message();
    EXPECT_NE(built->llvmIr.find("define i32 @fettle_task("), std::string::npos);
    EXPECT_NE(built->assembly.find("fettle_task"), std::string::npos);
    EXPECT_NE(built->mca.find("Total Cycles"), std::string::npos);
    EXPECT_EQ(built->stats.vectorSpills, 0);
    if (target::detectHost().lanes() == 16) {
        EXPECT_EQ(built->stats.hotFmas, 12);
    }
}

TEST(Artefacts, RefuseTooMuchUnrolling) {
    auto program = matmul(40, 40, 64);
    for (loop::Loop& one : program.nests[0].loops) one.kind = loop::LoopKind::Unrolled;
    const auto built = buildTask(program, target::detectHost(), {});
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().why, "more than 512 copies of the body are unrolled");
}

TEST(Artefacts, CompileForEveryPreset) {
    const auto program = schedule::replay(
        matmul(24, 32, 64, 16),
        *schedule::parse("split matmul.n 16 -> n0 nv\nreorder matmul n0 m k nv\nvectorize matmul.nv\n"));
    for (const target::Target& preset : target::presets()) {
        const auto built = buildTask(*program, preset, {});
        EXPECT_TRUE(built) << preset.name << ": " << built.error().message();
    }
}

}  // namespace
}  // namespace fettle::codegen::testing
