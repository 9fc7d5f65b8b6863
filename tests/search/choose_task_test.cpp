// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/search/search.h"

namespace fettle::search {
namespace {

const Roofline kRoofline{1e11, 1e10};  // 100 GFLOP/s, 10 GB/s

TaskProgress progress(double weight, double flops, std::vector<int64_t> best) {
    TaskProgress task;
    task.weight = weight;
    task.flops = flops;
    task.bestAfterRound = std::move(best);
    return task;
}

std::vector<int> turns(const std::vector<TaskProgress>& tasks, int count) {
    std::vector<int> chosen(tasks.size() + 1);  // the last: none
    Rng rng(1);
    for (int k = 0; k < count; ++k) {
        const int task = chooseTask(tasks, kRoofline, rng);
        ++chosen[task < 0 ? tasks.size() : static_cast<size_t>(task)];
    }
    return chosen;
}

TEST(ChooseTask, aRoundForEachFirst) {
    Rng rng(1);
    EXPECT_EQ(chooseTask({progress(1, 1e6, {}), progress(9, 1e9, {})}, kRoofline, rng), 0);
    EXPECT_EQ(chooseTask({progress(1, 1e6, {20000}), progress(9, 1e9, {})}, kRoofline, rng), 1);
}

TEST(ChooseTask, goesWhereTheTimeIs) {
    const std::vector<int> chosen = turns({progress(1, 1e6, {100000}), progress(10, 1e6, {100000})}, 200);
    EXPECT_GT(chosen[1], 180);
    EXPECT_EQ(chosen[2], 0);
}

TEST(ChooseTask, leavesTasksNearTheirCeiling) {
    // 1e7 flop take 100 us at the peak: the first has arrived, the second is three times slower
    const std::vector<int> chosen = turns({progress(5, 1e7, {111000}), progress(1, 1e7, {300000})}, 200);
    EXPECT_EQ(chosen[0], 0);
    EXPECT_EQ(chosen[1], 200);
}

TEST(ChooseTask, prefersTheSteeperSlope) {
    const std::vector<int> chosen = turns({progress(1, 0, {900000, 500000, 400000, 300000, 200000}),
                                           progress(1, 0, {200000, 200000, 200000, 200000, 200000})},
                                          200);
    EXPECT_GT(chosen[0], chosen[1] * 5);
}

TEST(ChooseTask, hopeFadesWithEveryRoundThatFoundNothing) {
    // both have 100 us to gain, the first was tried nine times in vain
    const std::vector<int> chosen =
        turns({progress(1, 1e7, std::vector<int64_t>(9, 211000)), progress(1, 1e7, {211000})}, 200);
    EXPECT_GT(chosen[1], 180);
}

TEST(ChooseTask, stopsWhenNothingIsLeft) {
    Rng rng(1);
    EXPECT_EQ(chooseTask({}, kRoofline, rng), -1);
    EXPECT_EQ(chooseTask({progress(1, 1e7, {100000})}, kRoofline, rng), -1);
    TaskProgress done = progress(1, 0, {500000});
    done.exhausted = true;
    EXPECT_EQ(chooseTask({done}, kRoofline, rng), -1);
}

// 1e7 flop in 50 us is twice what the probe reached: the ceiling that would end the search is not the machine's.
TEST(ChooseTask, goesOnWhereKernelsBeatTheProbe) {
    const std::vector<int> alone = turns({progress(1, 1e7, {50000})}, 20);
    EXPECT_EQ(alone[0], 20);
    const std::vector<int> both = turns({progress(1, 1e7, {50000}), progress(1, 1e7, {100000})}, 200);
    EXPECT_GT(both[1], both[0]);
    EXPECT_EQ(both[2], 0);
    TaskProgress memory = progress(1, 0, {500000});
    memory.bytes = 1e7;  // 20 GB/s
    EXPECT_EQ(turns({memory}, 20)[0], 20);
}

TEST(ChooseTask, tasksWithoutAValidTrialGetAnotherTurn) {
    const std::vector<int> chosen = turns({progress(1, 1e6, {0}), progress(1, 1e6, {100000})}, 100);
    EXPECT_GT(chosen[0], 0);
    Rng rng(1);
    EXPECT_EQ(chooseTask({progress(1, 1e6, {0, 0, 0})}, kRoofline, rng), 0);
}

}  // namespace
}  // namespace fettle::search
