// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of the flame chart's tree and boxes, on random profiles with a fixed seed.
#include "ui/flame/flame_layout.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "core/support/random.h"
#include "tests/ui/sample_profile.h"

namespace fettle::ui {
namespace {

std::string print(const FlameTree& tree) {
    std::string text;
    for (const FlameNode& node : tree.nodes)
        text += std::string(node.depth * 2, ' ') + node.name + " " + std::to_string(node.startNs) + "+" +
                std::to_string(node.durationNs) + " self " + std::to_string(node.selfNs) +
                (node.occurrences > 1 ? " x" + std::to_string(node.occurrences) : "") + "\n";
    return text;
}

compile::Profile byHand() {
    ProfileBuilder b("net");
    int section = b.section("features", 0);
    int conv = b.op("Conv_0", section, graph::OpKind::Convolution, 0, 0, 30);
    b.stage("pad", conv, graph::OpKind::Layout, 0, 10);
    b.stage("compute", conv, graph::OpKind::Convolution, 10, 15);
    b.op("Conv_1", section, graph::OpKind::Convolution, 0, 30, 50);
    b.op("Gemm_2", 0, graph::OpKind::Matmul, 1, 80, 20);
    return b.finish(110);
}

TEST(FlameTree, OfOneRunInTimeOrder) {
    EXPECT_EQ(print(runTree(byHand(), FlameOrder::Time)),
              "net 0+110 self 10\n"
              "  features 0+80 self 0\n"
              "  Gemm_2 80+20 self 20\n"
              "    Conv_0 0+30 self 5\n"
              "    Conv_1 30+50 self 50\n"
              "      pad 0+10 self 10\n"
              "      compute 10+15 self 15\n");
}

TEST(FlameTree, OfOneRunSortedByCost) {
    EXPECT_EQ(print(runTree(byHand(), FlameOrder::Cost)),
              "net 0+110 self 10\n"
              "  features 0+80 self 0\n"
              "  Gemm_2 80+20 self 20\n"
              "    Conv_1 0+50 self 50\n"
              "    Conv_0 50+30 self 5\n"
              "      compute 50+15 self 15\n"
              "      pad 65+10 self 10\n");
}

TEST(FlameTree, AggregateMergesEqualTasks) {
    EXPECT_EQ(print(aggregateTree(byHand(), [](int task) { return std::string(task == 0 ? "Conv 3x3" : ""); })),
              "net 0+110 self 10\n"
              "  Conv 3x3 0+80 self 0 x2\n"
              "  Matmul 80+20 self 0\n"
              "    Conv_0 0+80 self 55 x2\n"
              "    Gemm_2 80+20 self 20\n"
              "      compute 0+15 self 15\n"
              "      pad 15+10 self 10\n");
}

TEST(FlameTree, AChildLongerThanItsParentStretchesIt) {
    ProfileBuilder b("net");
    b.op("a", 0, graph::OpKind::Other, 0, 0, 70);
    b.op("b", 0, graph::OpKind::Other, 1, 70, 50);
    EXPECT_EQ(print(runTree(b.finish(100), FlameOrder::Time)),
              "net 0+120 self 0\n  a 0+70 self 70\n  b 70+50 self 50\n");
    EXPECT_TRUE(runTree({}, FlameOrder::Time).empty());
}

TEST(FlameTree, SearchDoesNotCountNestedMatchesTwice) {
    FlameTree tree = runTree(byHand(), FlameOrder::Time);
    auto contains = [](std::string part) {
        return [part](const FlameNode& node) { return node.name.find(part) != std::string::npos; };
    };
    FlameMatch all = findSpans(tree, contains(""));
    EXPECT_EQ(all.count, 7);
    EXPECT_EQ(all.totalNs, 110);
    FlameMatch conv = findSpans(tree, contains("Conv"));
    EXPECT_EQ(conv.count, 2);
    EXPECT_EQ(conv.totalNs, 80);
    EXPECT_EQ(findSpans(tree, contains("comp")).totalNs, 15);
    EXPECT_EQ(findSpans(tree, contains("nowhere")).count, 0);
}

void expectSoundTree(const FlameTree& tree) {
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        int64_t children = 0, at = node.startNs;
        for (int c = node.firstChild; c < node.firstChild + node.childCount; ++c) {
            ASSERT_EQ(tree.nodes[c].parent, static_cast<int>(i));
            ASSERT_EQ(tree.nodes[c].startNs, at);
            at = tree.nodes[c].endNs();
            children += tree.nodes[c].durationNs;
        }
        ASSERT_EQ(children + node.selfNs, node.durationNs) << node.name;
        ASSERT_GE(node.selfNs, 0);
        ASSERT_LE(node.endNs(), i > 0 ? tree.nodes[node.parent].endNs() : node.endNs());
    }
    int64_t self = 0;
    for (const FlameNode& node : tree.nodes) self += node.selfNs;
    EXPECT_EQ(self, tree.totalNs());
}

TEST(FlameTree, IsSoundForRandomProfiles) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        compile::Profile profile = randomProfile(seed, 40 + static_cast<int>(seed) * 5);
        expectSoundTree(runTree(profile, FlameOrder::Time));
        expectSoundTree(runTree(profile, FlameOrder::Cost));
        FlameTree aggregate = aggregateTree(profile, {});
        expectSoundTree(aggregate);
        EXPECT_EQ(aggregate.totalNs(), runTree(profile, FlameOrder::Time).totalNs());
    }
}

TEST(FlameLayout, BoxesAreOrderedAndInsideTheBoxesAbove) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        FlameTree tree = runTree(randomProfile(seed, 300), FlameOrder::Time);
        Rng rng(seed);
        double low = rng.uniform(0, 0.9) * double(tree.totalNs());
        FlameRange range{low, low + rng.uniform(0.01, 1) * (double(tree.totalNs()) - low)};
        FlameLayout layout(tree, range, 640);
        for (int depth = 0; depth < layout.depth(); ++depth) {
            double last = 0;
            for (const FlameBox& box : layout.row(depth)) {
                ASSERT_GE(box.left, last - 1e-9);
                ASSERT_GT(box.right, box.left);
                ASSERT_LE(box.right, 640 + 1e-9);
                last = box.right;
                const double middle = (box.left + box.right) / 2;
                ASSERT_EQ(layout.hit(depth, middle), &box);
                ASSERT_TRUE(depth == 0 || layout.hit(depth - 1, middle));
                if (box.spans == 1 && box.width() >= FlameLayout::kMergeBelow) {
                    ASSERT_NEAR(box.left, std::max(0.0, layout.xOf(double(tree.nodes[box.node].startNs))), 1e-6);
                }
            }
        }
        EXPECT_EQ(layout.hit(0, -1), nullptr);
        EXPECT_EQ(layout.hit(0, 641), nullptr);
        EXPECT_EQ(layout.hit(99, 10), nullptr);
        EXPECT_NEAR(layout.xOf(layout.nsOf(123.5)), 123.5, 1e-6);
    }
}

TEST(FlameLayout, MergingKeepsEverySpanAndAllOfTheWidth) {
    ProfileBuilder b("net");
    for (int i = 0; i < 5000; ++i) b.op("op" + std::to_string(i), 0, graph::OpKind::Other, i, i * 10, 10);
    FlameTree tree = runTree(b.finish(50000), FlameOrder::Time);
    FlameLayout layout(tree, {0, 50000}, 800);
    int spans = 0;
    double width = 0;
    for (const FlameBox& box : layout.row(1)) {
        spans += box.spans;
        width += box.width();
    }
    EXPECT_EQ(spans, 5000);
    EXPECT_NEAR(width, 800, 1e-6);
    EXPECT_LE(layout.row(1).size(), 800 / FlameLayout::kMergeBelow + 1);
    // Zoomed in, every span has its own box again.
    EXPECT_EQ(FlameLayout(tree, {1000, 1100}, 800).row(1).size(), 10u);
}

TEST(FlameLayout, NothingToShow) {
    FlameTree tree = runTree(byHand(), FlameOrder::Time);
    EXPECT_EQ(FlameLayout({}, {0, 1}, 100).depth(), 0);
    EXPECT_EQ(FlameLayout(tree, {0, 0}, 100).depth(), 0);
    EXPECT_EQ(FlameLayout(tree, {0, 10}, 0).depth(), 0);
    EXPECT_EQ(FlameLayout().hit(0, 0), nullptr);
}

TEST(FlameLayout, FiftyThousandSpansAreLaidOutInAFrame) {
    FlameTree tree = runTree(randomProfile(7, 50000), FlameOrder::Time);
    ASSERT_GT(tree.nodes.size(), 45000u);
    auto begin = std::chrono::steady_clock::now();
    size_t boxes = 0;
    for (int i = 0; i < 10; ++i) boxes += FlameLayout(tree, {0, double(tree.totalNs())}, 1400).row(2).size();
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / 10;
    EXPECT_GT(boxes, 0u);
    EXPECT_LT(ms, 100);  // 1 ms here; a frame is 16, a loaded or instrumented machine gets room
}

TEST(FlameAxis, MarksAreRound) {
    EXPECT_EQ(axisMarks({0, 5.12e6}, 740, 70),
              (std::vector<double>{0, 0.5e6, 1e6, 1.5e6, 2e6, 2.5e6, 3e6, 3.5e6, 4e6, 4.5e6, 5e6}));
    EXPECT_EQ(axisMarks({130, 471}, 300, 60), (std::vector<double>{200, 300, 400}));
    EXPECT_TRUE(axisMarks({0, 0}, 300, 60).empty());
}

}  // namespace
}  // namespace fettle::ui
