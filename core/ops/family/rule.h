// SPDX-License-Identifier: GPL-3.0-or-later
// What every family file needs: how a registry row is written, errors that name the node, small shape arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "core/ops/op.h"

namespace fettle::ops {

using graph::DType;
using graph::Node;
using graph::OpKind;
using graph::Shape;
using graph::shapeText;
using graph::Tensor;
using graph::TensorType;
using Types = std::vector<TensorType>;
using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor* const>;  // null: absent

inline constexpr int kOldestOpset = 7, kNewestOpset = 27;
inline constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

// A row with what is checked before its shape rule runs.
struct RowSpec {
    const char* name;
    OpKind kind;
    Fusion fusion;
    size_t minInputs, maxInputs;  // the first minInputs must be present
    size_t maxOutputs;
    // Attributes and their kinds: "alpha:f pads:I mode:s". i int, f float, s string, t tensor; capitals are lists;
    // a '!' after the kind: required. Others are ignored.
    const char* attributes;
    ShapeRule shape;
    Evaluate evaluate;
    Lower lower = nullptr;
    int since = kOldestOpset, until = kNewestOpset;
    const char* domain = "";
};
OpRow makeRow(RowSpec spec);

// One per family file; registry.cpp joins them.
std::vector<OpRow> convolutionRows();
std::vector<OpRow> matmulRows();
std::vector<OpRow> poolRows();
std::vector<OpRow> normalizationRows();
std::vector<OpRow> reduceRows();
std::vector<OpRow> unaryRows();
std::vector<OpRow> binaryRows();
std::vector<OpRow> selectRows();
std::vector<OpRow> reshapeRows();
std::vector<OpRow> movementRows();
std::vector<OpRow> gatherRows();
std::vector<OpRow> resizeRows();
std::vector<OpRow> generatorRows();

tl::unexpected<Error> bad(const Node& node, std::string why);
tl::unexpected<Error> unsupported(const Node& node, std::string why);

// A view in which every input is a known constant, so that an evaluator can ask its shape rule.
NodeView viewOf(const Node& node, Inputs inputs);

// axis in [-rank, rank) made non-negative; with `end`, rank itself is allowed too.
Result<int64_t> normalAxis(const Node& node, int64_t axis, size_t rank, bool end = false);
// Several, each at most once, sorted.
Result<std::vector<int64_t>> normalAxes(const Node& node, const std::vector<int64_t>& axes, size_t rank);
Result<Shape> broadcast(const Node& node, const Shape& a, const Shape& b);
// The value of an input that the output's shape depends on.
Result<std::vector<int64_t>> constantInts(const NodeView& view, size_t input, const char* name);
// The product, or an error when it does not fit.
Result<int64_t> checkedCount(const Node& node, const Shape& shape);
Status needRank(const NodeView& view, size_t input, size_t least, const char* name);
Status needSameType(const NodeView& view, std::initializer_list<size_t> inputs);

std::vector<int64_t> rowMajorStrides(const Shape& shape);  // in elements
// Strides to walk `shape` as if broadcast to `to`: 0 along broadcast axes, one per axis of `to`.
std::vector<int64_t> broadcastStrides(const Shape& shape, const Shape& to);
// Calls body(offset of each operand) for each index of `shape` in row-major order; at most 4 operands.
template <size_t N, class Body>
void forEach(const Shape& shape, const std::array<std::vector<int64_t>, N>& strides, Body body) {
    const size_t rank = shape.size();
    for (int64_t extent : shape)
        if (extent == 0) return;
    std::vector<int64_t> index(rank, 0);
    std::array<int64_t, N> offset{};
    while (true) {
        body(offset);
        size_t axis = rank;
        while (axis-- > 0) {
            for (size_t i = 0; i < N; ++i) offset[i] += strides[i][axis];
            if (++index[axis] < shape[axis]) break;
            for (size_t i = 0; i < N; ++i) offset[i] -= strides[i][axis] * shape[axis];
            index[axis] = 0;
        }
        if (axis == static_cast<size_t>(-1)) return;
    }
}

// Integers stored in `dtype` with wrap-around (bool: not zero); floats are rounded.
Tensor fromInts(DType dtype, Shape shape, std::span<const int64_t> values);
// The elements of `tensor` (plain) that lie at offset + sum(index * strides), as a tensor of `shape`.
Tensor strided(const Tensor& tensor, Shape shape, const std::vector<int64_t>& strides, int64_t offset = 0);
Tensor reshaped(const Tensor& tensor, Shape shape);  // shares the data

// c[m][n] += a[m][k] * b[k][n], row-major with row lengths lda, ldb, ldc.
void multiplyAdd(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb, double* c,
                 int64_t ldc);

}  // namespace fettle::ops
