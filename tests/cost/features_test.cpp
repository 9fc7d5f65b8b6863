// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/cost/nest_model.h"
#include "core/schedule/trace.h"
#include "core/space/design_space.h"
#include "tests/space/programs.h"

namespace fettle::cost {
namespace {

const target::Target kTarget = testing::targetOf(512, 32);

loop::LoopProgram scheduledConv(const std::string& tile) {
    const auto trace = schedule::parse(tile);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().message());
    const auto scheduled = schedule::replay(testing::conv(64, 64, 14, 3, 1, 16), *trace);
    EXPECT_TRUE(scheduled) << (scheduled ? "" : scheduled.error().message());
    return *scheduled;
}

const char* const kGoodTile =
    "split conv.oc 32 -> oc0 oc\nsplit conv.oc 16 -> oc1 oc2\nsplit conv.ow 7 -> ow0 ow1\nsplit conv.ic 16 -> ic0 ic1\n"
    "reorder conv n oc0 oh ow0 ic0 kh kw ic1 ow1 oc1 oc2\nmicrokernel conv ow1 oc1 oc2\n";
const char* const kOneRow = "split conv.oc 16 -> oc0 oc1\nreorder conv n oc0 oh ow ic kh kw oc1\nvectorize conv.oc1\n";
const char* const kSpilling =
    "split conv.oc 64 -> oc0 oc\nsplit conv.oc 16 -> oc1 oc2\nsplit conv.ow 14 -> ow0 ow1\nsplit conv.ic 16 -> ic0 "
    "ic1\n"
    "reorder conv n oc0 oh ow0 ic0 kh kw ic1 ow1 oc1 oc2\nmicrokernel conv ow1 oc1 oc2\n";

double value(const FeatureRows& rows, const std::string& name) {
    for (size_t k = 0; k < featureNames().size(); ++k)
        if (featureNames()[k] == name) return rows[0][k];
    ADD_FAILURE() << "no feature " << name;
    return 0;
}

TEST(Features, describeTheRegisterTile) {
    const FeatureRows rows = features(scheduledConv(kGoodTile), kTarget, 1);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(value(rows, "rows of the register tile"), 7);
    EXPECT_EQ(value(rows, "vectors of the register tile"), 2);
    EXPECT_EQ(value(rows, "accumulators"), 14);
    EXPECT_EQ(value(rows, "accumulators stay in registers"), 1);
    EXPECT_EQ(value(rows, "extent of the vectorised loop"), 16);
    EXPECT_FLOAT_EQ(static_cast<float>(value(rows, "vector loads per body emitted")), 2.0F / 14);
    EXPECT_FLOAT_EQ(static_cast<float>(value(rows, "broadcasts per body emitted")), 7.0F / 14);
    EXPECT_EQ(value(rows, "gathered elements per body emitted"), 0);
    EXPECT_FLOAT_EQ(static_cast<float>(value(rows, "lanes and tails computed in vain")), 1);
}

TEST(Features, countsArithmeticOnce) {
    const loop::LoopProgram program = testing::conv(64, 64, 14, 3, 1, 16);
    const StageFacts facts = stageFacts(program, program.stages[0]);
    EXPECT_EQ(facts.body.fma, 1);
    EXPECT_EQ(facts.body.simple, 0);
    EXPECT_EQ(facts.epilogue.simple, 2);
    EXPECT_EQ(facts.accesses.size(), 4U);
}

TEST(Features, areFiniteForEveryKind) {
    for (const auto& [name, program] : testing::everyKind()) {
        const space::DesignSpace space = space::designSpace(program, kTarget, 4);
        Rng rng(11);
        for (int k = 0; k < 20; ++k) {
            const auto scheduled = schedule::replay(program, *space.trace(space.sample(rng)));
            ASSERT_TRUE(scheduled) << name;
            const FeatureRows rows = features(*scheduled, kTarget, 4);
            EXPECT_EQ(rows.size(), scheduled->stages.size());
            for (const std::vector<float>& row : rows) {
                ASSERT_EQ(row.size(), featureNames().size());
                for (size_t c = 0; c < row.size(); ++c)
                    ASSERT_TRUE(std::isfinite(row[c])) << name << " " << featureNames()[c];
            }
            EXPECT_TRUE(std::isfinite(analyticSeconds(*scheduled, kTarget, 4))) << name;
        }
    }
}

TEST(Features, namesAreUnique) {
    const std::set<std::string> names(featureNames().begin(), featureNames().end());
    EXPECT_EQ(names.size(), featureNames().size());
}

TEST(Features, theAnalyserRemembersRight) {
    Analyser analyser(kTarget, 1);
    for (const char* tile : {kGoodTile, kOneRow, kSpilling}) {
        EXPECT_EQ(analyser.features(scheduledConv(tile)), features(scheduledConv(tile), kTarget, 1));
        EXPECT_EQ(analyser.analyticSeconds(scheduledConv(tile)), analyticSeconds(scheduledConv(tile), kTarget, 1));
    }
}

TEST(Analytic, prefersTilesThatHideLatencyAndDoNotSpill) {
    const double good = analyticSeconds(scheduledConv(kGoodTile), kTarget, 1);
    EXPECT_LT(good, 0.6 * analyticSeconds(scheduledConv(kSpilling), kTarget, 1));
    EXPECT_LT(good, 0.4 * analyticSeconds(scheduledConv(kOneRow), kTarget, 1));
    EXPECT_LT(good, 0.1 * analyticSeconds(testing::conv(64, 64, 14, 3, 1, 16), kTarget, 1));
}

TEST(Analytic, staysAboveThePeak) {
    // 7.2 M multiply-adds, 16 a cycle at 3.6 GHz: nothing is faster than 125 us
    const double peak = 64.0 * 64 * 9 * 14 * 14 / 16 / 3.6e9;
    const double seconds = analyticSeconds(scheduledConv(kGoodTile), kTarget, 1);
    EXPECT_GT(seconds, peak);
    EXPECT_LT(seconds, 1.6 * peak);
}

TEST(Analytic, threadsHelpWhereThereIsWork) {
    const loop::LoopProgram large = testing::conv(256, 256, 28, 3, 1, 16), small = testing::elementwise({16, 16});
    const auto run = [](const loop::LoopProgram& program, const std::string& loops) {
        const auto scheduled = schedule::replay(program, *schedule::parse(loops));
        EXPECT_TRUE(scheduled);
        return analyticSeconds(*scheduled, kTarget, 4);
    };
    EXPECT_LT(run(large, "parallel conv n oc\n"), 0.3 * run(large, ""));
    EXPECT_GT(run(small, "parallel add d0\n"), run(small, ""));
}

TEST(Traffic, countsWhatDoesNotFit) {
    const loop::LoopProgram program = testing::elementwise({1024, 1024});
    const StageFacts facts = stageFacts(program, program.stages[0]);
    const NestModel nest = nestModel(program, 0, facts, kTarget);
    const double bytes = 1024.0 * 1024 * 4;
    EXPECT_EQ(traffic(nest, 1e9), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(traffic(nest, 32768), (std::vector<double>{bytes, bytes, bytes}));
}

}  // namespace
}  // namespace fettle::cost
