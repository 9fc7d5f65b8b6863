// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "tests/space/programs.h"

namespace fettle::search {
namespace {

const target::Target kTarget = testing::targetOf(512, 32);

// A latency that the closed form does not know: the machine likes nine accumulators, ic outside and wide blocks.
int64_t synthetic(const loop::LoopProgram& scheduled) {
    double tile = 1, penalty = 0;
    int depth = 0;
    for (const loop::Loop& loop : scheduled.nests.back().loops) {
        ++depth;
        if (loop.kind == loop::LoopKind::Unrolled) tile *= static_cast<double>(loop.extent);
        if (loop.kind == loop::LoopKind::Serial && loop.extent > 1)
            penalty += 0.02 * depth * std::abs(std::log2(static_cast<double>(loop.extent)) - 2);
    }
    return static_cast<int64_t>(1e5 * (1 + std::abs(std::log2(tile / 9))) * (1 + penalty));
}

measure::TrialResult measured(int64_t ns) {
    measure::TrialResult result;
    result.minNs = result.medianNs = ns;
    result.samplesNs = {ns};
    return result;
}

SearchOptions optionsOf(uint64_t seed) {
    SearchOptions options;
    options.seed = seed;
    return options;
}

// Tunes with the synthetic latency; returns the best and records the traces.
int64_t tune(const loop::LoopProgram& program, uint64_t seed, int trials, std::vector<std::string>* traces = nullptr) {
    TaskSearch search(program, kTarget, optionsOf(seed));
    auto model = cost::makeXgboostModel(seed);
    while (search.trials() < trials && !search.exhausted()) {
        for (const Candidate& candidate : search.propose(16, *model)) {
            if (traces) traces->push_back(print(candidate.trace));
            search.report(candidate, measured(synthetic(candidate.scheduled)));
        }
        EXPECT_TRUE(model->train(search.samples(0)));
    }
    return search.bestNs();
}

int64_t bestOfRandom(const loop::LoopProgram& program, uint64_t seed, int trials) {
    const space::DesignSpace space = space::designSpace(program, kTarget, 1);
    Rng rng(seed);
    int64_t best = INT64_MAX;
    for (int k = 0; k < trials; ++k)
        best = std::min(best, synthetic(*schedule::replay(program, *space.trace(space.sample(rng)))));
    return best;
}

TEST(TaskSearch, beatsRandomWithTheSameBudget) {
    const loop::LoopProgram program = testing::conv(64, 64, 14, 3, 1, 16);
    double searched = 0, random = 0;
    for (uint64_t seed : {1, 2}) {
        searched += std::log(static_cast<double>(tune(program, seed, 112)));
        random += std::log(static_cast<double>(bestOfRandom(program, seed, 112)));
    }
    EXPECT_LT(searched, random);
}

TEST(TaskSearch, sameSeedSameCandidates) {
    const loop::LoopProgram program = testing::matmul(1, 128, 256, 192, true, false);
    std::vector<std::string> first, second, other;
    tune(program, 5, 48, &first);
    tune(program, 5, 48, &second);
    tune(program, 6, 48, &other);
    EXPECT_EQ(first, second);
    EXPECT_NE(first, other);
}

TEST(TaskSearch, neverProposesATraceTwice) {
    for (const auto& [name, program] : testing::everyKind()) {
        std::vector<std::string> traces;
        tune(program, 1, 24, &traces);
        EXPECT_EQ(std::set<std::string>(traces.begin(), traces.end()).size(), traces.size()) << name;
    }
}

TEST(TaskSearch, smallSpacesAreExhausted) {
    TaskSearch search(testing::elementwise({3, 5, 7}), kTarget, optionsOf(1));
    auto model = cost::makeXgboostModel(1);
    int proposed = 0;
    for (int round = 0; round < 100 && !search.exhausted(); ++round)
        for (const Candidate& candidate : search.propose(16, *model)) {
            ++proposed;
            search.report(candidate, measured(1000));
        }
    EXPECT_TRUE(search.exhausted());
    EXPECT_GT(proposed, 0);
    EXPECT_TRUE(search.propose(16, *model).empty());
}

TEST(TaskSearch, startsWithTheAnalyticChoice) {
    TaskSearch search(testing::conv(64, 64, 14, 3, 1, 16), kTarget, optionsOf(1));
    const std::vector<Candidate> candidates = search.propose(16, *cost::makeXgboostModel(1));
    ASSERT_EQ(candidates.size(), 16U);
    EXPECT_STREQ(candidates[0].origin, "analytic");
    EXPECT_EQ(candidates[0].modelVersion, 0);
    double last = 0;
    const double fallback =
        cost::analyticSeconds(*schedule::replay(testing::conv(64, 64, 14, 3, 1, 16),
                                                space::defaultTrace(testing::conv(64, 64, 14, 3, 1, 16), kTarget, 1)),
                              kTarget, 1);
    for (const Candidate& candidate : candidates) {
        EXPECT_GE(candidate.predicted, last);
        last = candidate.predicted;
    }
    EXPECT_LE(candidates[0].predicted, fallback * 1e9);
}

TEST(TaskSearch, restoredTrialsAreNotProposedAgain) {
    const loop::LoopProgram program = testing::pool(64, 13, 16);
    auto model = cost::makeXgboostModel(1);
    TaskSearch before(program, kTarget, optionsOf(1)), after(program, kTarget, optionsOf(1));
    std::set<std::string> seen;
    for (const Candidate& candidate : before.propose(16, *model)) {
        seen.insert(print(candidate.trace));
        after.restore(candidate.trace, measured(500));
    }
    EXPECT_EQ(after.trials(), 16);
    EXPECT_EQ(after.bestNs(), 500);
    EXPECT_EQ(after.samples(3).size(), 16U);
    EXPECT_EQ(after.samples(3)[0].task, 3);
    for (const Candidate& candidate : after.propose(16, *model)) EXPECT_FALSE(seen.contains(print(candidate.trace)));
    after.restore(*schedule::parse("unroll nothing.here\n"), measured(1));
    EXPECT_EQ(after.trials(), 16);
}

TEST(TaskSearch, avoidsWhatFailed) {
    const loop::LoopProgram program = testing::conv(64, 64, 14, 3, 1, 16);
    TaskSearch search(program, kTarget, optionsOf(1));
    auto model = cost::makeXgboostModel(1);
    const auto failing = [](const Candidate& candidate) {  // the machine chokes on every tile of two vectors
        for (const loop::Loop& loop : candidate.scheduled.nests[0].loops)
            if (loop.kind == loop::LoopKind::Unrolled && loop.name.starts_with("oc") && loop.extent == 2) return true;
        return false;
    };
    int early = 0, late = 0;
    for (int round = 0; round < 8; ++round) {
        for (const Candidate& candidate : search.propose(16, *model)) {
            measure::TrialResult result = measured(synthetic(candidate.scheduled));
            if (failing(candidate)) {
                result = {};
                result.status = measure::TrialStatus::WrongResult;
                (round < 4 ? early : late) += 1;
            }
            search.report(candidate, result);
        }
        if (!search.samples(0).empty()) {
            ASSERT_TRUE(model->train(search.samples(0)));
        }
    }
    EXPECT_EQ(search.trials(), 128);
    EXPECT_LT(late, std::max(early, 8));
}

TEST(TaskSearch, proposesQuickly) {
    const loop::LoopProgram program = testing::conv(64, 64, 14, 3, 1, 16);
    TaskSearch search(program, kTarget, optionsOf(1));
    auto model = cost::makeXgboostModel(1);
    double slowest = 0;
    for (int round = 0; round < 5; ++round) {
        const auto start = std::chrono::steady_clock::now();
        const std::vector<Candidate> candidates = search.propose(16, *model);
        slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        RecordProperty(
            "round" + std::to_string(round),
            std::to_string(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()));
        for (const Candidate& candidate : candidates)
            search.report(candidate, measured(synthetic(candidate.scheduled)));
        ASSERT_TRUE(model->train(search.samples(0)));
    }
    EXPECT_LT(slowest, 2.0);  // generous: the machine may be busy
}

}  // namespace
}  // namespace fettle::search
