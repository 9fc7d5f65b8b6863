// SPDX-License-Identifier: GPL-3.0-or-later
// Each pass on a small graph: what is left of it, and that the reference computes the same before and after.
#include "core/graph/passes.h"

#include <gtest/gtest.h>

#include "core/ops/traits.h"
#include "tests/ops/model_builder.h"

namespace fettle::test {
namespace {

// The operators of a graph, in order: "Conv Relu".
std::string operators(const graph::Graph& graph) {
    std::string text;
    for (const graph::Node& node : graph.nodes) text += (text.empty() ? "" : " ") + node.op;
    return text;
}

// The graph after the pass; checks that its outputs are those before.
graph::Graph after(const graph::Graph& before, const Result<graph::Graph>& result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    if (!result) return before;
    std::vector<Tensor> inputs;
    for (graph::ValueId id : before.inputs)
        inputs.push_back(graph::randomTensor(before.values[static_cast<size_t>(id)].type, 7 + inputs.size()));
    const auto expected = ops::evaluateGraph(before, inputs), actual = ops::evaluateGraph(*result, inputs);
    EXPECT_TRUE(expected && actual) << (actual ? "" : actual.error().message());
    if (!expected || !actual) return *result;
    for (size_t i = 0; i < expected->size(); ++i) {
        const graph::Difference difference = graph::compareTensors((*actual)[i], (*expected)[i]);
        EXPECT_FALSE(difference.finiteMismatch);
        EXPECT_LT(difference.maxRel, 1e-5);
        EXPECT_EQ(result->values[static_cast<size_t>(result->outputs[i])].name,
                  before.values[static_cast<size_t>(before.outputs[i])].name);
    }
    return *result;
}

TEST(FoldConstants, ShapesAndWhatFollowsFromThem) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3, 4});
    const ValueId rows = m.node("Slice", {m.node("Shape", {x}), m.ints({0}), m.ints({1})});
    const ValueId target = m.node("Concat", {rows, m.ints({12})}, {{"axis", int64_t{0}}});
    const ValueId number = m.node("Cast", {target}, {{"to", int64_t{1}}});
    const graph::Graph before = m.finish({m.node("Mul", {m.input("z", {2}), number})});
    EXPECT_EQ(operators(after(before, graph::foldConstants(before, ops::traits(), {}))), "Mul");
}

TEST(FoldConstants, KeepsWhatWouldBeTooLarge) {
    ModelBuilder m;
    const ValueId x = m.input("x", {64});
    const ValueId big = m.node("Expand", {m.numbers({1}, {2}), m.ints({64})});
    const graph::Graph before = m.finish({m.node("Add", {x, big})});
    graph::PassOptions options;
    options.foldLimitBytes = 255;
    EXPECT_EQ(operators(after(before, graph::foldConstants(before, ops::traits(), options))), "Expand Add");
    options.foldLimitBytes = 256;
    EXPECT_EQ(operators(after(before, graph::foldConstants(before, ops::traits(), options))), "Add");
}

struct SimplifyCase {
    const char* name;
    ValueId (*build)(ModelBuilder& m, ValueId x);  // x is float32[2,3,4]
    const char* left;
};

class Simplify : public testing::TestWithParam<SimplifyCase> {};

TEST_P(Simplify, LeavesTheSameResult) {
    ModelBuilder m;
    const ValueId x = m.node("Abs", {m.input("x", {2, 3, 4})});
    const graph::Graph before = m.finish({m.node("Neg", {GetParam().build(m, x)})});
    EXPECT_EQ(operators(after(before, graph::simplify(before, ops::traits()))), GetParam().left);
}

const SimplifyCase kSimplify[] = {
    {"identity", [](ModelBuilder& m, ValueId x) { return m.node("Identity", {x}); }, "Abs Neg"},
    {"dropout", [](ModelBuilder& m, ValueId x) { return m.node("Dropout", {x}); }, "Abs Neg"},
    {"addZero",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Add", {m.numbers({}, {0}), x});
     },
     "Abs Neg"},
    {"timesOne",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Div", {x, m.numbers({1}, {1})});
     },
     "Abs Neg"},
    {"zeroMinus",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Sub", {m.numbers({}, {0}), x});
     },
     "Abs Sub Neg"},
    {"sameShape",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Reshape", {x, m.ints({0, 3, -1})});
     },
     "Abs Neg"},
    {"reshapes",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Unsqueeze", {m.node("Flatten", {x}), m.ints({0})});
     },
     "Abs Reshape Neg"},
    {"thereAndBack",
     [](ModelBuilder& m, ValueId x) {
         return m.node("Reshape", {m.node("Flatten", {x}), m.ints({2, 3, 4})});
     },
     "Abs Neg"},
    {"transposes",
     [](ModelBuilder& m, ValueId x) {
         const Attributes perm = {{"perm", std::vector<int64_t>{2, 0, 1}}};
         return m.node("Transpose", {m.node("Transpose", {x}, perm)}, perm);
     },
     "Abs Transpose Neg"},
    {"transposesCancel",
     [](ModelBuilder& m, ValueId x) {
         const ValueId y = m.node("Transpose", {x}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
         return m.node("Transpose", {y}, {{"perm", std::vector<int64_t>{1, 2, 0}}});
     },
     "Abs Neg"},
    {"transposeOfUnits",
     [](ModelBuilder& m, ValueId x) {
         const ValueId y = m.node("Reshape", {x, m.ints({6, 1, 4})});
         return m.node("Transpose", {y}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
     },
     "Abs Reshape Neg"},
    {"split",
     [](ModelBuilder& m, ValueId x) {
         const auto parts = m.nodes("Split", {x, m.ints({1, 3})}, {{"axis", int64_t{-1}}}, 2);
         return m.node("Concat", {parts[1], parts[0]}, {{"axis", int64_t{2}}});
     },
     "Abs Slice Slice Concat Neg"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Simplify, testing::ValuesIn(kSimplify),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SimplifyGraph, OutputsKeepTheirNames) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3});
    const graph::Graph before = m.finish({m.node("Identity", {m.node("Abs", {x})}), m.node("Identity", {x})});
    EXPECT_EQ(operators(after(before, graph::simplify(before, ops::traits()))), "Abs Identity");
}

TEST(SimplifyGraph, GemmTransposesItsConstantOnce) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3});
    const graph::Graph before =
        m.finish({m.node("Gemm", {x, m.weights({5, 3}), m.weights({5})}, {{"transB", int64_t{1}}})});
    const graph::Graph left = after(before, graph::simplify(before, ops::traits()));
    EXPECT_EQ(left.nodes[0].intOr("transB", 1), 0);
    EXPECT_EQ(left.values[static_cast<size_t>(left.nodes[0].inputs[1])].type.shape, (Shape{3, 5}));
}

TEST(FoldBatchNorm, IntoTheConvolutionBefore) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 5, 5});
    const auto norm = [&](ValueId v, int64_t c) {
        return m.node("BatchNormalization", {v, m.weights({c}), m.weights({c}), m.weights({c}),
                                             m.numbers({c}, std::vector<double>(static_cast<size_t>(c), 0.7))});
    };
    ValueId v = norm(m.node("Conv", {x, m.weights({4, 3, 3, 3})}), 4);
    v = norm(m.node("Conv", {m.node("Relu", {v}), m.weights({6, 2, 1, 1}), m.weights({6})}, {{"group", int64_t{2}}}),
             6);
    v = norm(m.node("ConvTranspose", {m.node("Relu", {v}), m.weights({6, 5, 2, 2})}), 5);
    const graph::Graph before = m.finish({v});
    EXPECT_EQ(operators(after(before, graph::foldBatchNorm(before))), "Conv Relu Conv Relu ConvTranspose");
}

TEST(FoldBatchNorm, NotWhereSomeoneElseReadsTheConvolution) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 5, 5});
    const ValueId conv = m.node("Conv", {x, m.weights({4, 3, 3, 3})});
    const ValueId norm = m.node("BatchNormalization",
                                {conv, m.weights({4}), m.weights({4}), m.weights({4}), m.numbers({4}, {1, 1, 1, 1})});
    const graph::Graph before = m.finish({m.node("Add", {conv, norm})});
    EXPECT_EQ(operators(after(before, graph::foldBatchNorm(before))), "Conv BatchNormalization Add");
}

TEST(RecognisePatterns, LayerNormSpeltOut) {
    for (bool twoSubs : {false, true}) {
        ModelBuilder m(13);
        const ValueId x = m.input("x", {2, 3, 8});
        const Attributes axes = {{"axes", std::vector<int64_t>{-1}}};
        const auto centred = [&] { return m.node("Sub", {x, m.node("ReduceMean", {x}, axes)}); };
        const ValueId d = centred(), e = twoSubs ? centred() : d;
        const ValueId variance = m.node("ReduceMean", {m.node("Pow", {e, m.numbers({}, {2})})}, axes);
        const ValueId root = m.node("Sqrt", {m.node("Add", {variance, m.numbers({}, {1e-5})})});
        const ValueId scaled = m.node("Mul", {m.node("Div", {d, root}), m.weights({8})});
        const graph::Graph before = m.finish({m.node("Add", {scaled, m.weights({8})})});
        EXPECT_EQ(operators(after(before, graph::recognisePatterns(before))), "LayerNormalization");
    }
}

// Not a layer norm: the mean is over another dimension than the variance.
TEST(RecognisePatterns, LeavesWhatOnlyLooksLikeIt) {
    ModelBuilder m(13);
    const ValueId x = m.input("x", {2, 8, 8});
    const Attributes last = {{"axes", std::vector<int64_t>{-1}}}, other = {{"axes", std::vector<int64_t>{1}}};
    const ValueId d = m.node("Sub", {x, m.node("ReduceMean", {x}, other)});
    const ValueId variance = m.node("ReduceMean", {m.node("Mul", {d, d})}, last);
    const ValueId root = m.node("Sqrt", {m.node("Add", {variance, m.numbers({}, {1e-5})})});
    const graph::Graph before = m.finish({m.node("Mul", {m.node("Div", {d, root}), m.weights({8})})});
    EXPECT_EQ(after(before, graph::recognisePatterns(before)).nodes.size(), before.nodes.size());
}

TEST(ChooseLayouts, BlocksPadsAndReordersOnlyAtTheEdges) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 8, 8});
    const Attributes padded = {{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    ValueId v = m.node("Relu", {m.node("Conv", {x, m.weights({8, 3, 3, 3})}, padded)});
    v = m.node("MaxPool", {v}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
    v = m.node("Conv", {v, m.weights({12, 8, 3, 3})}, padded);
    const graph::Graph before = m.finish({v});
    graph::PassOptions options;
    options.lanes = 8;
    const graph::Graph left = after(before, graph::chooseLayouts(before, ops::traits(), options));
    std::string text = "\n";
    for (const graph::Node& node : left.nodes)
        text += node.op + " " + graph::typeText(left.values[static_cast<size_t>(node.outputs[0])].type) + "\n";
    EXPECT_EQ(text, R"(
fettle.Reorder float32[1,3,8,8] halo 0,0,1,1/0,0,1,1
Conv float32[1,8,8,8] b1x8
Relu float32[1,8,8,8] b1x8
MaxPool float32[1,8,4,4] b1x8 halo 0,0,1,1/0,0,1,1
Conv float32[1,12,4,4] b1x8
fettle.Reorder float32[1,12,4,4]
)");
}

// The names of the nodes of every group, one group a line.
std::string groups(const graph::Graph& graph) {
    const auto fused = graph::fuse(graph, ops::traits());
    if (!fused) return fused.error().message();
    std::string text = "\n";
    for (const graph::Group& group : fused->groups) {
        for (graph::NodeId id : group.nodes) text += fused->graph.nodes[static_cast<size_t>(id)].name + " ";
        text.back() = '\n';
    }
    return text;
}

TEST(Fuse, ResidualJoinsTheLaterBranch) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 8, 4, 4});
    const ValueId a = m.node("Relu", {m.node("Conv", {x, m.weights({8, 8, 1, 1})})});
    const ValueId b = m.node("Conv", {a, m.weights({8, 8, 1, 1})});
    const ValueId skip = m.node("Conv", {x, m.weights({8, 8, 1, 1})});
    EXPECT_EQ(groups(m.finish({m.node("Relu", {m.node("Add", {b, skip})})})), R"(
Conv_0 Relu_1
Conv_3
Conv_2 Add_4 Relu_5
)");
}

// A value that is read elsewhere ends the group; the diamond of SiLU does not.
TEST(Fuse, OneValueLeavesAGroup) {
    ModelBuilder m;
    const ValueId x = m.input("x", {4, 8});
    const ValueId a = m.node("MatMul", {x, m.weights({8, 8})});
    const ValueId silu = m.node("Mul", {a, m.node("Sigmoid", {a})});
    const ValueId b = m.node("MatMul", {silu, m.weights({8, 8})});
    EXPECT_EQ(groups(m.finish({m.node("Add", {m.node("Tanh", {b}), silu}), m.node("Exp", {b})})), R"(
MatMul_0 Sigmoid_1 Mul_2
MatMul_3
Tanh_4 Add_5
Exp_6
)");
}

TEST(Fuse, MovementsGoToTheProductsAroundThem) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 6, 8});
    ValueId v = m.node("Reshape", {m.node("MatMul", {x, m.weights({8, 8})}), m.ints({6, 2, 4})});
    v = m.node("Transpose", {v}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
    const ValueId k = m.node("Transpose", {m.input("k", {2, 5, 4})}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    EXPECT_EQ(groups(m.finish({m.node("MatMul", {v, k})})), R"(
MatMul_0 Reshape_1 Transpose_2
Transpose_3 MatMul_4
)");
}

}  // namespace
}  // namespace fettle::test
