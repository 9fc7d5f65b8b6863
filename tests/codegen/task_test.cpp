// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace fettle::codegen::testing {
namespace {

using loop::sample::matmul;
using loop::sample::softmax;

const char* const kTile =
    "split matmul.n 16 -> n0 nv\n"
    "split matmul.m 6 -> mo mi\n"
    "reorder matmul n0 mo\n"
    "microkernel matmul mi nv\n";

TEST(Task, UnscheduledProgramsRun) {
    EXPECT_EQ(checkSchedule(matmul(5, 7, 3), ""), "");
    EXPECT_EQ(checkSchedule(softmax(3, 9), ""), "");
}

TEST(Task, MatmulTiles) {
    EXPECT_EQ(checkSchedule(matmul(12, 32, 20, 16), kTile), "");
    EXPECT_EQ(checkSchedule(matmul(14, 32, 20, 16), kTile), "");
    EXPECT_EQ(checkSchedule(matmul(14, 37, 20, 16), kTile), "");
    EXPECT_EQ(checkSchedule(matmul(14, 37, 20, 0), kTile), "");
    EXPECT_EQ(checkSchedule(matmul(3, 5, 20, 0), kTile), "");
}

TEST(Task, MatmulWithSplitReduction) {
    EXPECT_EQ(checkSchedule(matmul(14, 37, 22, 16),
                            "split matmul.k 8 -> ko ki\nsplit matmul.n 16 -> n0 nv\nsplit matmul.m 6 -> mo mi\n"
                            "reorder matmul ko n0 mo ki mi nv\nunroll matmul.mi\nvectorize matmul.nv\n"),
              "");
    EXPECT_EQ(checkSchedule(matmul(4, 8, 33, 0), "split matmul.k 16 -> ko kv\nvectorize matmul.kv\n"), "");
    EXPECT_EQ(checkSchedule(
                  matmul(4, 8, 133, 0),
                  "split matmul.k 16 -> ko kv\nsplit matmul.ko 4 -> koo koi\nunroll matmul.koi\nvectorize matmul.kv\n"),
              "");
}

TEST(Task, ParallelLoops) {
    const std::string text = std::string(kTile) + "parallel matmul n0 mo\n";
    EXPECT_EQ(checkSchedule(matmul(32, 37, 20, 16), text, 2e-5, true), "");
    EXPECT_EQ(checkSchedule(matmul(32, 37, 20, 16), text, 2e-5, false), "");
    EXPECT_EQ(checkSchedule(matmul(32, 37, 20, 0), text, 2e-5, true), "");
}

TEST(Task, ParallelLoopsOfOneUnevenAxis) {
    const std::string text =
        "split matmul.m 4 -> m0 m1\nsplit matmul.n 16 -> n0 nv\nreorder matmul m0 m1 n0 k nv\nvectorize matmul.nv\n"
        "parallel matmul m0 m1\n";
    for (const int64_t m : {3, 4, 7, 9}) EXPECT_EQ(checkSchedule(matmul(m, 37, 5), text, 2e-5, true), "") << m;
}

const char* const kConvTile =
    "split conv.oc 16 -> oc0 ocv\n"
    "split conv.ow 7 -> ow0 ow1\n"
    "reorder conv oc0 oh ow0 ic kh kw\n"
    "microkernel conv ow1 ocv\n";

TEST(Task, Convolutions) {
    EXPECT_EQ(checkSchedule(convolution({.inC = 5, .outC = 7, .height = 6, .width = 9, .kernel = 3, .pad = 1}), ""),
              "");
    ConvShape s{.inC = 32,
                .outC = 32,
                .height = 4,
                .width = 17,
                .kernel = 3,
                .pad = 1,
                .inBlock = 16,
                .outBlock = 16,
                .haloIn = true};
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    s.haloOut = true;
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    s.haloIn = false;
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    s.inC = 19, s.outC = 21;
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    s.inBlock = s.outBlock = 0, s.haloOut = false;
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    s.stride = 2;
    EXPECT_EQ(checkSchedule(convolution(s), kConvTile), "");
    EXPECT_EQ(checkSchedule(convolution(s), std::string(kConvTile) + "parallel conv oc0 oh\n", 2e-5, true), "");
}

TEST(Task, ConvolutionLanesAlongWidth) {
    ConvShape s{.inC = 3, .outC = 8, .height = 12, .width = 37, .kernel = 3, .pad = 1};
    const std::string text =
        "split conv.ow 16 -> ow0 owv\nsplit conv.oc 4 -> oc0 oc1\nreorder conv oc0 oh ow0 ic kh kw oc1 owv\n"
        "unroll conv.oc1\nvectorize conv.owv\n";
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
    s.stride = 2;
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
    s.haloIn = true;
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
}

TEST(Task, DepthwiseConvolution) {
    ConvShape s{.inC = 37,
                .outC = 37,
                .height = 9,
                .width = 15,
                .kernel = 3,
                .pad = 1,
                .inBlock = 16,
                .outBlock = 16,
                .depthwise = true,
                .haloIn = true};
    const std::string text =
        "split conv.oc 16 -> oc0 ocv\nsplit conv.ow 7 -> ow0 ow1\nreorder conv oc0 oh ow0 kh kw ow1 ocv\n"
        "unroll conv.kh\nunroll conv.kw\nunroll conv.ow1\nvectorize conv.ocv\n";
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
    s.haloIn = false;
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
    s.inBlock = s.outBlock = 0;
    EXPECT_EQ(checkSchedule(convolution(s), text), "");
}

TEST(Task, SoftmaxTogetherByRow) {
    for (const int64_t cols : {16, 37, 100}) {
        EXPECT_EQ(checkSchedule(softmax(5, cols), "compute-at max out r\ncompute-at sum out r\n"), "");
        EXPECT_EQ(
            checkSchedule(softmax(5, cols),
                          "split max.c 16 -> c0 cv\nvectorize max.cv\nsplit sum.c 16 -> c0 cv\nvectorize sum.cv\n"
                          "split out.c 16 -> c0 cv\nvectorize out.cv\ncompute-at max out r\ncompute-at sum out r\n"
                          "parallel out r\n",
                          2e-5, true),
            "");
    }
}

}  // namespace
}  // namespace fettle::codegen::testing
