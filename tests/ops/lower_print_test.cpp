// SPDX-License-Identifier: GPL-3.0-or-later
// What lowered groups look like.
#include <gtest/gtest.h>

#include "core/graph/passes.h"
#include "core/ops/lower.h"
#include "core/ops/traits.h"
#include "tests/ops/model_builder.h"

namespace fettle::test {
namespace {

// The programs of all groups, in execution order.
std::string lowered(const graph::Graph& graph, int lanes) {
    graph::PassOptions options;
    options.lanes = lanes;
    const auto fused = graph::optimise(graph, ops::traits(), options);
    if (!fused) return fused.error().message();
    std::string text = "\n";
    for (const graph::Group& group : fused->groups) {
        const auto program = ops::lowerGroup(fused->graph, group);
        text += program ? loop::print(*program) : program.error().message();
    }
    return text;
}

// The residual's other operand is read at the point of the accumulator; padding is the halo of the input.
TEST(LowerPrint, ConvolutionWithBiasResidualAndRelu) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 8, 5, 5});
    const ValueId v = m.node("Relu", {x});
    const ValueId y =
        m.node("Conv", {v, m.weights({8, 8, 3, 3}), m.weights({8})}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    EXPECT_EQ(lowered(m.finish({m.node("Relu", {m.node("Add", {y, v})})}), 1), R"(
# Relu_0
input  x float32[1,8,5,5]
output Y float32[1,8,5,5] halo 0,0,1,1/0,0,1,1
for c in 8
  for h in 5
    for w in 5
      Y[0, c, h, w] = max(x[0, c, h, w], 0)
# Conv_1 + Add_2 + Relu_3
input  X float32[1,8,5,5] halo 0,0,1,1/0,0,1,1
const  w2 float32[8,8,3,3]
const  w3 float32[8]
output Y float32[1,8,5,5]
for oc in 8
  for oh in 5
    for ow in 5
      conv = 0
      for ic in 8
        for kh in 3
          for kw in 3
            conv += X[0, ic, oh + kh - 1, ow + kw - 1] * w2[oc, ic, kh, kw]
      Y[0, oc, oh, ow] = max(conv + w3[oc] + X[0, oc, oh, ow], 0)
)");
}

TEST(LowerPrint, BlockedChainWithDepthwise) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 3, 6, 6});
    ValueId v = m.node("Conv", {x, m.weights({8, 3, 1, 1})});
    v = m.node("Clip", {v, m.numbers({}, {0}), m.numbers({}, {6})});
    v = m.node(
        "Conv", {v, m.weights({8, 1, 3, 3})},
        {{"group", int64_t{8}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"strides", std::vector<int64_t>{2, 2}}});
    EXPECT_EQ(lowered(m.finish({m.node("Flatten", {m.node("GlobalAveragePool", {v})})}), 8), R"(
# Conv_0 + Clip_1
input  x float32[1,3,6,6]
const  W float32[8,3,1,1] b0x8
output Y float32[1,8,6,6] b1x8 halo 0,0,1,1/0,0,0,0
for oc in 8
  for oh in 6
    for ow in 6
      conv = 0
      for ic in 3
        conv += x[0, ic, oh, ow] * W[oc, ic, 0, 0]
      Y[0, oc, oh, ow] = min(max(conv, 0), 6)
# Conv_2
input  X float32[1,8,6,6] b1x8 halo 0,0,1,1/0,0,0,0
const  W float32[8,1,3,3] b0x8
output Y float32[1,8,3,3] b1x8
for c in 8
  for oh in 3
    for ow in 3
      conv = 0
      for kh in 3
        for kw in 3
          conv += X[0, c, oh*2 + kh - 1, ow*2 + kw - 1] * W[c, 0, kh, kw]
      Y[0, c, oh, ow] = conv
# GlobalAveragePool_3
input  X float32[1,8,3,3] b1x8
output Y float32[1,8]
for c in 8
  globalaveragepool = 0
  for kh in 3
    for kw in 3
      globalaveragepool += X[0, c, kh, kw]
  Y[0, c] = globalaveragepool * 0.111111111
)");
}

TEST(LowerPrint, MaxPoolGuardsItsBorder) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 2, 4, 4});
    EXPECT_EQ(lowered(m.finish({m.node("MaxPool", {x},
                                       {{"kernel_shape", std::vector<int64_t>{3, 3}},
                                        {"strides", std::vector<int64_t>{2, 2}},
                                        {"pads", std::vector<int64_t>{1, 1, 1, 1}}})}),
                      8),
              R"(
# MaxPool_0
input  x float32[1,2,4,4]
output Y float32[1,2,2,2]
for c in 2
  for oh in 2
    for ow in 2
      maxpool = -inf
      for kh in 3
        for kw in 3
          maxpool max= (x[0, c, oh*2 + kh - 1, ow*2 + kw - 1] else -inf)
      Y[0, c, oh, ow] = maxpool
)");
}

TEST(LowerPrint, ShrinkIsTwoSelections) {
    ModelBuilder m;
    const ValueId x = m.input("x", {4});
    EXPECT_EQ(lowered(m.finish({m.node("Shrink", {x}, {{"lambd", 1.0f}, {"bias", 0.5f}})}), 1), R"(
# Shrink_0
input  x float32[4]
output Y float32[4]
for i in 4
  Y[i] = select(x[i] < -1, x[i] + 0.5, select(1 < x[i], x[i] - 0.5, 0))
)");
}

// Heads: the matmul writes straight to [heads, rows, depth]; its columns are split so that every index is affine.
TEST(LowerPrint, MatmulWritesThroughReshapeAndTranspose) {
    ModelBuilder m;
    const ValueId x = m.input("x", {1, 6, 8});
    ValueId v = m.node("Reshape", {m.node("MatMul", {x, m.weights({8, 8})}), m.ints({1, 6, 2, 4})});
    EXPECT_EQ(lowered(m.finish({m.node("Transpose", {v}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}})}), 4), R"(
# MatMul_0 + Transpose_2
input  x float32[1,6,8]
const  W float32[8,8] o1,0 b1x4
output Y float32[1,2,6,4]
for m in 6
  for n_o in 2
    for n_i in 4
      matmul = 0
      for k in 8
        matmul += x[0, m, k] * W[k, n_o*4 + n_i]
      Y[0, n_o, m, n_i] = matmul
)");
}

TEST(LowerPrint, SoftmaxKeepsItsRows) {
    ModelBuilder m;
    const ValueId x = m.input("x", {4, 10});
    EXPECT_EQ(lowered(m.finish({m.node("Softmax", {x})}), 8), R"(
# Softmax_0
input  x float32[4,10]
output Y float32[4,10]
temp   softmax.max float32[4]
temp   softmax.exp float32[4,10]
temp   softmax.sum float32[4]
for row in 4
  softmax.max = -inf
  for col in 10
    softmax.max max= x[row, col]
  softmax.max[row] = softmax.max
for row in 4
  for col in 10
    softmax.exp[row, col] = exp(x[row, col] - softmax.max[row])
for row in 4
  softmax.sum = 0
  for col in 10
    softmax.sum += softmax.exp[row, col]
  softmax.sum[row] = reciprocal(softmax.sum)
for row in 4
  for col in 10
    Y[row, col] = softmax.exp[row, col] * softmax.sum[row]
)");
}

TEST(LowerPrint, ConcatIsOneStagePerPart) {
    ModelBuilder m;
    const ValueId x = m.input("x", {2, 3}), y = m.input("y", {2, 4});
    EXPECT_EQ(lowered(m.finish({m.node("Concat", {m.node("Tanh", {x}), y}, {{"axis", int64_t{1}}})}), 8), R"(
# Tanh_0 + Concat_1
input  x float32[2,3]
input  y float32[2,4]
output Y float32[2,7]
for rows in 2
  for cols in 3
    Y[rows, cols] = tanh(x[rows, cols])
for rows in 2
  for cols in 4
    Y[rows, cols + 3] = y[rows, cols]
)");
}

TEST(LowerPrint, GatherOfDataIsDataDependent) {
    ModelBuilder m;
    const ValueId ids = m.input("ids", {3}, DType::Int64);
    EXPECT_EQ(lowered(m.finish({m.node("Gather", {m.weights({10, 4}), ids})}), 8), R"(
# Gather_0
input  ids int64[3]
const  w1 float32[10,4]
output Y float32[3,4]
for rows in 3
  for cols in 4
    Y[rows, cols] = w1[{min(max(select(t0[rows] < 0, t0[rows] + 10, t0[rows]), 0), 9)}, cols]
)");
}

}  // namespace
}  // namespace fettle::test
