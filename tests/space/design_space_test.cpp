// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/design_space.h"

#include <gtest/gtest.h>

#include "tests/space/programs.h"

namespace fettle::space {
namespace {

const target::Target kAvx512 = testing::targetOf(512, 32), kAvx2 = testing::targetOf(256, 16),
                     kScalar = testing::targetOf(0, 16);

TEST(DesignSpace, everyPointReplays) {
    for (const auto& [name, program] : testing::everyKind()) {
        ASSERT_TRUE(loop::validate(program)) << name << ": " << loop::validate(program).error().message();
        for (const target::Target& target : {kAvx512, kAvx2, kScalar})
            for (int threads : {1, 4}) {
                const DesignSpace space = designSpace(program, target, threads);
                Rng rng(7);
                Point point = space.sample(rng);
                for (int k = 0; k < 60; ++k) {
                    const Point other = space.sample(rng);
                    point = k % 3 == 0   ? other
                            : k % 3 == 1 ? space.mutate(point, rng)
                                         : space.crossover(point, other, rng);
                    const auto trace = space.trace(point);
                    ASSERT_TRUE(trace) << name << ": " << trace.error().message();
                    const auto scheduled = schedule::replay(program, *trace);
                    ASSERT_TRUE(scheduled) << name << ": " << scheduled.error().message() << "\n" << print(*trace);
                }
            }
    }
}

TEST(DesignSpace, tracesSurviveTheirText) {
    for (const auto& [name, program] : testing::everyKind()) {
        const DesignSpace space = designSpace(program, kAvx512, 2);
        Rng rng(3);
        for (int k = 0; k < 10; ++k) {
            const auto trace = space.trace(space.sample(rng));
            ASSERT_TRUE(trace) << name;
            const auto parsed = schedule::parse(print(*trace));
            ASSERT_TRUE(parsed) << name << ": " << parsed.error().message();
            EXPECT_EQ(print(*parsed), print(*trace)) << name;
        }
    }
}

TEST(DesignSpace, defaultReplaysAndHasLanes) {
    for (const auto& [name, program] : testing::everyKind()) {
        const auto scheduled = schedule::replay(program, defaultTrace(program, kAvx512, 1));
        ASSERT_TRUE(scheduled) << name << ": " << scheduled.error().message();
        double points = 1;
        for (const loop::Axis& axis : program.stages[0].axes) points *= static_cast<double>(axis.extent);
        if (points < 64) continue;
        bool lanes = false;
        for (const loop::Nest& nest : scheduled->nests)
            lanes = lanes || (!nest.loops.empty() && nest.loops.back().kind == loop::LoopKind::Vectorized);
        EXPECT_TRUE(lanes) << name << "\n" << loop::print(*scheduled);
    }
}

TEST(DesignSpace, defaultOfAConvolution) {
    EXPECT_EQ(print(defaultTrace(testing::conv(64, 64, 14, 3, 1, 16), kAvx512, 1)),
              "split conv.oc 32 -> oc0 oc\n"
              "split conv.oc 16 -> oc1 oc2\n"
              "split conv.ow 7 -> ow0 ow1\n"
              "split conv.ic 16 -> ic0 ic\n"
              "split conv.ic 4 -> ic1 ic2\n"
              "reorder conv n oc0 oh ow0 ic0 kh kw ic1 ic2 ow1 oc1 oc2\n"
              "unroll conv.ic2\n"
              "unroll conv.ow1\n"
              "unroll conv.oc1\n"
              "vectorize conv.oc2\n");
}

TEST(DesignSpace, rowsOfSoftmaxShareTheirLoops) {
    const loop::LoopProgram program = testing::softmax(33, 100);
    const auto scheduled = schedule::replay(program, defaultTrace(program, kAvx512, 1));
    ASSERT_TRUE(scheduled);
    EXPECT_EQ(scheduled->nests[0].attachStage, 2);
    EXPECT_EQ(scheduled->nests[0].attachDepth, 2);
    EXPECT_EQ(scheduled->nests[1].attachStage, 2);
}

TEST(DesignSpace, packsWhatLanesWouldGather) {
    const std::string text = print(defaultTrace(testing::matmul(4, 64, 64, 32, false, true), kAvx512, 1));
    EXPECT_EQ(text.substr(0, text.find('\n')), "cache-read matmul b -> pack order=0,1,2 blocks=1x16");
}

TEST(DesignSpace, isWideForAConvolutionAndSmallForAScalar) {
    EXPECT_GT(designSpace(testing::conv(64, 64, 14, 3, 1, 16), kAvx512, 1).size(), 1000);
    EXPECT_LT(designSpace(testing::elementwise({}), kAvx512, 1).size(), 4);
}

TEST(DesignSpace, refusesWhatDoesNotExist) {
    const DesignSpace space = designSpace(testing::pool(64, 13, 16), kAvx512, 1);
    EXPECT_FALSE(space.trace({99, {}}));
    EXPECT_FALSE(space.trace({0, {}}));
}

}  // namespace
}  // namespace fettle::space
