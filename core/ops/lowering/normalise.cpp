// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax and LayerNormalization: several stages over the same rows, so that each row stays in the cache.
#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::DType;
using graph::Shape;
using loop::Axis;
using loop::AxisKind;
using loop::Reduction;
using loop::ScalarOp;
using loop::Stage;

namespace {

// The dimensions of a tensor, parted into rows (space axes, first) and what is normalised (last).
struct Rows {
    std::vector<Axis> outer;  // one per row dimension
    std::vector<Axis> inner;  // one per normalised dimension
    Shape outerShape;
    std::vector<size_t> outerDims, innerDims;
    size_t rank = 0;

    Indices row() const { return axisIndices(outer.size()); }
    Indices point() const {  // logical indices of the element at (row axes, inner axes)
        Indices result(rank, Index(0));
        for (size_t i = 0; i < outerDims.size(); ++i) result[outerDims[i]] = Index::axis(static_cast<int>(i));
        for (size_t i = 0; i < innerDims.size(); ++i)
            result[innerDims[i]] = Index::axis(static_cast<int>(outerDims.size() + i));
        return result;
    }
    double count() const {
        double n = 1;
        for (const Axis& axis : inner) n *= static_cast<double>(axis.extent);
        return n;
    }
};

Rows rowsOf(const Shape& shape, const std::vector<bool>& normalised) {
    Rows rows;
    rows.rank = shape.size();
    const bool flat = shape.size() > 1 && normalised.back();
    for (size_t d = 0; d < shape.size(); ++d) {
        if (normalised[d]) {
            rows.inner.push_back(
                {"col" + (d + 1 == shape.size() ? std::string() : std::to_string(d)), shape[d], AxisKind::Reduce});
            rows.innerDims.push_back(d);
        } else {
            const bool last = flat && d + 2 == shape.size();
            rows.outer.push_back({last ? "row" : "row" + std::to_string(d), shape[d], AxisKind::Space});
            rows.outerDims.push_back(d);
            rows.outerShape.push_back(shape[d]);
        }
    }
    return rows;
}

// One reduction per row, into a temp over the rows. Returns the temp.
int rowStage(Lowering& lowering, const Rows& rows, const std::string& suffix, Reduction reduction, Scalar body,
             Scalar epilogue) {
    const int temp = lowering.temp(suffix, DType::Float32, rows.outerShape);
    Stage stage;
    stage.name = lowering.name(suffix);
    stage.axes = rows.outer;
    stage.axes.insert(stage.axes.end(), rows.inner.begin(), rows.inner.end());
    stage.reduction = reduction;
    stage.body = std::move(body);
    stage.epilogue = std::move(epilogue);
    stage.output = temp;
    stage.outputIndices = rows.row();
    lowering.keep(std::move(stage));
    return temp;
}

Stage pointStage(const Lowering& lowering, const Rows& rows, const std::string& suffix, Scalar body, int output) {
    Stage stage;
    stage.name = lowering.name(suffix);
    stage.axes = rows.outer;
    for (Axis axis : rows.inner) {
        axis.kind = AxisKind::Space;
        stage.axes.push_back(axis);
    }
    stage.body = std::move(body);
    stage.output = output;
    stage.outputIndices = rows.point();
    return stage;
}

}  // namespace

// Before opset 13 the input is taken as a matrix [dims before axis, dims from axis on] (default axis 1).
Status softmax(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const Shape& shape = view.types[0]->shape;
    const bool matrix = node.opset < 13;
    const auto axis = static_cast<size_t>(normalAxis(node.intOr("axis", matrix ? 1 : -1), shape.size()));
    std::vector<bool> normalised(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) normalised[d] = matrix ? d >= axis : d == axis;
    const Rows rows = rowsOf(shape, normalised);
    const bool logarithm = node.op == "LogSoftmax";

    const Scalar x = lowering.read(0, rows.point());
    const int maximum = rowStage(lowering, rows, "max", Reduction::Max, x, nullptr);
    const Scalar shifted = sub(x, loop::load(maximum, rows.row()));
    const Scalar exponential = loop::unary(ScalarOp::Exp, shifted);
    if (logarithm) {
        const int sum = rowStage(lowering, rows, "sum", Reduction::Sum, exponential,
                                 loop::unary(ScalarOp::Log, loop::accumulator()));
        lowering.add(
            pointStage(lowering, rows, "", sub(shifted, loop::load(sum, rows.row())), lowering.outputTensor()));
        return {};
    }
    const int exps = lowering.temp("exp", DType::Float32, shape);
    lowering.keep(pointStage(lowering, rows, "exp", exponential, exps));
    const Scalar stored = loop::load(exps, rows.point());
    const int scale =
        rowStage(lowering, rows, "sum", Reduction::Sum, stored, loop::unary(ScalarOp::Reciprocal, loop::accumulator()));
    lowering.add(pointStage(lowering, rows, "", mul(stored, loop::load(scale, rows.row())), lowering.outputTensor()));
    return {};
}

// LayerNormalization (opset 17; also our name for the spelt-out form) and RMSNormalization. Two passes over the row:
// the variance is that of the differences, not a difference of squares.
Status layerNorm(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const bool rms = node.op.starts_with("RMS");
    if (!rms && node.op != "LayerNormalization") return cannotLower(node, "this normalisation is not compiled");
    if (node.outputs.size() > 1) return cannotLower(node, "the mean and deviation outputs are not compiled");
    const Shape& shape = view.types[0]->shape;
    const auto axis = static_cast<size_t>(normalAxis(node.intOr("axis", -1), shape.size()));
    std::vector<bool> normalised(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) normalised[d] = d >= axis;
    const Rows rows = rowsOf(shape, normalised);
    const Scalar perElement = loop::constant(1 / rows.count());
    const Scalar epsilon = loop::constant(node.floatOr("epsilon", 1e-5f));

    const Scalar x = lowering.read(0, rows.point());
    Scalar centred = x;
    if (!rms) {
        const int mean = rowStage(lowering, rows, "mean", Reduction::Sum, x, mul(loop::accumulator(), perElement));
        centred = sub(x, loop::load(mean, rows.row()));
    }
    const Scalar variance = add(mul(loop::accumulator(), perElement), epsilon);
    const int scale = rowStage(lowering, rows, "scale", Reduction::Sum, mul(centred, centred),
                               loop::unary(ScalarOp::Rsqrt, variance));
    Scalar body = mul(centred, loop::load(scale, rows.row()));
    const Indices point = rows.point();
    body = mul(body, lowering.read(1, broadcastIndices(view.types[1]->shape, point)));
    if (view.has(2)) body = add(body, lowering.read(2, broadcastIndices(view.types[2]->shape, point)));
    lowering.add(pointStage(lowering, rows, "", body, lowering.outputTensor()));
    return {};
}

}  // namespace fettle::ops::lower
