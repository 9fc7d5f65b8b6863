// SPDX-License-Identifier: GPL-3.0-or-later
// MatMul-13 (numpy broadcasting), Gemm-13.
#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

struct MatmulShapes {
    Shape batch, a, b;  // a and b with at least two dimensions
    Shape result;
};

Result<MatmulShapes> matmulShapes(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 1, "A"));
    FETTLE_CHECK(needRank(view, 1, 1, "B"));
    FETTLE_CHECK(needSameType(view, {0, 1}));
    MatmulShapes s;
    s.a = view.types[0]->shape;
    s.b = view.types[1]->shape;
    const bool rowVector = s.a.size() == 1, columnVector = s.b.size() == 1;
    if (rowVector) s.a.insert(s.a.begin(), 1);
    if (columnVector) s.b.push_back(1);
    const int64_t depth = s.a.back(), depthB = s.b[s.b.size() - 2];
    if (depth != depthB)
        return bad(*view.node, "the shapes " + shapeText(view.types[0]->shape) + " and " +
                                   shapeText(view.types[1]->shape) + " cannot be multiplied: " + std::to_string(depth) +
                                   " columns meet " + std::to_string(depthB) + " rows");
    FETTLE_TRY(s.batch, broadcast(*view.node, {s.a.begin(), s.a.end() - 2}, {s.b.begin(), s.b.end() - 2}));
    s.result = s.batch;
    if (!rowVector) s.result.push_back(s.a[s.a.size() - 2]);
    if (!columnVector) s.result.push_back(s.b.back());
    return s;
}

Result<Types> matmulShape(const NodeView& view) {
    FETTLE_TRY(const MatmulShapes s, matmulShapes(view));
    return Types{{view.types[0]->dtype, s.result, {}}};
}

Result<Tensors> matmulEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const MatmulShapes s, matmulShapes(viewOf(node, inputs)));
    const std::vector<double> a = toDoubles(*inputs[0]), b = toDoubles(*inputs[1]);
    const int64_t m = s.a[s.a.size() - 2], k = s.a.back(), n = s.b.back();
    auto batchStrides = [&](const Shape& shape, int64_t matrix) {
        std::vector<int64_t> strides = broadcastStrides({shape.begin(), shape.end() - 2}, s.batch);
        for (int64_t& stride : strides) stride *= matrix;
        return strides;
    };
    std::vector<double> y(graph::elementCount(s.result), 0.0);
    double* out = y.data();
    forEach<2>(s.batch, {batchStrides(s.a, m * k), batchStrides(s.b, k * n)}, [&](const std::array<int64_t, 2>& at) {
        multiplyAdd(m, n, k, a.data() + at[0], k, b.data() + at[1], n, out, n);
        out += m * n;
    });
    return Tensors{graph::fromDoubles(inputs[0]->type.dtype, s.result, y)};
}

Result<Types> gemmShape(const NodeView& view) {
    const Node& node = *view.node;
    FETTLE_CHECK(needSameType(view, {0, 1, 2}));
    for (size_t i = 0; i < 2; ++i)
        if (view.types[i]->shape.size() != 2)
            return bad(node, std::string(i == 0 ? "the rank of A is " : "the rank of B is ") +
                                 std::to_string(view.types[i]->shape.size()) + "; Gemm multiplies matrices of rank 2");
    Shape a = view.types[0]->shape, b = view.types[1]->shape;
    if (node.intOr("transA", 0)) std::swap(a[0], a[1]);
    if (node.intOr("transB", 0)) std::swap(b[0], b[1]);
    if (a[1] != b[0])
        return bad(node, "the matrices " + shapeText(a) + " and " + shapeText(b) +
                             " (after transposing) cannot be multiplied");
    const Shape result = {a[0], b[1]};
    if (view.has(2)) {
        FETTLE_TRY(const Shape both, broadcast(node, view.types[2]->shape, result));
        if (both != result)
            return bad(node, "C " + shapeText(view.types[2]->shape) + " does not broadcast to " + shapeText(result));
    }
    return Types{{view.types[0]->dtype, result, {}}};
}

std::vector<double> matrix(const Tensor& tensor, bool transpose) {
    if (!transpose) return toDoubles(tensor);
    const Shape& s = tensor.type.shape;
    return toDoubles(strided(tensor, {s[1], s[0]}, {1, s[1]}));
}

Result<Tensors> gemmEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, gemmShape(viewOf(node, inputs)));
    const bool transA = node.intOr("transA", 0) != 0, transB = node.intOr("transB", 0) != 0;
    const std::vector<double> a = matrix(*inputs[0], transA), b = matrix(*inputs[1], transB);
    const int64_t m = types[0].shape[0], n = types[0].shape[1], k = inputs[0]->type.shape[transA ? 0 : 1];
    const double alpha = node.floatOr("alpha", 1), beta = node.floatOr("beta", 1);
    std::vector<double> y(m * n, 0.0);
    multiplyAdd(m, n, k, a.data(), k, b.data(), n, y.data(), n);
    for (double& value : y) value *= alpha;
    if (inputs.size() > 2 && inputs[2] && beta != 0) {
        const std::vector<double> c = toDoubles(*inputs[2]);
        double* out = y.data();
        forEach<1>(types[0].shape, {broadcastStrides(inputs[2]->type.shape, types[0].shape)},
                   [&](const std::array<int64_t, 1>& at) { *out++ += beta * c[at[0]]; });
    }
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, y)};
}

}  // namespace

std::vector<OpRow> matmulRows() {
    return {
        makeRow({"MatMul", OpKind::Matmul, Fusion::Anchor, 2, 2, 1, "", matmulShape, matmulEvaluate}),
        makeRow({"Gemm", OpKind::Matmul, Fusion::Anchor, 2, 3, 1, "alpha:f beta:f transA:i transB:i", gemmShape,
                 gemmEvaluate}),
    };
}

}  // namespace fettle::ops
