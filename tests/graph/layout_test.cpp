// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/graph/tensor.h"

namespace fettle::graph {
namespace {

Tensor counting(Shape shape) {
    std::vector<double> values(elementCount(shape));
    std::iota(values.begin(), values.end(), 1.0);
    return fromDoubles(DType::Float32, std::move(shape), values);
}

std::vector<float> physical(const Tensor& tensor) {
    const auto values = tensor.as<float>();
    return {values.begin(), values.end()};
}

TEST(Layout, BlockedChannelsPadTheLastBlockWithZero) {
    Layout layout;
    layout.blocks = {{1, 2}};
    const Tensor blocked = relayout(counting({1, 3, 2}), layout);
    EXPECT_EQ(physicalShape(blocked.type), (Shape{1, 2, 2, 2}));
    EXPECT_EQ(physical(blocked), (std::vector<float>{1, 3, 2, 4, 5, 0, 6, 0}));
}

TEST(Layout, TwoBlocksAreInnermostInTheirOrder) {
    Layout layout;
    layout.blocks = {{1, 2}, {0, 2}};  // OIhw2i2o
    const Tensor blocked = relayout(counting({2, 2}), layout);
    EXPECT_EQ(physicalShape(blocked.type), (Shape{1, 1, 2, 2}));
    EXPECT_EQ(physical(blocked), (std::vector<float>{1, 3, 2, 4}));
}

TEST(Layout, OrderPermutesTheOuterDimensions) {
    Layout layout;
    layout.order = {1, 0};
    layout.blocks = {{1, 2}};
    const Tensor packed = relayout(counting({2, 4}), layout);  // [K=2,N=4] as [N/2][K][2]
    EXPECT_EQ(physicalShape(packed.type), (Shape{2, 2, 2}));
    EXPECT_EQ(physical(packed), (std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(Layout, HaloIsABorderOfZeros) {
    Layout layout;
    layout.haloBefore = {0, 1};
    layout.haloAfter = {0, 2};
    const Tensor haloed = relayout(counting({2, 2}), layout);
    EXPECT_EQ(physicalShape(haloed.type), (Shape{2, 5}));
    EXPECT_EQ(physical(haloed), (std::vector<float>{0, 1, 2, 0, 0, 0, 3, 4, 0, 0}));
}

TEST(Layout, EveryLayoutRoundTrips) {
    const Tensor plain = counting({3, 5, 4, 7});
    std::vector<Layout> layouts(5);
    layouts[0].blocks = {{1, 4}};
    layouts[1].blocks = {{1, 4}, {0, 2}};
    layouts[2].order = {2, 3, 1, 0};
    layouts[3].blocks = {{1, 16}};
    layouts[3].haloBefore = {0, 0, 1, 2};
    layouts[3].haloAfter = {0, 0, 3, 0};
    layouts[4].blocks = {{1, 4}, {0, 2}, {1, 2}};
    layouts[4].order = {3, 2, 0, 1};
    for (const Layout& from : layouts)
        for (const Layout& to : layouts) {
            const Tensor there = relayout(relayout(plain, from), to);
            EXPECT_EQ(there.data().size(), static_cast<size_t>(physicalBytes(there.type))) << layoutText(to);
            EXPECT_EQ(toDoubles(there), toDoubles(plain)) << layoutText(from) << " -> " << layoutText(to);
        }
}

TEST(Layout, TextNamesOrderBlocksAndHalo) {
    Layout layout;
    EXPECT_EQ(layoutText(layout), "plain");
    layout.blocks = {{1, 16}};
    EXPECT_EQ(layoutText(layout), "b1x16");
    layout.haloBefore = layout.haloAfter = {0, 0, 1, 1};
    EXPECT_EQ(typeText({DType::Float32, {1, 64, 56, 56}, layout}), "float32[1,64,56,56] b1x16 halo 0,0,1,1/0,0,1,1");
}

TEST(Tensor, IntegersSaturateAndFloatsRound) {
    const std::vector<double> values = {-1e30, -2.5, 0.5, 1.5, 300};
    EXPECT_EQ(toInts(fromDoubles(DType::UInt8, {5}, values)), (std::vector<int64_t>{0, 0, 0, 2, 255}));
    EXPECT_EQ(toInts(fromDoubles(DType::Int64, {5}, values)),
              (std::vector<int64_t>{std::numeric_limits<int64_t>::min(), -2, 0, 2, 300}));
    EXPECT_EQ(toDoubles(fromDoubles(DType::Float16, {1}, std::vector<double>{1.0 / 3}))[0], 0.333251953125);
    EXPECT_EQ(toDoubles(fromDoubles(DType::BFloat16, {1}, std::vector<double>{1.0 / 3}))[0], 0.333984375);
}

TEST(Tensor, RandomIsTheSameForTheSameSeedInAnyLayout) {
    TensorType type{DType::Float32, {2, 6, 3}, {}};
    const Tensor plain = randomTensor(type, 7);
    type.layout.blocks = {{1, 4}};
    EXPECT_EQ(toDoubles(randomTensor(type, 7)), toDoubles(plain));
    EXPECT_NE(toDoubles(randomTensor(type, 8)), toDoubles(plain));
}

TEST(Tensor, DifferenceIsRelativeToTheLargestExpected) {
    const Tensor expected = fromDoubles(DType::Float32, {3}, std::vector<double>{0, 2, -4});
    const Tensor actual = fromDoubles(DType::Float32, {3}, std::vector<double>{1, 2, -4});
    const Difference difference = compareTensors(actual, expected);
    EXPECT_EQ(difference.maxAbs, 1);
    EXPECT_EQ(difference.maxRel, 0.25);
    EXPECT_EQ(difference.at, 0);
    EXPECT_FALSE(difference.finiteMismatch);
    const Tensor nan = fromDoubles(DType::Float32, {3}, std::vector<double>{0, NAN, -4});
    EXPECT_TRUE(compareTensors(nan, expected).finiteMismatch);
    EXPECT_EQ(compareTensors(nan, nan).maxAbs, 0);
}

}  // namespace
}  // namespace fettle::graph
