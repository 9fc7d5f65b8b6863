// SPDX-License-Identifier: GPL-3.0-or-later
// Small cases worked out by hand, one or more per family.
#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/op.h"

namespace fettle::ops {
namespace {

using graph::DType;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using Attributes = std::map<std::string, graph::Attribute>;
using Ints = std::vector<int64_t>;

Tensor floats(Shape shape, std::vector<double> values) {
    return graph::fromDoubles(DType::Float32, std::move(shape), values);
}
Tensor ints(Shape shape, const Ints& values) {
    return graph::tensorOf<int64_t>(DType::Int64, std::move(shape), values);
}

// Every output as "float32[2] 1 2"; the shape rule and the evaluator must agree. An error as its text.
std::string run(const std::string& op, int opset, const std::vector<Tensor>& inputs, Attributes attributes = {},
                size_t outputs = 1) {
    Node node;
    node.name = "n";
    node.op = op;
    node.opset = opset;
    node.attributes = std::move(attributes);
    NodeView view{&node, {}, {}};
    std::vector<const Tensor*> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const bool absent = !inputs[i].bytes;
        node.inputs.push_back(absent ? graph::kNone : static_cast<graph::ValueId>(i));
        pointers.push_back(absent ? nullptr : &inputs[i]);
        view.types.push_back(absent ? nullptr : &inputs[i].type);
        view.constants.push_back(pointers.back());
    }
    for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(static_cast<graph::ValueId>(inputs.size() + i));
    const OpRow* row = findOp("", op, opset);
    if (!row) return "unknown";
    const auto types = row->shape(view);
    if (!types) return types.error().why;
    const auto results = row->evaluate(node, pointers);
    if (!results) return results.error().why;
    std::string text;
    for (size_t i = 0; i < results->size(); ++i) {
        EXPECT_EQ(typeText((*results)[i].type), typeText((*types)[i]));
        text += (i ? "; " : "") + typeText((*results)[i].type);
        for (double value : toDoubles((*results)[i])) {
            char number[32];
            std::snprintf(number, sizeof number, " %.6g", value);
            text += number;
        }
    }
    return text;
}

TEST(Convolution, PadsStridesAndBias) {
    const Tensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), w = floats({1, 1, 2, 2}, {1, 0, 0, 1});
    EXPECT_EQ(run("Conv", 11, {x, w}), "float32[1,1,2,2] 6 8 12 14");
    EXPECT_EQ(run("Conv", 11, {x, w, floats({1}, {10})}, {{"pads", Ints{1, 1, 0, 0}}, {"strides", Ints{2, 2}}}),
              "float32[1,1,2,2] 11 13 17 24");
    EXPECT_EQ(run("Conv", 11, {x, w}, {{"auto_pad", std::string("SAME_UPPER")}}),
              "float32[1,1,3,3] 6 8 3 12 14 6 7 8 9");
    EXPECT_EQ(run("Conv", 11, {x, w}, {{"dilations", Ints{2, 2}}}), "float32[1,1,1,1] 10");
}

TEST(Convolution, GroupsSeeOnlyTheirOwnChannels) {
    EXPECT_EQ(run("Conv", 11, {floats({1, 2, 2}, {1, 2, 3, 4}), floats({2, 1, 1}, {10, 100})}, {{"group", int64_t{2}}}),
              "float32[1,2,2] 10 20 300 400");
}

TEST(Convolution, TransposedScattersAndCuts) {
    const Tensor x = floats({1, 1, 2}, {1, 2}), w = floats({1, 1, 3}, {1, 10, 100});
    EXPECT_EQ(run("ConvTranspose", 11, {x, w}, {{"strides", Ints{2}}}), "float32[1,1,5] 1 10 102 20 200");
    EXPECT_EQ(
        run("ConvTranspose", 11, {x, w}, {{"strides", Ints{2}}, {"pads", Ints{1, 1}}, {"output_padding", Ints{1}}}),
        "float32[1,1,4] 10 102 20 200");
}

TEST(Matmul, BroadcastsBatchesAndVectors) {
    const Tensor a = floats({2, 1, 2}, {1, 2, 3, 4});
    EXPECT_EQ(run("MatMul", 13, {a, floats({2, 2}, {1, 0, 0, 1})}), "float32[2,1,2] 1 2 3 4");
    EXPECT_EQ(run("MatMul", 13, {a, floats({2}, {1, 1})}), "float32[2,1] 3 7");
    EXPECT_EQ(run("MatMul", 13, {a, floats({3}, {1, 1, 1})}),
              "the shapes [2,1,2] and [3] cannot be multiplied: 2 columns meet 3 rows");
}

TEST(Matmul, GemmTransposesScalesAndAdds) {
    const Tensor a = floats({2, 1}, {1, 2}), b = floats({3, 2}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(run("Gemm", 13, {a, b, floats({1, 3}, {1, 2, 3})},
                  {{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 2.0f}, {"beta", 10.0f}}),
              "float32[1,3] 20 42 64");
    EXPECT_EQ(run("Gemm", 13, {floats({}, {1}), b}), "the rank of A is 0; Gemm multiplies matrices of rank 2");
}

TEST(Pool, MaxWithIndicesAndAverageWithPadding) {
    const Tensor x = floats({1, 1, 2, 2}, {1, 4, 3, 2});
    EXPECT_EQ(run("MaxPool", 12, {x}, {{"kernel_shape", Ints{2, 2}}}, 2), "float32[1,1,1,1] 4; int64[1,1,1,1] 1");
    const Attributes padded = {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 0, 0}}, {"strides", Ints{2, 2}}};
    EXPECT_EQ(run("AveragePool", 11, {x}, padded), "float32[1,1,1,1] 1");
    Attributes counted = padded;
    counted["count_include_pad"] = int64_t{1};
    EXPECT_EQ(run("AveragePool", 11, {x}, counted), "float32[1,1,1,1] 0.25");
    EXPECT_EQ(run("GlobalAveragePool", 13, {x}), "float32[1,1,1,1] 2.5");
}

TEST(Pool, CeilModeKeepsTheLastPartialWindow) {
    const Tensor x = floats({1, 1, 5}, {1, 2, 3, 4, 5});
    EXPECT_EQ(run("MaxPool", 12, {x}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}), "float32[1,1,2] 2 4");
    EXPECT_EQ(run("MaxPool", 12, {x}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", int64_t{1}}}),
              "float32[1,1,3] 2 4 5");
}

TEST(Normalization, LayerNormAndBatchNorm) {
    EXPECT_EQ(run("LayerNormalization", 17, {floats({1, 2}, {1, 3}), floats({2}, {1, 10}), floats({2}, {0, 5})},
                  {{"epsilon", 0.0f}}),
              "float32[1,2] -1 15");
    const Tensor one = floats({1}, {1});
    EXPECT_EQ(run("BatchNormalization", 9, {floats({1, 1, 2}, {2, 4}), floats({1}, {3}), one, one, floats({1}, {4})},
                  {{"epsilon", 0.0f}}),
              "float32[1,1,2] 2.5 5.5");
}

TEST(Normalization, SoftmaxFlattensBelowOpset13) {
    const Tensor x = floats({1, 2, 2}, {0, 0, 0, 0});
    EXPECT_EQ(run("Softmax", 11, {x}), "float32[1,2,2] 0.25 0.25 0.25 0.25");
    EXPECT_EQ(run("Softmax", 13, {x}), "float32[1,2,2] 0.5 0.5 0.5 0.5");
    EXPECT_EQ(run("Softmax", 13, {floats({2}, {1000, 1000})}), "float32[2] 0.5 0.5");
}

TEST(Elementwise, UnaryFollowTheirAttributes) {
    const Tensor x = floats({3}, {-2, 0, 2});
    EXPECT_EQ(run("Relu", 13, {x}), "float32[3] 0 0 2");
    EXPECT_EQ(run("LeakyRelu", 13, {x}, {{"alpha", 0.5f}}), "float32[3] -1 0 2");
    EXPECT_EQ(run("HardSigmoid", 13, {x}), "float32[3] 0.1 0.5 0.9");
    EXPECT_EQ(run("HardSwish", 14, {floats({3}, {-4, 0, 3})}), "float32[3] -0 0 3");
    EXPECT_EQ(run("Shrink", 9, {x}, {{"lambd", 1.0f}, {"bias", 0.5f}}), "float32[3] -1.5 0 1.5");
    EXPECT_EQ(run("Round", 13, {floats({3}, {0.5, 1.5, -0.5})}), "float32[3] 0 2 -0");
    EXPECT_EQ(run("Gelu", 20, {floats({1}, {1})}), "float32[1] 0.841345");
    EXPECT_EQ(run("Abs", 13, {ints({2}, {-3, 4})}), "int64[2] 3 4");
}

TEST(Elementwise, BinaryBroadcastAndKeepIntegersExact) {
    EXPECT_EQ(run("Add", 13, {floats({2, 1}, {1, 2}), floats({2}, {10, 20})}), "float32[2,2] 11 21 12 22");
    EXPECT_EQ(run("Div", 13, {ints({2}, {7, -7}), ints({}, {2})}), "int64[2] 3 -3");
    EXPECT_EQ(run("Mod", 13, {ints({2}, {7, -7}), ints({}, {3})}), "int64[2] 1 2");
    EXPECT_EQ(run("Div", 13, {ints({1}, {1}), ints({1}, {0})}), "integer division by zero");
    EXPECT_EQ(run("Div", 13, {ints({1}, {INT64_MIN}), ints({1}, {-1})}), "int64[1] -9.22337e+18");
    EXPECT_EQ(run("Less", 13, {floats({2}, {1, 2}), floats({}, {2})}), "bool[2] 1 0");
    EXPECT_EQ(run("Pow", 13, {floats({2}, {2, 3}), ints({}, {2})}), "float32[2] 4 9");
    EXPECT_EQ(run("Add", 13, {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}),
              "the shapes [2] and [3] cannot be broadcast together");
}

TEST(Elementwise, SelectionClipAndCast) {
    const Tensor x = floats({3}, {-2.7, 0.5, 9});
    EXPECT_EQ(run("Clip", 10, {x}, {{"min", 0.0f}, {"max", 6.0f}}), "float32[3] 0 0.5 6");
    EXPECT_EQ(run("Clip", 13, {x, {}, floats({}, {6})}), "float32[3] -2.7 0.5 6");
    EXPECT_EQ(run("Cast", 13, {x}, {{"to", int64_t{7}}}), "int64[3] -2 0 9");
    const Tensor condition = graph::fromDoubles(DType::Bool, {2}, std::vector<double>{1, 0});
    EXPECT_EQ(run("Where", 9, {condition, ints({2}, {1, 2}), ints({}, {9})}), "int64[2] 1 9");
}

TEST(Reduce, AxesAsAttributeOrInput) {
    const Tensor x = floats({2, 2}, {1, 2, 3, 4});
    EXPECT_EQ(run("ReduceMean", 13, {x}, {{"axes", Ints{-1}}}), "float32[2,1] 1.5 3.5");
    EXPECT_EQ(run("ReduceSum", 13, {x, ints({1}, {0})}, {{"keepdims", int64_t{0}}}), "float32[2] 4 6");
    EXPECT_EQ(run("ReduceL2", 18, {floats({2}, {3, 4})}), "float32[1] 5");
    EXPECT_EQ(run("ArgMax", 13, {x}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}), "int64[2] 1 1");
}

TEST(Movement, ReshapeSqueezeTranspose) {
    const Tensor x = floats({1, 2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(run("Reshape", 13, {x, ints({2}, {0, -1})}), "float32[1,6] 1 2 3 4 5 6");
    EXPECT_EQ(run("Squeeze", 11, {x}, {{"axes", Ints{0}}}), "float32[2,3] 1 2 3 4 5 6");
    EXPECT_EQ(run("Unsqueeze", 13, {ints({1}, {5}), ints({1}, {-1})}), "int64[1,1] 5");
    EXPECT_EQ(run("Flatten", 13, {x}, {{"axis", int64_t{2}}}), "float32[2,3] 1 2 3 4 5 6");
    EXPECT_EQ(run("Transpose", 13, {x}, {{"perm", Ints{0, 2, 1}}}), "float32[1,3,2] 1 4 2 5 3 6");
}

TEST(Movement, SliceConcatSplitPad) {
    const Tensor x = ints({5}, {1, 2, 3, 4, 5});
    EXPECT_EQ(run("Slice", 13, {x, ints({1}, {-1}), ints({1}, {INT64_MIN}), ints({1}, {0}), ints({1}, {-2})}),
              "int64[3] 5 3 1");
    EXPECT_EQ(run("Slice", 13, {x, ints({1}, {1}), ints({1}, {INT64_MAX})}), "int64[4] 2 3 4 5");
    EXPECT_EQ(run("Concat", 13, {ints({1, 2}, {1, 2}), ints({1, 1}, {3})}, {{"axis", int64_t{1}}}), "int64[1,3] 1 2 3");
    EXPECT_EQ(run("Split", 13, {x, ints({2}, {2, 3})}, {}, 2), "int64[2] 1 2; int64[3] 3 4 5");
    EXPECT_EQ(run("Split", 18, {x}, {{"num_outputs", int64_t{2}}}, 2), "int64[3] 1 2 3; int64[2] 4 5");
    EXPECT_EQ(run("Pad", 13, {x, ints({2}, {1, -2}), ints({}, {9})}), "int64[4] 9 1 2 3");
    EXPECT_EQ(run("Pad", 13, {x, ints({2}, {2, 0})}, {{"mode", std::string("reflect")}}), "int64[7] 3 2 1 2 3 4 5");
}

TEST(Movement, GatherExpandTileDepthToSpace) {
    EXPECT_EQ(run("Gather", 13, {ints({3}, {1, 2, 3}), ints({2}, {-1, 0})}), "int64[2] 3 1");
    EXPECT_EQ(run("Gather", 13, {ints({3}, {1, 2, 3}), ints({}, {3})}), "index out of range: 3 for the extent 3");
    EXPECT_EQ(run("Expand", 13, {ints({2, 1}, {1, 2}), ints({1}, {2})}), "int64[2,2] 1 1 2 2");
    EXPECT_EQ(run("Tile", 13, {ints({2}, {1, 2}), ints({1}, {2})}), "int64[4] 1 2 1 2");
    EXPECT_EQ(run("DepthToSpace", 13, {ints({1, 4, 1, 1}, {1, 2, 3, 4})}, {{"blocksize", int64_t{2}}}),
              "int64[1,1,2,2] 1 2 3 4");
}

TEST(Resize, NearestAndLinear) {
    const Tensor x = floats({1, 1, 1, 2}, {1, 3}), scales = floats({4}, {1, 1, 1, 2});
    EXPECT_EQ(run("Upsample", 9, {x, scales}), "float32[1,1,1,4] 1 1 3 3");
    EXPECT_EQ(run("Resize", 13, {x, {}, scales}, {{"mode", std::string("linear")}}), "float32[1,1,1,4] 1 1.5 2.5 3");
    EXPECT_EQ(run("Resize", 13, {x, {}, {}, ints({4}, {1, 1, 1, 3})},
                  {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string("align_corners")}}),
              "float32[1,1,1,3] 1 2 3");
}

TEST(Generators, ShapesAndRanges) {
    EXPECT_EQ(run("Shape", 15, {floats({2, 3}, {0, 0, 0, 0, 0, 0})}, {{"start", int64_t{-1}}}), "int64[1] 3");
    EXPECT_EQ(run("ConstantOfShape", 9, {ints({1}, {2})}), "float32[2] 0 0");
    EXPECT_EQ(run("Range", 11, {ints({}, {5}), ints({}, {0}), ints({}, {-2})}), "int64[3] 5 3 1");
}

TEST(Registry, VersionsAndDomainsAreSeparate) {
    EXPECT_EQ(findOp("", "LayerNormalization", 16), nullptr);
    EXPECT_NE(findOp("", "LayerNormalization", 17), nullptr);
    EXPECT_EQ(findOp("", "Upsample", 10), nullptr);
    EXPECT_EQ(findOp("", "fettle.Reorder", 13), nullptr);
    EXPECT_NE(findOp("fettle", "fettle.Reorder", 1), nullptr);
    EXPECT_EQ(findOp("com.microsoft", "Conv", 1), nullptr);
}

TEST(Evaluation, AGroupTakesAndGivesAnyLayout) {
    graph::Graph graph;
    const graph::Layout blocked{{}, {{1, 4}}, {}, {}};
    const auto value = [&](const char* name, graph::Layout layout) {
        return graph.addValue({name, {DType::Float32, {1, 3, 2}, std::move(layout)}, -1, {}});
    };
    const graph::ValueId x = value("x", blocked), y = value("y", {}), z = value("z", blocked);
    Node relu, reorder;
    relu.name = "r";
    relu.op = "Relu";
    relu.opset = 13;
    relu.inputs = {x};
    relu.outputs = {y};
    reorder.name = "o";
    reorder.op = "fettle.Reorder";
    reorder.domain = "fettle";
    reorder.opset = 1;
    reorder.inputs = {y};
    reorder.outputs = {z};
    graph.nodes = {relu, reorder};
    const graph::Group group{{0, 1}, {x}, {z}, 0};
    const auto outputs = evaluateGroup(graph, group, {relayout(floats({1, 3, 2}, {-1, 2, -3, 4, -5, 6}), blocked)});
    ASSERT_TRUE(outputs) << outputs.error().message();
    EXPECT_EQ((*outputs)[0].type.layout, blocked);
    EXPECT_EQ(toDoubles((*outputs)[0]), (std::vector<double>{0, 2, 0, 4, 0, 6}));
}

}  // namespace
}  // namespace fettle::ops
