// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/schedule/trace.h"
#include "core/space/design_space.h"
#include "tests/space/programs.h"

namespace fettle::cost {
namespace {

const target::Target kTarget = testing::targetOf(512, 32);

// Candidates of a task with a latency that follows from features in a way no single one gives away.
std::vector<Sample> synthetic(const loop::LoopProgram& program, int task, int count, uint64_t seed) {
    const space::DesignSpace space = space::designSpace(program, kTarget, 1);
    Analyser analyser(kTarget, 1);
    Rng rng(seed);
    std::vector<Sample> samples;
    for (int k = 0; k < count; ++k) {
        const auto scheduled = schedule::replay(program, *space.trace(space.sample(rng)));
        Sample sample{analyser.features(*scheduled), task, 0};
        double rows = 1, unroll = 1, inner = 1;
        for (const loop::Loop& loop : scheduled->nests.back().loops) {
            if (loop.kind == loop::LoopKind::Unrolled) rows *= static_cast<double>(loop.extent);
            if (loop.kind == loop::LoopKind::Vectorized) unroll = static_cast<double>(loop.extent);
            if (loop.kind == loop::LoopKind::Serial) inner = static_cast<double>(loop.extent);
        }
        sample.latencyNs = 1e5 * (1 + std::abs(std::log2(rows) - 4)) / std::sqrt(unroll) * (1 + 0.1 * std::log2(inner));
        samples.push_back(std::move(sample));
    }
    return samples;
}

TEST(Ranks, spearmanSharesTies) {
    EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
    EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
    EXPECT_DOUBLE_EQ(spearman({1, 1, 2, 2}, {1, 1, 2, 2}), 1);
    EXPECT_NEAR(spearman({1, 2, 2, 4}, {1, 3, 2, 4}), 0.9486832980505138, 1e-12);
    EXPECT_EQ(spearman({1, 1, 1}, {1, 2, 3}), 0);
    EXPECT_EQ(spearman({1}, {1}), 0);
}

TEST(Ranks, topKCountsTheBestThatWerePredicted) {
    EXPECT_DOUBLE_EQ(topKRecall({0.9, 0.8, 0.1, 0.2}, {10, 40, 20, 30}, 2), 0.5);
    EXPECT_DOUBLE_EQ(topKRecall({0.9, 0.1, 0.8, 0.2}, {10, 40, 20, 30}, 2), 1);
    EXPECT_DOUBLE_EQ(topKRecall({0.9}, {10}, 8), 1);
    EXPECT_DOUBLE_EQ(topKRecall({}, {}, 8), 0);
}

TEST(CostModel, learnsWhatItHasNotSeen) {
    auto model = makeXgboostModel(1);
    std::vector<Sample> samples = synthetic(testing::conv(64, 64, 14, 3, 1, 16), 0, 200, 1);
    const std::vector<Sample> other = synthetic(testing::matmul(1, 128, 256, 192, true, false), 1, 200, 2);
    samples.insert(samples.end(), other.begin(), other.end());
    ASSERT_TRUE(model->train(samples));
    EXPECT_EQ(model->version(), 1);
    for (const auto& [program, task] : {std::pair{testing::conv(64, 64, 14, 3, 1, 16), 0},
                                        std::pair{testing::matmul(1, 128, 256, 192, true, false), 1}}) {
        std::vector<FeatureRows> rows;
        std::vector<double> throughput;
        for (Sample& sample : synthetic(program, task, 100, 99)) {
            rows.push_back(std::move(sample.rows));
            throughput.push_back(1 / sample.latencyNs);
        }
        EXPECT_GT(spearman(model->predict(rows), throughput), 0.8);
    }
}

TEST(CostModel, sumsOverStages) {
    auto model = makeXgboostModel(1);
    const std::vector<Sample> samples = synthetic(testing::softmax(33, 100), 0, 80, 1);
    ASSERT_GT(samples[0].rows.size(), 1U);
    ASSERT_TRUE(model->train(samples));
    double sum = 0;
    for (const std::vector<float>& row : samples[0].rows) sum += model->predict({{row}})[0];
    EXPECT_NEAR(model->predict({samples[0].rows})[0], sum, 1e-5);
}

TEST(CostModel, isTheSameAfterSaving) {
    auto model = makeXgboostModel(1);
    const std::vector<Sample> samples = synthetic(testing::pool(64, 13, 16), 0, 60, 1);
    ASSERT_TRUE(model->train(samples));
    ASSERT_TRUE(model->train(samples));
    auto copy = makeXgboostModel(2);
    ASSERT_TRUE(copy->load(model->save()));
    EXPECT_EQ(copy->version(), 2);
    std::vector<FeatureRows> rows;
    for (const Sample& sample : samples) rows.push_back(sample.rows);
    EXPECT_EQ(copy->predict(rows), model->predict(rows));
    EXPECT_EQ(copy->importance(), model->importance());
}

TEST(CostModel, trainingIsDeterministic) {
    const std::vector<Sample> samples = synthetic(testing::depthwise(96, 14, 3, 16), 0, 60, 1);
    std::vector<FeatureRows> rows;
    for (const Sample& sample : samples) rows.push_back(sample.rows);
    auto a = makeXgboostModel(5), b = makeXgboostModel(5);
    ASSERT_TRUE(a->train(samples));
    ASSERT_TRUE(b->train(samples));
    EXPECT_EQ(a->predict(rows), b->predict(rows));
}

TEST(CostModel, importanceIsAShare) {
    auto model = makeXgboostModel(1);
    EXPECT_TRUE(model->importance().empty());
    ASSERT_TRUE(model->train(synthetic(testing::conv(64, 64, 14, 3, 1, 16), 0, 100, 1)));
    double total = 0, last = 1;
    for (const auto& [name, share] : model->importance()) {
        EXPECT_LE(share, last);
        last = share;
        total += share;
    }
    EXPECT_NEAR(total, 1, 1e-6);
}

TEST(CostModel, refusesWhatIsNotAModel) {
    auto model = makeXgboostModel(1);
    EXPECT_FALSE(model->train({}));
    EXPECT_FALSE(model->load({}));
    EXPECT_FALSE(model->load(std::vector<std::byte>(100, std::byte{1})));
    std::vector<std::byte> cut = [&] {
        auto trained = makeXgboostModel(1);
        EXPECT_TRUE(trained->train(synthetic(testing::pool(64, 13, 16), 0, 20, 1)));
        return trained->save();
    }();
    cut.resize(cut.size() / 2);
    EXPECT_FALSE(model->load(cut));
    EXPECT_EQ(model->version(), 0);
    EXPECT_EQ(model->predict({{std::vector<float>(featureNames().size())}}), std::vector<double>{0});
}

}  // namespace
}  // namespace fettle::cost
