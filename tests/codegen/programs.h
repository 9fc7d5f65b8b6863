// SPDX-License-Identifier: GPL-3.0-or-later
// Loop programs of the operators whose code matters most.
#pragma once

#include "tests/loop/sample_programs.h"

namespace fettle::codegen::testing {

struct ConvShape {
    int64_t inC, outC, height, width, kernel, stride = 1, pad = 0;
    int64_t inBlock = 0, outBlock = 0;  // 0: plain layout
    bool depthwise = false, haloIn = false, haloOut = false;
    int64_t outHeight() const { return (height + 2 * pad - kernel) / stride + 1; }
    int64_t outWidth() const { return (width + 2 * pad - kernel) / stride + 1; }
};

// Y = relu(conv(X, W) + bias). X padded by a physical halo, or by guarded loads.
inline loop::LoopProgram convolution(const ConvShape& s) {
    using namespace loop;
    using sample::tensor;
    const auto blocked = [](int64_t block, int64_t halo) {
        graph::Layout layout;
        if (block > 0) layout.blocks = {{1, block}};
        if (halo > 0) layout.haloBefore = layout.haloAfter = {0, 0, halo, halo};
        return layout;
    };
    graph::Layout weights;
    if (s.outBlock > 0) weights.blocks = {{0, s.outBlock}};
    LoopProgram p;
    p.name = "Conv_0";
    p.tensors = {
        tensor("X", {1, s.inC, s.height, s.width}, Role::Input, blocked(s.inBlock, s.haloIn ? s.pad : 0)),
        tensor("W", {s.outC, s.depthwise ? 1 : s.inC, s.kernel, s.kernel}, Role::Constant, weights),
        tensor("bias", {s.outC}, Role::Constant),
        tensor("Y", {1, s.outC, s.outHeight(), s.outWidth()}, Role::Output, blocked(s.outBlock, s.haloOut ? 1 : 0))};
    Stage stage;
    stage.name = "conv";
    stage.axes = {
        {"oc", s.outC, AxisKind::Space}, {"oh", s.outHeight(), AxisKind::Space}, {"ow", s.outWidth(), AxisKind::Space}};
    if (!s.depthwise) stage.axes.push_back({"ic", s.inC, AxisKind::Reduce});
    stage.axes.push_back({"kh", s.kernel, AxisKind::Reduce});
    stage.axes.push_back({"kw", s.kernel, AxisKind::Reduce});
    const int kernel = s.depthwise ? 3 : 4;
    const Index oc = Index::axis(0), ic = s.depthwise ? oc : Index::axis(3);
    const Index h = Index::axis(1) * s.stride + Index::axis(kernel) - Index(s.pad);
    const Index w = Index::axis(2) * s.stride + Index::axis(kernel + 1) - Index(s.pad);
    const std::vector<Index> at = {Index(0), ic, h, w};
    const Scalar x = s.haloIn || s.pad == 0 ? load(0, at) : guardedLoad(0, at, 0);
    stage.reduction = Reduction::Sum;
    stage.body = binary(ScalarOp::Mul, x,
                        load(1, {oc, s.depthwise ? Index(0) : ic, Index::axis(kernel), Index::axis(kernel + 1)}));
    stage.epilogue = binary(ScalarOp::Max, binary(ScalarOp::Add, accumulator(), load(2, {oc})), constant(0));
    stage.output = 3;
    stage.outputIndices = {Index(0), oc, Index::axis(1), Index::axis(2)};
    p.stages = {stage};
    p.nests = defaultNests(p);
    return p;
}

// One elementwise stage over [rows, cols]: Y = f(X, Z).
inline loop::LoopProgram elementwise(int64_t rows, int64_t cols, const loop::Scalar& body,
                                     graph::DType in = graph::DType::Float32,
                                     graph::DType out = graph::DType::Float32) {
    using namespace loop;
    LoopProgram p;
    p.name = "Elementwise_0";
    p.tensors = {{"X", {in, {rows, cols}, {}}, Role::Input},
                 {"Z", {in, {rows, cols}, {}}, Role::Input},
                 {"Y", {out, {rows, cols}, {}}, Role::Output}};
    Stage stage;
    stage.name = "map";
    stage.axes = {{"r", rows, AxisKind::Space}, {"c", cols, AxisKind::Space}};
    stage.body = body;
    stage.output = 2;
    stage.outputIndices = {Index::axis(0), Index::axis(1)};
    p.stages = {stage};
    p.nests = defaultNests(p);
    return p;
}

inline loop::Scalar inputAt(int tensor, graph::DType dtype = graph::DType::Float32) {
    return loop::load(tensor, {loop::Index::axis(0), loop::Index::axis(1)}, dtype);
}

}  // namespace fettle::codegen::testing
