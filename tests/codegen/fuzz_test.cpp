// SPDX-License-Identifier: GPL-3.0-or-later
// Random shapes under random schedules, against loop::interpret.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/support/random.h"
#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace fettle::codegen::testing {
namespace {

// A random order of groups of loops; within a group the order is kept.
std::string shuffled(Rng& rng, std::vector<std::vector<std::string>> groups) {
    std::string text;
    while (!groups.empty()) {
        const auto at = static_cast<size_t>(rng.below(static_cast<int64_t>(groups.size())));
        text += " " + groups[at].front();
        groups[at].erase(groups[at].begin());
        if (groups[at].empty()) groups.erase(groups.begin() + static_cast<long>(at));
    }
    return text;
}

std::string number(int64_t value) {
    return std::to_string(value);
}

TEST(Fuzz, Matmul) {
    Rng rng(11);
    for (int i = 0; i < 60; ++i) {
        const int64_t lanes = std::vector<int64_t>{4, 8, 16, 16, 32}[static_cast<size_t>(rng.below(5))];
        const bool packed = rng.below(2) != 0;
        const auto program =
            loop::sample::matmul(1 + rng.below(30), 1 + rng.below(70), 1 + rng.below(40), packed ? 16 : 0);
        std::string schedule = "split matmul.n " + number(lanes) + " -> n0 nv\nsplit matmul.m " +
                               number(1 + rng.below(7)) + " -> mo mi\nsplit matmul.k " + number(1 + rng.below(9)) +
                               " -> ko ki\n";
        const bool tileOfTwo = rng.below(2) != 0;
        std::vector<std::vector<std::string>> groups = {{"mo"}, {"ko", "ki"}};
        if (tileOfTwo) schedule += "split matmul.n0 2 -> no ni\n";
        groups.push_back({tileOfTwo ? "no" : "n0"});
        schedule += "reorder matmul" + shuffled(rng, groups) + " mi" + (tileOfTwo ? " ni" : "") +
                    " nv\nunroll matmul.mi\nvectorize matmul.nv\n";
        if (tileOfTwo) schedule += "unroll matmul.ni\n";
        if (rng.below(2)) schedule += "unroll matmul.ki\n";
        EXPECT_EQ(checkSchedule(program, schedule), "") << "case " << i << "\n" << schedule;
    }
}

TEST(Fuzz, Convolution) {
    Rng rng(12);
    for (int i = 0; i < 40; ++i) {
        ConvShape s{.inC = 1 + rng.below(20),
                    .outC = 1 + rng.below(40),
                    .height = 5 + rng.below(8),
                    .width = 5 + rng.below(16),
                    .kernel = 1 + 2 * rng.below(2)};
        s.stride = 1 + rng.below(2);
        s.pad = s.kernel / 2;
        s.inBlock = std::vector<int64_t>{0, 8, 16}[static_cast<size_t>(rng.below(3))];
        s.outBlock = std::vector<int64_t>{0, 8, 16}[static_cast<size_t>(rng.below(3))];
        s.haloIn = rng.below(2) != 0;
        s.haloOut = rng.below(2) != 0;
        s.depthwise = rng.below(3) == 0;
        if (s.depthwise) s.outC = s.inC;
        std::string schedule = "split conv.oc " + number(rng.below(2) ? 16 : 8) + " -> oc0 ocv\nsplit conv.ow " +
                               number(1 + rng.below(8)) + " -> ow0 ow1\n";
        std::vector<std::vector<std::string>> groups = {{"oc0"}, {"oh"}, {"ow0"}, {"kh"}, {"kw"}};
        if (!s.depthwise) groups.push_back({"ic"});
        schedule += "reorder conv" + shuffled(rng, groups) + " ow1 ocv\nunroll conv.ow1\nvectorize conv.ocv\n";
        if (rng.below(2)) schedule += "unroll conv.kw\n";
        EXPECT_EQ(checkSchedule(convolution(s), schedule), "") << "case " << i << "\n" << schedule;
    }
}

TEST(Fuzz, Rows) {
    Rng rng(13);
    for (int i = 0; i < 20; ++i) {
        const int64_t lanes = rng.below(2) ? 16 : 8;
        std::string schedule;
        for (const char* stage : {"max", "sum", "out"}) {
            if (rng.below(4) == 0) continue;
            const std::string name = stage;
            schedule += "split " + name + ".c " + number(lanes) + " -> c0 cv\nvectorize " + name + ".cv\n";
            if (rng.below(2)) schedule += "split " + name + ".c0 3 -> ca cb\nunroll " + name + ".cb\n";
        }
        const bool together = rng.below(2) != 0, parallel = rng.below(2) != 0;
        if (together) schedule += "compute-at max out r\ncompute-at sum out r\n";
        if (parallel) schedule += "parallel out r\n";
        EXPECT_EQ(checkSchedule(loop::sample::softmax(1 + rng.below(9), 1 + rng.below(120)), schedule, 2e-5, parallel),
                  "")
            << "case " << i << "\n"
            << schedule;
    }
}

}  // namespace
}  // namespace fettle::codegen::testing
