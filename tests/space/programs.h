// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as lowering makes them, of every kind that rules must deal with.
#pragma once

#include <string>
#include <vector>

#include "core/loop/program.h"
#include "core/target/target.h"

namespace fettle::testing {

using graph::DType;
using graph::Layout;
using loop::Axis;
using loop::AxisKind;
using loop::Index;
using loop::LoopProgram;
using loop::Role;
using loop::Scalar;
using loop::ScalarOp;

inline Layout blocked(int axis, int64_t size) {
    Layout layout;
    if (size > 1) layout.blocks = {{axis, size}};
    return layout;
}

inline int addTensor(LoopProgram& program, std::string name, graph::Shape shape, Role role, Layout layout = {},
                     DType dtype = DType::Float32) {
    program.tensors.push_back({std::move(name), {dtype, std::move(shape), std::move(layout)}, role});
    return static_cast<int>(program.tensors.size()) - 1;
}

inline std::vector<Index> plainAxes(size_t count) {
    std::vector<Index> indices;
    for (size_t k = 0; k < count; ++k) indices.push_back(Index::axis(static_cast<int>(k)));
    return indices;
}

inline Axis space(std::string name, int64_t extent) {
    return {std::move(name), extent, AxisKind::Space};
}
inline Axis reduced(std::string name, int64_t extent) {
    return {std::move(name), extent, AxisKind::Reduce};
}

inline void addStage(LoopProgram& program, std::string name, std::vector<Axis> axes, loop::Reduction reduction,
                     Scalar body, int output, std::vector<Index> outputIndices, Scalar epilogue = nullptr) {
    loop::Stage stage;
    stage.name = std::move(name);
    stage.axes = std::move(axes);
    stage.reduction = reduction;
    stage.body = std::move(body);
    stage.epilogue = std::move(epilogue);
    stage.output = output;
    stage.outputIndices = std::move(outputIndices);
    program.stages.push_back(std::move(stage));
    program.nests = loop::defaultNests(program);
}

inline LoopProgram named(std::string name) {
    LoopProgram program;
    program.name = std::move(name);
    return program;
}

// block > 1: NCHWc activations with a halo, weights in blocks; else plain with guarded loads.
inline LoopProgram conv(int64_t oc, int64_t ic, int64_t size, int64_t kernel, int64_t stride, int64_t block) {
    LoopProgram p = named("conv");
    const int64_t pad = kernel / 2, out = (size + 2 * pad - kernel) / stride + 1;
    Layout in = blocked(1, block), weights = blocked(1, block);
    if (block > 1) {
        weights.blocks.push_back({0, block});
        in.haloBefore = in.haloAfter = {0, 0, pad, pad};
    }
    const int x = addTensor(p, "x", {1, ic, size, size}, Role::Input, in);
    const int w = addTensor(p, "w", {oc, ic, kernel, kernel}, Role::Constant, weights);
    const int b = addTensor(p, "b", {oc}, Role::Constant);
    const int y = addTensor(p, "y", {1, oc, out, out}, Role::Output, blocked(1, block));
    const std::vector<Index> at{Index::axis(0), Index::axis(4), Index::axis(2) * stride + Index::axis(5) - pad,
                                Index::axis(3) * stride + Index::axis(6) - pad};
    const Scalar weight = loop::load(w, {Index::axis(1), Index::axis(4), Index::axis(5), Index::axis(6)});
    addStage(
        p, "conv",
        {space("n", 1), space("oc", oc), space("oh", out), space("ow", out), reduced("ic", ic), reduced("kh", kernel),
         reduced("kw", kernel)},
        loop::Reduction::Sum,
        loop::binary(ScalarOp::Mul, block > 1 ? loop::load(x, at) : loop::guardedLoad(x, at, 0), weight), y,
        plainAxes(4),
        loop::binary(ScalarOp::Max, loop::binary(ScalarOp::Add, loop::accumulator(), loop::load(b, {Index::axis(1)})),
                     loop::constant(0)));
    return p;
}

inline LoopProgram depthwise(int64_t channels, int64_t size, int64_t kernel, int64_t block) {
    LoopProgram p = named("depthwise");
    const int64_t pad = kernel / 2;
    Layout in = blocked(1, block);
    in.haloBefore = in.haloAfter = {0, 0, pad, pad};
    const int x = addTensor(p, "x", {1, channels, size, size}, Role::Input, in);
    const int w = addTensor(p, "w", {channels, 1, kernel, kernel}, Role::Constant, blocked(0, block));
    const int y = addTensor(p, "y", {1, channels, size, size}, Role::Output, blocked(1, block));
    addStage(p, "dw",
             {space("n", 1), space("c", channels), space("oh", size), space("ow", size), reduced("kh", kernel),
              reduced("kw", kernel)},
             loop::Reduction::Sum,
             loop::binary(ScalarOp::Mul,
                          loop::load(x, {Index::axis(0), Index::axis(1), Index::axis(2) + Index::axis(4) - pad,
                                         Index::axis(3) + Index::axis(5) - pad}),
                          loop::load(w, {Index::axis(1), Index(0), Index::axis(4), Index::axis(5)})),
             y, plainAxes(4));
    return p;
}

inline LoopProgram pool(int64_t channels, int64_t size, int64_t block) {
    LoopProgram p = named("pool");
    const int x = addTensor(p, "x", {1, channels, size * 2, size * 2}, Role::Input, blocked(1, block));
    const int y = addTensor(p, "y", {1, channels, size, size}, Role::Output, blocked(1, block));
    addStage(
        p, "pool",
        {space("n", 1), space("c", channels), space("oh", size), space("ow", size), reduced("kh", 2), reduced("kw", 2)},
        loop::Reduction::Max,
        loop::load(x, {Index::axis(0), Index::axis(1), Index::axis(2) * 2 + Index::axis(4),
                       Index::axis(3) * 2 + Index::axis(5)}),
        y, plainAxes(4));
    return p;
}

// packedB: weights as [N/16][K][16]. transposedB: B is [batch,N,K].
inline LoopProgram matmul(int64_t batch, int64_t m, int64_t n, int64_t k, bool packedB, bool transposedB) {
    LoopProgram p = named("matmul");
    const int a = addTensor(p, "a", {batch, m, k}, Role::Input);
    Layout layout;
    if (packedB) {
        layout.order = {0, 2, 1};
        layout.blocks = {{2, 16}};
    }
    const int b = transposedB ? addTensor(p, "b", {batch, n, k}, Role::Input)
                              : addTensor(p, "b", {batch, k, n}, packedB ? Role::Constant : Role::Input, layout);
    const int c = addTensor(p, "c", {batch, m, n}, Role::Output);
    std::vector<Index> at{Index::axis(0), Index::axis(3), Index::axis(2)};
    if (transposedB) std::swap(at[1], at[2]);
    addStage(
        p, "matmul", {space("b", batch), space("m", m), space("n", n), reduced("k", k)}, loop::Reduction::Sum,
        loop::binary(ScalarOp::Mul, loop::load(a, {Index::axis(0), Index::axis(1), Index::axis(3)}), loop::load(b, at)),
        c, plainAxes(3));
    return p;
}

inline LoopProgram softmax(int64_t rows, int64_t columns) {
    LoopProgram p = named("softmax");
    const int x = addTensor(p, "x", {2, rows, columns}, Role::Input);
    const int y = addTensor(p, "y", {2, rows, columns}, Role::Output);
    const int most = addTensor(p, "max", {2, rows}, Role::Temp), sum = addTensor(p, "sum", {2, rows}, Role::Temp);
    const std::vector<Index> all = plainAxes(3), row = plainAxes(2);
    const std::vector<Axis> axes{space("b", 2), space("row", rows), reduced("col", columns)};
    const Scalar shifted =
        loop::unary(ScalarOp::Exp, loop::binary(ScalarOp::Sub, loop::load(x, all), loop::load(most, row)));
    addStage(p, "softmax.max", axes, loop::Reduction::Max, loop::load(x, all), most, row);
    addStage(p, "softmax.sum", axes, loop::Reduction::Sum, shifted, sum, row);
    addStage(p, "softmax", {space("b", 2), space("row", rows), space("col", columns)}, loop::Reduction::None,
             loop::binary(ScalarOp::Div, shifted, loop::load(sum, row)), y, all);
    return p;
}

inline LoopProgram elementwise(graph::Shape shape, Layout layout = {}, DType dtype = DType::Float32) {
    LoopProgram p = named("add");
    const int x = addTensor(p, "x", shape, Role::Input, layout, dtype);
    const int z = addTensor(p, "z", shape, Role::Input, layout, dtype);
    const int y = addTensor(p, "y", shape, Role::Output, layout, dtype);
    std::vector<Axis> axes;
    for (size_t k = 0; k < shape.size(); ++k) axes.push_back(space("d" + std::to_string(k), shape[k]));
    const std::vector<Index> at = plainAxes(shape.size());
    addStage(p, "add", axes, loop::Reduction::None,
             loop::binary(ScalarOp::Add, loop::load(x, at, dtype), loop::load(z, at, dtype)), y, at);
    return p;
}

// NCHW to NCHWc, or to NHWC when block is 1.
inline LoopProgram reorder(int64_t channels, int64_t size, int64_t block) {
    LoopProgram p = named("reorder");
    const int x = addTensor(p, "x", {1, channels, size, size}, Role::Input);
    std::vector<Index> at = plainAxes(4);
    graph::Shape shape{1, channels, size, size};
    if (block == 1) {
        shape = {1, size, size, channels};
        at = {Index::axis(0), Index::axis(2), Index::axis(3), Index::axis(1)};
    }
    const int y = addTensor(p, "y", shape, Role::Output, blocked(1, block));
    addStage(p, "reorder", {space("n", 1), space("c", channels), space("h", size), space("w", size)},
             loop::Reduction::None, loop::load(x, plainAxes(4)), y, at);
    return p;
}

inline LoopProgram globalMean(int64_t channels, int64_t size, int64_t block) {
    LoopProgram p = named("mean");
    const int x = addTensor(p, "x", {1, channels, size, size}, Role::Input, blocked(1, block));
    const int y = addTensor(p, "y", {1, channels}, Role::Output);
    addStage(p, "mean", {space("n", 1), space("c", channels), reduced("h", size), reduced("w", size)},
             loop::Reduction::Sum, loop::load(x, plainAxes(4)), y, plainAxes(2),
             loop::binary(ScalarOp::Mul, loop::accumulator(), loop::constant(1.0 / static_cast<double>(size * size))));
    return p;
}

// A reshape read through division and remainder.
inline LoopProgram reshape(int64_t rows, int64_t columns) {
    LoopProgram p = named("reshape");
    const int x = addTensor(p, "x", {rows, columns}, Role::Input), y = addTensor(p, "y", {columns, rows}, Role::Output);
    const Index flat = Index::axis(0) * rows + Index::axis(1);
    addStage(p, "reshape", {space("i", columns), space("j", rows)}, loop::Reduction::None,
             loop::load(x, {loop::floorDiv(flat, columns), loop::mod(flat, columns)}), y, plainAxes(2));
    return p;
}

inline LoopProgram gather(int64_t count, int64_t columns) {
    LoopProgram p = named("gather");
    const int x = addTensor(p, "x", {100, columns}, Role::Constant);
    const int at = addTensor(p, "at", {count}, Role::Input, {}, DType::Int64);
    const int y = addTensor(p, "y", {count, columns}, Role::Output);
    addStage(p, "gather", {space("i", count), space("j", columns)}, loop::Reduction::None,
             loop::load(x, {Index::loaded(loop::load(at, {Index::axis(0)}, DType::Int64)), Index::axis(1)}), y,
             plainAxes(2));
    return p;
}

struct NamedProgram {
    const char* name;
    LoopProgram program;
};

inline std::vector<NamedProgram> everyKind() {
    return {
        {"conv 3x3 blocked", conv(64, 64, 14, 3, 1, 16)},
        {"conv 3x3 odd", conv(24, 40, 7, 3, 1, 16)},
        {"conv 1x1", conv(128, 64, 28, 1, 1, 16)},
        {"conv stem plain", conv(16, 3, 31, 7, 2, 1)},
        {"conv block 8", conv(20, 12, 9, 5, 2, 8)},
        {"conv tiny", conv(1, 1, 1, 1, 1, 1)},
        {"depthwise", depthwise(96, 14, 3, 16)},
        {"depthwise odd", depthwise(19, 5, 3, 8)},
        {"pool", pool(64, 13, 16)},
        {"matmul", matmul(1, 128, 256, 192, true, false)},
        {"matmul vector", matmul(1, 1, 10, 1000, false, false)},
        {"matmul odd", matmul(3, 7, 13, 5, false, false)},
        {"matmul transposed", matmul(4, 64, 64, 32, false, true)},
        {"softmax", softmax(33, 100)},
        {"softmax tiny", softmax(1, 3)},
        {"add", elementwise({1, 64, 14, 14}, blocked(1, 16))},
        {"add plain", elementwise({3, 5, 7})},
        {"add scalar", elementwise({})},
        {"add one", elementwise({1})},
        {"add six", elementwise({2, 3, 4, 5, 6, 7})},
        {"add int64", elementwise({4, 33}, {}, DType::Int64)},
        {"add uint8", elementwise({130}, {}, DType::UInt8)},
        {"add empty", elementwise({0, 4})},
        {"reorder", reorder(35, 9, 16)},
        {"transpose", reorder(35, 9, 1)},
        {"mean blocked", globalMean(40, 7, 16)},
        {"mean plain", globalMean(40, 7, 1)},
        {"reshape", reshape(12, 35)},
        {"gather", gather(5, 77)},
    };
}

inline target::Target targetOf(int vectorBits, int registers) {
    target::Target target;
    target.name = "test";
    target.cpu = "znver4";
    target.vectorBits = vectorBits;
    target.vectorRegisters = registers;
    return target;
}

}  // namespace fettle::testing
