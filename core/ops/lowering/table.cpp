// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/lowering/table.h"

#include <algorithm>
#include <vector>

#include "core/ops/lowering/lowerings.h"

namespace fettle::ops {

namespace {

struct Family {
    Status (*lower)(const NodeView&, Lowering&);
    std::vector<std::string_view> names;
};

const std::vector<Family>& families() {
    static const std::vector<Family> kFamilies = {
        {lower::conv, {"Conv"}},
        {lower::convTranspose, {"ConvTranspose"}},
        {lower::matmul, {"MatMul"}},
        {lower::gemm, {"Gemm"}},
        {lower::pool, {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"}},
        {lower::reduce,
         {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
          "ReduceLogSum", "ReduceLogSumExp"}},
        {lower::softmax, {"Softmax", "LogSoftmax"}},
        {lower::layerNorm, {"LayerNormalization", "RMSNormalization"}},
        {lower::batchNorm, {"BatchNormalization"}},
        {lower::elementwise,
         {"Abs",
          "Add",
          "And",
          "Cast",
          "Ceil",
          "Celu",
          "Clip",
          "Cos",
          "Div",
          "Elu",
          "Equal",
          "Erf",
          "Exp",
          "Floor",
          "Gelu",
          "Greater",
          "GreaterOrEqual",
          "HardSigmoid",
          "HardSwish",
          "LeakyRelu",
          "Less",
          "LessOrEqual",
          "Log",
          "Max",
          "Mean",
          "Min",
          "Mish",
          "Mod",
          "Mul",
          "Neg",
          "Not",
          "Or",
          "PRelu",
          "Pow",
          "Reciprocal",
          "Relu",
          "Round",
          "Selu",
          "Shrink",
          "Sigmoid",
          "Sign",
          "Sin",
          "Softplus",
          "Softsign",
          "Sqrt",
          "Sub",
          "Sum",
          "Swish",
          "Tanh",
          "ThresholdedRelu",
          "Where",
          "Xor"}},
        {lower::movement,
         {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Expand", "Tile", "DepthToSpace",
          "SpaceToDepth", "Identity", "Dropout"}},
        {lower::pad, {"Pad"}},
        {lower::concat, {"Concat"}},
        {lower::split, {"Split"}},
        {lower::gather, {"Gather"}},
        {lower::resize, {"Resize", "Upsample"}},
    };
    return kFamilies;
}

}  // namespace

Lower lowerOf(std::string_view domain, std::string_view name) {
    if (domain == "fettle") return name == "fettle.Reorder" ? Lower(lower::movement) : Lower();
    if (!domain.empty()) return {};
    for (const Family& family : families())
        if (std::find(family.names.begin(), family.names.end(), name) != family.names.end()) return family.lower;
    return {};
}

}  // namespace fettle::ops
