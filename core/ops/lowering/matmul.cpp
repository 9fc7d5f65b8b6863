// SPDX-License-Identifier: GPL-3.0-or-later
// MatMul (numpy broadcasting of batch dimensions, vectors at either side) and Gemm.
#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::Shape;
using loop::AxisKind;
using loop::Reduction;

Status matmul(const NodeView& view, Lowering& lowering) {
    const Shape& a = view.types[0]->shape;
    const Shape& b = view.types[1]->shape;
    const bool vectorA = a.size() == 1, vectorB = b.size() == 1;
    const Shape batchA(a.begin(), vectorA ? a.begin() : a.end() - 2);
    const Shape batchB(b.begin(), vectorB ? b.begin() : b.end() - 2);
    const Shape& out = lowering.outputType().shape;
    const size_t batches = std::max(batchA.size(), batchB.size());

    loop::Stage stage;
    stage.name = lowering.name();
    stage.reduction = Reduction::Sum;
    for (size_t i = 0; i < batches; ++i)
        stage.axes.push_back({batches == 1 ? "b" : "b" + std::to_string(i), out[i], AxisKind::Space});
    const Indices batch = axisIndices(batches);
    Indices to = batch;
    Index m = 0, n = 0;
    if (!vectorA) {
        to.push_back(m = Index::axis(static_cast<int>(stage.axes.size())));
        stage.axes.push_back({"m", a[a.size() - 2], AxisKind::Space});
    }
    if (!vectorB) {
        to.push_back(n = Index::axis(static_cast<int>(stage.axes.size())));
        stage.axes.push_back({"n", b.back(), AxisKind::Space});
    }
    const Index k = Index::axis(static_cast<int>(stage.axes.size()));
    stage.axes.push_back({"k", a.back(), AxisKind::Reduce});

    Indices readA = broadcastIndices(batchA, batch), readB = broadcastIndices(batchB, batch);
    if (!vectorA) readA.push_back(m);
    readA.push_back(k);
    readB.push_back(k);
    if (!vectorB) readB.push_back(n);
    stage.body = mul(lowering.read(0, readA), lowering.read(1, readB));
    stage.output = lowering.outputTensor();
    stage.outputIndices = to;
    lowering.add(std::move(stage));
    return {};
}

// Gemm: alpha * A' * B' + beta * C, where ' transposes when the attribute says so. C broadcasts to [M,N].
Status gemm(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const bool transA = node.intOr("transA", 0) != 0, transB = node.intOr("transB", 0) != 0;
    const Shape& a = view.types[0]->shape;
    const Shape& out = lowering.outputType().shape;
    const Index m = Index::axis(0), n = Index::axis(1), k = Index::axis(2);

    loop::Stage stage;
    stage.name = lowering.name();
    stage.reduction = Reduction::Sum;
    stage.axes = {
        {"m", out[0], AxisKind::Space}, {"n", out[1], AxisKind::Space}, {"k", a[transA ? 0 : 1], AxisKind::Reduce}};
    stage.body = mul(lowering.read(0, transA ? Indices{k, m} : Indices{m, k}),
                     lowering.read(1, transB ? Indices{n, k} : Indices{k, n}));
    const float alpha = node.floatOr("alpha", 1), beta = node.floatOr("beta", 1);
    stage.epilogue = loop::accumulator();
    if (alpha != 1) stage.epilogue = mul(stage.epilogue, loop::constant(alpha));
    if (view.has(2) && beta != 0) {
        Scalar c = lowering.read(2, broadcastIndices(view.types[2]->shape, {m, n}));
        stage.epilogue = add(stage.epilogue, beta == 1 ? c : mul(c, loop::constant(beta)));
    }
    stage.output = lowering.outputTensor();
    stage.outputIndices = {m, n};
    lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
