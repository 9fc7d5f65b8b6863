// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/index.h"

#include <gtest/gtest.h>

#include "core/loop/scalar.h"
#include "core/support/random.h"

namespace fettle::loop {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};
const std::vector<Range> kRanges = {{0, 6}, {0, 15}, {0, 2}};

std::string simplified(const Index& index) {
    return print(simplify(index, kRanges), kNames);
}

TEST(Index, SimplifiesBlockedAddresses) {
    const Index a = Index::axis(0), b = Index::axis(1), c = Index::axis(2);
    EXPECT_EQ(simplified(floorDiv(a * 16 + b, 16)), "a");
    EXPECT_EQ(simplified(mod(a * 16 + b, 16)), "b");
    EXPECT_EQ(simplified(floorDiv(a * 16 + b + Index(16), 16)), "a + 1");
    EXPECT_EQ(simplified(floorDiv(a, 16)), "0");
    EXPECT_EQ(simplified(mod(a * 32 + c, 16)), "c");
    EXPECT_EQ(simplified(floorDiv(b, 4) * 4 + mod(b, 4)), "b");
    EXPECT_EQ(simplified(floorDiv(floorDiv(b, 2), 4)), "b/8");
    EXPECT_EQ(simplified(floorDiv(a * 16 + b * 2, 16)), "a + b*2/16");
    EXPECT_EQ(simplified(a - a + c * 0 + Index(3)), "3");
}

Index randomIndex(Rng& rng, int depth) {
    if (depth == 0) return rng.below(4) == 0 ? Index(rng.below(9) - 4) : Index::axis(static_cast<int>(rng.below(3)));
    switch (rng.below(5)) {
        case 0:
            return randomIndex(rng, depth - 1) * (rng.below(9) - 4);
        case 1:
            return floorDiv(randomIndex(rng, depth - 1), 1 + rng.below(20));
        case 2:
            return mod(randomIndex(rng, depth - 1), 1 + rng.below(20));
        default:
            return randomIndex(rng, depth - 1) + randomIndex(rng, depth - 1);
    }
}

TEST(Index, SimplificationKeepsEveryValueAndItsRange) {
    Rng rng(7);
    for (int round = 0; round < 400; ++round) {
        const Index original = randomIndex(rng, 4), simple = simplify(original, kRanges);
        const Range range = rangeOf(simple, kRanges);
        for (int64_t a = 0; a <= 6; ++a)
            for (int64_t b = 0; b <= 15; b += 3)
                for (int64_t c = 0; c <= 2; ++c) {
                    const std::vector<int64_t> at = {a, b, c};
                    const int64_t value = evaluate(original, at);
                    ASSERT_EQ(value, evaluate(simple, at))
                        << print(original, kNames) << " -> " << print(simple, kNames);
                    ASSERT_LE(range.low, value);
                    ASSERT_GE(range.high, value);
                }
    }
}

TEST(Index, FindsAffineForms) {
    const Affine form = affine(Index::axis(0) * 3 + (Index::axis(2) - Index::axis(0)) * 2 + Index(5), 3);
    ASSERT_TRUE(form.valid);
    EXPECT_EQ(form.constant, 5);
    EXPECT_EQ(form.coefficients, (std::vector<int64_t>{1, 0, 2}));
    EXPECT_FALSE(affine(mod(Index::axis(0), 3), 3).valid);
}

TEST(Index, SubstitutesInsideDataDependentParts) {
    const Index gather = Index::loaded(load(0, {Index::axis(0) + Index::axis(1)}, DType::Int64)) * 2;
    const std::vector<Index> values = {Index::axis(1), Index(4), Index(0)};
    EXPECT_EQ(print(substitute(gather, values), kNames), "{t0[b + 4]}*2");
    // through a scalar, once and not twice
    const Scalar read = substituteAxes(load(1, {gather}), {Index::axis(1), Index::axis(2), Index(0)});
    EXPECT_EQ(print(read, {}, kNames), "t1[{t0[b + c]}*2]");
}

}  // namespace
}  // namespace fettle::loop
