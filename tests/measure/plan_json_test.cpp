// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/plan_json.h"

#include <gtest/gtest.h>

#include "tests/measure/matmul_plan.h"

namespace fettle::measure {
namespace {

TEST(PlanJson, RoundTrips) {
    const codegen::ModelPlan plan = sample::matmulPlan();
    const auto back = planFromJson(planJson(plan), plan.constants);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(planJson(*back), planJson(plan));
    EXPECT_EQ(back->constants, plan.constants);
    EXPECT_EQ(back->steps[0].name, "MatMul_0 + Relu_1");
    EXPECT_EQ(back->steps[0].group, 3);
    EXPECT_EQ(loop::print(back->tasks[0]), loop::print(plan.tasks[0]));
}

TEST(PlanJson, RefusesBuffersOutsideTheirMemory) {
    struct Case {
        const char* name;
        void (*spoil)(codegen::ModelPlan&);
    };
    const Case cases[] = {
        {"constant past its end", [](codegen::ModelPlan& p) { p.steps[0].buffers[1].offset += 64; }},
        {"negative offset", [](codegen::ModelPlan& p) { p.steps[0].buffers[1].offset = -64; }},
        {"offset that wraps", [](codegen::ModelPlan& p) { p.steps[0].buffers[1].offset = INT64_MAX; }},
        {"no such input", [](codegen::ModelPlan& p) { p.steps[0].buffers[0].index = 1; }},
        {"no such output", [](codegen::ModelPlan& p) { p.steps[0].buffers[2].index = -1; }},
        {"no such task", [](codegen::ModelPlan& p) { p.steps[0].task = 1; }},
        {"a buffer is missing", [](codegen::ModelPlan& p) { p.steps[0].buffers.pop_back(); }},
        {"arena too small",
         [](codegen::ModelPlan& p) { p.steps[0].buffers[2].space = codegen::BufferRef::Space::Arena; }},
    };
    for (const Case& each : cases) {
        codegen::ModelPlan plan = sample::matmulPlan();
        each.spoil(plan);
        EXPECT_FALSE(planFromJson(planJson(plan), plan.constants)) << each.name;
    }
    EXPECT_FALSE(planFromJson("{}", {}));
    EXPECT_FALSE(planFromJson("not json", {}));
}

}  // namespace
}  // namespace fettle::measure
