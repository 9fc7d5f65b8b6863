// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/compile/model.h"
#include "core/support/format.h"

namespace fettle::compile {
namespace {

// Hands out prepared times; counts how the turns alternate.
class Canned : public measure::Evaluator {
public:
    Status measure(std::span<const measure::Job>, const measure::EvaluatorConfig&, const CancelToken&,
                   const std::function<void(size_t, measure::TrialResult)>&) override {
        return fail(ErrorCode::Failed, "not here", "", "");
    }
    Result<codegen::Built> build(const loop::LoopProgram&, const codegen::Artefacts&) override {
        return fail(ErrorCode::Failed, "not here", "", "");
    }
    Result<codegen::Built> buildModel(const codegen::ModelPlan&) override {
        return fail(ErrorCode::Failed, "not here", "", "");
    }
    Result<std::vector<graph::Tensor>> runModel(std::span<const std::byte>, const std::string&,
                                                const std::vector<graph::Tensor>&,
                                                const std::vector<graph::TensorType>&, int) override {
        return fail(ErrorCode::Failed, "not here", "", "");
    }
    Result<measure::ModelTimings> timeModel(std::span<const std::byte>, const std::string&,
                                            const std::vector<graph::Tensor>&, int, int runs, double, bool perStep,
                                            const CancelToken& cancel) override {
        if (cancel.cancelled()) return fail(ErrorCode::Cancelled, "the timing was stopped", "", "it was cancelled");
        turns += perStep ? 's' : 'w';
        measure::ModelTimings timings;
        for (int i = 0; i < runs; ++i) {
            timings.runNs.push_back(1000 + 10 * calls);
            if (perStep) {
                std::vector<int64_t> steps = base;
                for (int64_t& step : steps) step += calls % 3 * 10;  // median +10, minimum +0, maximum +20
                timings.stepNs.push_back(steps);
            }
            ++calls;
        }
        return timings;
    }
    Result<measure::Roofline> measureRoofline(int) override { return measure::Roofline{}; }

    std::vector<int64_t> base{100, 200, 300, 50};
    std::string turns;
    int calls = 0;
};

OpenedModel opened() {
    OpenedModel model;
    model.name = "net";
    model.groupNames = {"Conv_0", "view", "Conv_1", "Add_2", "Conv_3"};
    model.groupPaths = {"features/0", "", "features/1", "", "features/1"};
    model.taskOfGroup = {0, 1, 0, 1, 0};
    for (int i = 0; i < 2; ++i) {
        Task task;
        task.kind = i == 0 ? graph::OpKind::Convolution : graph::OpKind::Elementwise;
        task.flops = i == 0 ? 1000 : 10;
        model.tasks.push_back(task);
    }
    return model;
}

CompiledModel compiled() {
    CompiledModel result;
    result.plan.name = "net";
    result.plan.steps = {{0, "Conv_0", {}, 0}, {0, "Conv_1", {}, 2}, {1, "Add_2", {}, 3}, {0, "Conv_3", {}, 4}};
    return result;
}

std::string print(const Profile& profile) {
    std::string text;
    for (const Span& span : profile.spans) {
        int depth = 0;
        for (int at = span.parent; at >= 0; at = profile.spans[static_cast<size_t>(at)].parent) ++depth;
        text += std::string(static_cast<size_t>(depth) * 2, ' ') + span.name + " [" + graph::kindLetter(span.kind) +
                "] at " + formatDouble(span.startNs, 0) + " for " + formatDouble(span.durationNs, 0) + " self " +
                formatDouble(span.selfNs, 0) + " in " + formatDouble(span.minNs, 0) + ".." +
                formatDouble(span.maxNs, 0) + " flops " + formatDouble(span.flops, 0) + "\n";
    }
    return text;
}

TEST(Profile, NestsOperatorsUnderTheirPaths) {
    Canned evaluator;
    const auto profile = profileModel(opened(), compiled(), evaluator, 2, 9, {});
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_EQ(print(*profile),
              "net [O] at 0 for 690 self 0 in 650..730 flops 3010\n"
              "  features [O] at 0 for 320 self 0 in 300..340 flops 2000\n"
              "    0 [O] at 0 for 110 self 0 in 100..120 flops 1000\n"
              "      Conv_0 [C] at 0 for 110 self 110 in 100..120 flops 1000\n"
              "    1 [O] at 110 for 210 self 0 in 200..220 flops 1000\n"
              "      Conv_1 [C] at 110 for 210 self 210 in 200..220 flops 1000\n"
              "  Add_2 [E] at 320 for 310 self 310 in 300..320 flops 10\n"
              "  features [O] at 630 for 60 self 0 in 50..70 flops 1000\n"
              "    1 [O] at 630 for 60 self 0 in 50..70 flops 1000\n"
              "      Conv_3 [C] at 630 for 60 self 60 in 50..70 flops 1000\n");
    EXPECT_EQ(profile->runs, 9);
    EXPECT_EQ(profile->threads, 2);
    EXPECT_GT(profile->spread, 0);
    EXPECT_LE(profile->minNs, profile->totalNs);
}

TEST(Profile, WholeAndSteppedRunsTakeTurns) {
    Canned evaluator;
    ASSERT_TRUE(profileModel(opened(), compiled(), evaluator, 1, 20, {}));
    EXPECT_EQ(evaluator.turns, "wwswswswsws");  // the first is the warm-up
    Canned once;
    ASSERT_TRUE(profileModel(opened(), compiled(), once, 1, 1, {}));
    EXPECT_EQ(once.turns, "wws");
}

TEST(Profile, StopsWhenCancelledAndRefusesStepsThatDoNotFit) {
    Canned evaluator;
    CancelToken cancel;
    cancel.cancel();
    const auto stopped = profileModel(opened(), compiled(), evaluator, 1, 5, cancel);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
    evaluator.base.pop_back();
    const auto odd = profileModel(opened(), compiled(), evaluator, 1, 5, {});
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().why, "it reported 3 steps of 4");
}

}  // namespace
}  // namespace fettle::compile
