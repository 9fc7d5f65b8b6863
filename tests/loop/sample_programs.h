// SPDX-License-Identifier: GPL-3.0-or-later
// Small programs that several tests use.
#pragma once

#include "core/loop/program.h"

namespace fettle::loop::sample {

inline TensorDecl tensor(std::string name, graph::Shape shape, Role role, graph::Layout layout = {}) {
    return {std::move(name), {DType::Float32, std::move(shape), std::move(layout)}, role};
}

// C[m,n] = max(sum_k A[m,k] * B[k,n], 0); B packed [n/lanes][k][lanes] when lanes > 0.
inline LoopProgram matmul(int64_t m, int64_t n, int64_t k, int64_t lanes = 0) {
    LoopProgram p;
    p.name = "MatMul_0 + Relu_1";
    graph::Layout packed;
    if (lanes > 0) packed = {{1, 0}, {{1, lanes}}, {}, {}};
    p.tensors = {tensor("A", {m, k}, Role::Input), tensor("B", {k, n}, Role::Constant, packed),
                 tensor("C", {m, n}, Role::Output)};
    Stage s;
    s.name = "matmul";
    s.axes = {{"m", m, AxisKind::Space}, {"n", n, AxisKind::Space}, {"k", k, AxisKind::Reduce}};
    s.reduction = Reduction::Sum;
    s.body =
        binary(ScalarOp::Mul, load(0, {Index::axis(0), Index::axis(2)}), load(1, {Index::axis(2), Index::axis(1)}));
    s.epilogue = binary(ScalarOp::Max, accumulator(), constant(0));
    s.output = 2;
    s.outputIndices = {Index::axis(0), Index::axis(1)};
    p.stages = {s};
    p.nests = defaultNests(p);
    return p;
}

// A row-wise softmax without the subtraction's exp stored: max, sum of exp, quotient.
inline LoopProgram softmax(int64_t rows, int64_t cols) {
    LoopProgram p;
    p.name = "Softmax_0";
    p.tensors = {tensor("X", {rows, cols}, Role::Input), tensor("Y", {rows, cols}, Role::Output),
                 tensor("max", {rows, 1}, Role::Temp), tensor("sum", {rows, 1}, Role::Temp)};
    const Index r = Index::axis(0), c = Index::axis(1);
    const auto shifted = unary(ScalarOp::Exp, binary(ScalarOp::Sub, load(0, {r, c}), load(2, {r, Index(0)})));
    Stage max{"max",          {{"r", rows, AxisKind::Space}, {"c", cols, AxisKind::Reduce}},
              Reduction::Max, load(0, {r, c}),
              nullptr,        2,
              {r, Index(0)}};
    Stage sum{"sum", max.axes, Reduction::Sum, shifted, nullptr, 3, {r, Index(0)}};
    Stage out{"out",           {{"r", rows, AxisKind::Space}, {"c", cols, AxisKind::Space}},
              Reduction::None, binary(ScalarOp::Div, shifted, load(3, {r, Index(0)})),
              nullptr,         1,
              {r, c}};
    p.stages = {max, sum, out};
    p.nests = defaultNests(p);
    return p;
}

}  // namespace fettle::loop::sample
