// SPDX-License-Identifier: GPL-3.0-or-later
// The whole way: loop program -> builder process -> shared object -> runner process -> result.
#include "core/measure/evaluator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/measure/matmul_plan.h"

namespace fettle::measure {
namespace {

class EvaluatorTest : public testing::Test {
protected:
    void SetUp() override {
        if (::access(FETTLE_PROGRAMS "/fettle-worker", X_OK) != 0) GTEST_SKIP() << "fettle-worker is not built";
        auto started = Evaluator::start(target::detectHost(), options_);
        ASSERT_TRUE(started) << started.error().message();
        evaluator_ = std::move(*started);
    }
    std::vector<TrialResult> run(const std::vector<Job>& jobs, const CancelToken& cancel = {}) {
        std::vector<TrialResult> results;
        const auto status = evaluator_->measure(jobs, {}, cancel, [&](size_t i, TrialResult result) {
            EXPECT_EQ(i, results.size());
            results.push_back(std::move(result));
        });
        EXPECT_TRUE(status) << status.error().message();
        return results;
    }
    WorkerOptions options_{FETTLE_PROGRAMS, std::chrono::seconds(30), std::chrono::seconds(10), -1};
    std::unique_ptr<Evaluator> evaluator_;
    TaskData data_ = sample::matmulData();
};

TEST_F(EvaluatorTest, BuildsChecksAndTimesInOrder) {
    TaskData wrong = data_;
    wrong.key = 12;
    wrong.expected[0] = graph::randomTensor(data_.expected[0].type, 9);
    loop::LoopProgram illegal = sample::matmul();
    illegal.nests[0].loops[0].kind = loop::LoopKind::Vectorized;  // not the innermost
    const Job good{sample::matmul(), &data_, 0};
    const auto results = run({good, {sample::matmul(), &wrong, 0}, {illegal, &data_, 0}, good});
    ASSERT_EQ(results.size(), 4u);
    EXPECT_EQ(results[0].status, TrialStatus::Ok) << results[0].error;
    EXPECT_GT(results[0].compileMs, 0);
    EXPECT_GT(results[0].minNs, 100);
    EXPECT_LT(results[0].maxRelError, 1e-5);
    EXPECT_EQ(results[1].status, TrialStatus::WrongResult) << results[1].error;
    EXPECT_EQ(results[2].status, TrialStatus::BuildError) << results[2].error;
    EXPECT_EQ(results[2].error.substr(0, 13), "build error: ");
    EXPECT_EQ(results[3].status, TrialStatus::Ok) << results[3].error;
}

TEST_F(EvaluatorTest, CancelledJobsSaySo) {
    CancelToken cancel;
    std::vector<TrialResult> results;
    const std::vector<Job> jobs(6, Job{sample::matmul(), &data_, 0});
    ASSERT_TRUE(evaluator_->measure(jobs, {}, cancel, [&](size_t, TrialResult result) {
        results.push_back(std::move(result));
        if (results.size() == 2) cancel.cancel();
    }));
    ASSERT_EQ(results.size(), 6u);
    EXPECT_EQ(results[1].status, TrialStatus::Ok) << results[1].error;
    for (size_t i = 2; i < results.size(); ++i) EXPECT_EQ(results[i].status, TrialStatus::Cancelled);
    EXPECT_EQ(run({jobs[0]})[0].status, TrialStatus::Ok);  // and goes on after it
}

TEST_F(EvaluatorTest, ListsWhatItBuilds) {
    const auto built = evaluator_->build(sample::matmul(), {false, true, true, false});
    ASSERT_TRUE(built) << built.error().message();
    EXPECT_NE(built->llvmIr.find("fettle_task"), std::string::npos);
    EXPECT_NE(built->assembly.find("fettle_task"), std::string::npos);
}

TEST_F(EvaluatorTest, BuildsRunsAndTimesAModel) {
    const codegen::ModelPlan plan = sample::matmulPlan();
    const auto built = evaluator_->buildModel(plan);
    ASSERT_TRUE(built) << built.error().message();
    const std::vector<graph::Tensor> inputs{data_.inputs[0]};
    for (const int threads : {1, 2}) {
        const auto outputs =
            evaluator_->runModel(built->sharedObject, plan.name, inputs, {plan.outputs[0].type}, threads);
        ASSERT_TRUE(outputs) << outputs.error().message();
        EXPECT_LT(graph::compareTensors((*outputs)[0], data_.expected[0]).maxRel, 1e-5);
    }
    const auto timings = evaluator_->timeModel(built->sharedObject, plan.name, inputs, 1, 7, 0, true, {});
    ASSERT_TRUE(timings) << timings.error().message();
    ASSERT_EQ(timings->runNs.size(), 7u);
    ASSERT_EQ(timings->stepNs.size(), 7u);
    ASSERT_EQ(timings->stepNs[0].size(), 1u);
    EXPECT_LE(timings->stepNs[0][0], timings->runNs[0]);
    EXPECT_GT(timings->peakBytes, 33 * 20 * 4);
}

TEST_F(EvaluatorTest, NamesInputsThatDoNotFit) {
    const codegen::ModelPlan plan = sample::matmulPlan();
    const auto built = evaluator_->buildModel(plan);
    ASSERT_TRUE(built) << built.error().message();
    const auto none = evaluator_->runModel(built->sharedObject, plan.name, {}, {plan.outputs[0].type}, 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().why, "it has 1 inputs and 0 were given");
    const auto other = evaluator_->runModel(built->sharedObject, "other", {data_.inputs[0]}, {}, 1);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().why, "it does not export fettle_other_query");
}

}  // namespace
}  // namespace fettle::measure
