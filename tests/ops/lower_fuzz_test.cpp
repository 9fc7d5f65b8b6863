// SPDX-License-Identifier: GPL-3.0-or-later
// Random shapes of every family through the passes and the lowering, against the reference.
#include <gtest/gtest.h>

#include "tests/ops/check_lowering.h"
#include "tests/ops/model_builder.h"

namespace fettle::test {
namespace {

constexpr int kLanes[] = {1, 4, 8, 16};
constexpr int kRounds = 20;

int64_t pick(Rng& rng, std::initializer_list<int64_t> values) {
    return values.begin()[rng.below(static_cast<int64_t>(values.size()))];
}

int lanesOf(Rng& rng) {
    return kLanes[rng.below(4)];
}

Attributes window(Rng& rng, int64_t kernel, size_t rank, bool padded) {
    std::vector<int64_t> strides, pads;
    for (size_t d = 0; d < rank; ++d) strides.push_back(pick(rng, {1, 1, 2, 3}));
    for (size_t d = 0; d < 2 * rank; ++d) pads.push_back(padded ? rng.below(std::min<int64_t>(kernel, 3)) : 0);
    return {{"strides", strides}, {"pads", pads}, {"kernel_shape", std::vector<int64_t>(rank, kernel)}};
}

// conv -> relu -> conv: blocked values with halo in between, odd channels, groups, dilation, residual.
TEST(LowerFuzz, ConvolutionsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round);
        ModelBuilder m;
        const int64_t channels = pick(rng, {1, 3, 4, 8, 12, 16, 17, 24}), size = 7 + rng.below(4);
        const ValueId x = m.input("x", {1 + rng.below(2), channels, size, size});
        const int64_t k1 = pick(rng, {1, 2, 3, 5}), mid = pick(rng, {2, 4, 6, 8, 16, 20, 24, 32});
        ValueId v = m.node("Conv", {x, m.weights({mid, channels, k1, k1}), m.weights({mid})}, window(rng, k1, 2, true));
        v = m.node(rng.below(2) ? "Relu" : "Sigmoid", {v});
        const int64_t left = std::min(m.graph.values[static_cast<size_t>(v)].type.shape[2],
                                      m.graph.values[static_cast<size_t>(v)].type.shape[3]);
        const int64_t k2 = std::min<int64_t>(pick(rng, {1, 3, 3}), left);
        const int64_t groups = pick(rng, {1, 1, 2, mid});
        const int64_t out = groups == 1 ? pick(rng, {3, 16, 18, 32}) : groups * pick(rng, {1, 1, 2, 16 / groups + 1});
        Attributes attributes = window(rng, k2, 2, true);
        attributes["group"] = groups;
        if (rng.below(3) == 0 && left >= 2 * k2) attributes["dilations"] = std::vector<int64_t>{2, 1};
        v = m.node("Conv", {v, m.weights({out, mid / groups, k2, k2})}, attributes);
        if (rng.below(2)) v = m.node("Add", {v, m.node("Sigmoid", {v})});
        checkModel(m.finish({v}), lanesOf(rng), round);
    }
}

TEST(LowerFuzz, PoolsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 1000);
        ModelBuilder m;
        const int64_t channels = pick(rng, {1, 3, 8, 16, 20});
        const ValueId x = m.input("x", {1, 3, 9 + rng.below(4), 9 + rng.below(4)});
        ValueId v = m.node("Conv", {x, m.weights({channels, 3, 3, 3})}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
        const int64_t kernel = pick(rng, {2, 3});
        Attributes attributes = window(rng, kernel, 2, rng.below(2) != 0);
        attributes["ceil_mode"] = rng.below(2);
        if (rng.below(4) == 0) {
            attributes.erase("pads");
            attributes["auto_pad"] = std::string(rng.below(2) ? "SAME_UPPER" : "SAME_LOWER");
        }
        const bool average = rng.below(2) != 0;
        if (average) attributes["count_include_pad"] = rng.below(2);
        v = m.node(average ? "AveragePool" : "MaxPool", {v}, attributes);
        if (rng.below(2)) v = m.node(rng.below(2) ? "GlobalAveragePool" : "GlobalMaxPool", {v});
        checkModel(m.finish({v}), lanesOf(rng), round);
    }
}

TEST(LowerFuzz, MatmulsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 2000);
        ModelBuilder m;
        const int64_t rows = 1 + rng.below(7), inner = 1 + rng.below(40), cols = 1 + rng.below(40);
        const ValueId x = m.input("x", rng.below(2) ? Shape{rows, inner} : Shape{2, rows, inner});
        ValueId v = m.node("MatMul", {x, m.weights({inner, cols})});
        v = m.node("Add", {v, m.weights({cols})});
        v = m.node("Div", {v, m.numbers({}, {3.0})});
        const ValueId half = m.node("Mul", {v, m.numbers({}, {0.5})});
        v = m.node("Mul", {half, m.node("Erf", {v})});
        const Shape shape = m.graph.values[static_cast<size_t>(v)].type.shape;
        if (shape.size() == 2) {
            const bool transposed = rng.below(2) != 0;
            v = m.node("Gemm", {v, m.weights(transposed ? Shape{5, cols} : Shape{cols, 5}), m.weights({5})},
                       {{"transB", int64_t{transposed}}, {"alpha", 0.5f}, {"beta", 2.0f}});
        }
        v = m.node(rng.below(2) ? "Softmax" : "LogSoftmax", {v}, {{"axis", int64_t{-1}}});
        checkModel(m.finish({v}), lanesOf(rng), round);
    }
}

// Heads of attention: projections, reshape + transpose, products, softmax, back.
TEST(LowerFuzz, AttentionReadsThroughItsTransposes) {
    for (uint64_t round = 0; round < 12; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 3000);
        ModelBuilder m;
        const int64_t heads = 1 + rng.below(3), depth = pick(rng, {4, 8, 16}), length = 3 + rng.below(5);
        const int64_t width = heads * depth;
        const ValueId x = m.input("x", {1, length, width});
        const auto project = [&](std::vector<int64_t> perm) {
            const ValueId y = m.node("Add", {m.node("MatMul", {x, m.weights({width, width})}), m.weights({width})});
            const ValueId split = m.node("Reshape", {y, m.ints({1, length, heads, depth})});
            return m.node("Transpose", {split}, {{"perm", std::move(perm)}});
        };
        const ValueId q = project({0, 2, 1, 3}), k = project({0, 2, 3, 1}), value = project({0, 2, 1, 3});
        ValueId v = m.node("Softmax", {m.node("Div", {m.node("MatMul", {q, k}), m.numbers({}, {4.0})})},
                           {{"axis", int64_t{-1}}});
        v = m.node("MatMul", {v, value});
        v = m.node("Reshape", {m.node("Transpose", {v}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}),
                               m.ints({1, length, width})});
        v = m.node("Add", {m.node("MatMul", {v, m.weights({width, width})}), x});
        const auto fused = checkModel(m.finish({v}), lanesOf(rng), round);
        EXPECT_EQ(fused.groups.size(), 7u)
            << graph::print(fused.graph);  // three projections, two products, softmax, last
    }
}

TEST(LowerFuzz, NormalisationsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 4000);
        ModelBuilder m(rng.below(2) ? 17 : 11);
        const int64_t width = 2 + rng.below(30);
        const ValueId x = m.input("x", {2, 1 + rng.below(5), width});
        ValueId v = m.node("Add", {x, m.node("Tanh", {x})});
        const auto axes = Attributes{{"axes", std::vector<int64_t>{-1}}};
        const ValueId centred = m.node("Sub", {v, m.node("ReduceMean", {v}, axes)});
        const ValueId variance = m.node("ReduceMean", {m.node("Pow", {centred, m.numbers({}, {2.0})})}, axes);
        const ValueId root = m.node("Sqrt", {m.node("Add", {variance, m.numbers({}, {1e-5})})});
        v = m.node("Mul", {m.node("Div", {centred, root}), m.weights({width})});
        v = m.node("Add", {v, m.weights({width})});
        if (rng.below(2))
            v = m.node("ReduceMean", {v}, {{"axes", std::vector<int64_t>{1}}, {"keepdims", rng.below(2)}});
        const auto fused = checkModel(m.finish({v}), lanesOf(rng), round, 1e-4);
        EXPECT_LE(fused.groups.size(), 2u) << graph::print(fused.graph);
    }
}

TEST(LowerFuzz, MovementsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 5000);
        ModelBuilder m;
        const int64_t c = pick(rng, {4, 8, 16}), h = 2 * (1 + rng.below(3)), w = 2 * (1 + rng.below(3));
        const ValueId x = m.input("x", {1, c, h, w});
        ValueId v = m.node("Conv", {x, m.weights({c, c, 1, 1})});
        switch (rng.below(8)) {
            case 0:
                v = m.node("DepthToSpace", {v},
                           {{"blocksize", int64_t{2}}, {"mode", std::string(rng.below(2) ? "CRD" : "DCR")}});
                break;
            case 1:
                v = m.node("SpaceToDepth", {v}, {{"blocksize", int64_t{2}}});
                break;
            case 2:
                v = m.node("Reshape", {m.node("Transpose", {v}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}}),
                                       m.ints({1, -1, c / 2})});
                break;
            case 3: {  // a channel shuffle
                v = m.node("Transpose", {m.node("Reshape", {v, m.ints({c / 2, 2, h * w})})},
                           {{"perm", std::vector<int64_t>{1, 0, 2}}});
                v = m.node("Reshape", {v, m.ints({2, 1, c / 2, h, w})});
                const ValueId a = m.node("Gather", {v, m.numbers({}, {0}, DType::Int64)}, {{"axis", int64_t{0}}});
                const ValueId b = m.node("Gather", {v, m.numbers({}, {1}, DType::Int64)}, {{"axis", int64_t{0}}});
                v = m.node("Concat", {m.node("Conv", {a, m.weights({c, c / 2, 1, 1})}), b}, {{"axis", int64_t{1}}});
                break;
            }
            case 4:
                v = m.node("Slice", {v, m.ints({-1, 1}), m.ints({-1000, 1000}), m.ints({2, 3}), m.ints({-1, 2})});
                break;
            case 5:
                v = m.node("Pad", {v, m.ints({0, 0, 1, 2, 0, 0, 0, 1})},
                           {{"mode", std::string(rng.below(2)   ? "constant"
                                                 : rng.below(2) ? "edge"
                                                                : "reflect")}});
                break;
            case 6: {
                const auto parts = m.nodes("Split", {v, m.ints({c / 4, c - c / 4})}, {{"axis", int64_t{1}}}, 2);
                v = m.node("Concat", {parts[1], m.node("Relu", {parts[0]})}, {{"axis", int64_t{1}}});
                break;
            }
            default:
                v = m.node("Gather", {v, m.numbers({2, 2}, {3, 0, -1, 1}, DType::Int64)}, {{"axis", int64_t{1}}});
        }
        checkModel(m.finish({m.node("Relu", {v})}), lanesOf(rng), round);
    }
}

TEST(LowerFuzz, ResizesAreTheReference) {
    const char* const kTransforms[] = {"asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"};
    const char* const kRoundings[] = {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 6000);
        ModelBuilder m(13);
        const ValueId x = m.input("x", {1, 5, 4 + rng.below(4), 4 + rng.below(4)});
        const std::string mode = rng.below(2) ? "nearest" : "linear";
        const Attributes attributes = {{"mode", mode},
                                       {"coordinate_transformation_mode", std::string(kTransforms[rng.below(4)])},
                                       {"nearest_mode", std::string(kRoundings[rng.below(4)])}};
        const ValueId none = m.numbers({0}, {});
        ValueId v;
        if (rng.below(2))
            v = m.node("Resize", {x, none, m.numbers({4}, {1, 1, static_cast<double>(1 + rng.below(3)), 2})},
                       attributes);
        else
            v = m.node("Resize", {x, none, graph::kNone, m.ints({1, 5, 2 + rng.below(12), 2 + rng.below(12)})},
                       attributes);
        SCOPED_TRACE(graph::print(m.graph));
        checkModel(m.finish({v}), lanesOf(rng), round);
    }
}

// Every lowered operator of one operand, on both sides of its corners.
TEST(LowerFuzz, UnaryOperatorsAreTheReference) {
    for (const char* op :
         {"Abs",       "Ceil",           "Celu",        "Cos",  "Elu",  "Erf",      "Exp",      "Floor",      "Gelu",
          "HardSwish", "LeakyRelu",      "HardSigmoid", "Log",  "Mish", "Neg",      "Relu",     "Reciprocal", "Round",
          "Selu",      "Shrink",         "Sigmoid",     "Sign", "Sin",  "Softplus", "Softsign", "Sqrt",       "Swish",
          "Tanh",      "ThresholdedRelu"}) {
        SCOPED_TRACE(op);
        ModelBuilder m(24);
        const ValueId x = m.node("Mul", {m.input("x", {3, 37}), m.numbers({}, {3})});
        checkModel(m.finish({m.node(op, {x})}), 8, 1);
    }
}

TEST(LowerFuzz, TransposedConvolutionsAreTheReference) {
    for (uint64_t round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        Rng rng(round + 7000);
        ModelBuilder m;
        const int64_t channels = pick(rng, {3, 8, 16}), groups = channels == 3 ? 1 : pick(rng, {1, 1, 2});
        const int64_t kernel = pick(rng, {2, 3, 4}), stride = pick(rng, {1, 2, 3}), pad = rng.below(2);
        const ValueId x = m.input("x", {1, channels, 4, 5});
        ValueId v = m.node("Conv", {x, m.weights({channels, channels, 1, 1})});
        Attributes attributes = {{"strides", std::vector<int64_t>{stride, stride}},
                                 {"output_padding", std::vector<int64_t>{0, stride - 1}},
                                 {"group", groups}};
        switch (rng.below(3)) {
            case 0:
                attributes["pads"] = std::vector<int64_t>{pad, pad, pad, pad};
                break;
            case 1:
                attributes["auto_pad"] = std::string(rng.below(2) ? "SAME_UPPER" : "SAME_LOWER");
                break;
            default:
                attributes["output_shape"] = std::vector<int64_t>{3 + 3 * stride, 4 + 4 * stride};
        }
        v = m.node("ConvTranspose", {v, m.weights({channels, 6, kernel, kernel}), m.weights({6 * groups})}, attributes);
        checkModel(m.finish({m.node("Relu", {v})}), lanesOf(rng), round);
    }
}

}  // namespace
}  // namespace fettle::test
