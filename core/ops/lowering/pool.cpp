// SPDX-License-Identifier: GPL-3.0-or-later
// MaxPool, AveragePool and their Global forms. Values outside the input count as -infinity, or not at all.
#include <limits>

#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"
#include "core/ops/lowering/window.h"

namespace fettle::ops::lower {

using graph::Shape;
using graph::TensorType;
using loop::AxisKind;
using loop::Reduction;
using loop::ScalarOp;

namespace {

// How many positions of the window at output position `o` count, along one dimension.
Scalar countAlong(const Window& window, size_t d, Index o, int64_t input, bool includePad) {
    const auto integer = [](Index i) { return loop::cast(loop::axisValue(std::move(i)), graph::DType::Float32); };
    const auto limit = [](int64_t v) { return loop::constant(static_cast<double>(v)); };
    const Index start = o * window.stride[d] - Index(window.padBefore[d]);
    const int64_t low = includePad ? -window.padBefore[d] : 0;
    const int64_t high = includePad ? input + window.padAfter[d] : input;
    const Scalar end = loop::binary(ScalarOp::Min, integer(start + Index(window.kernel[d])), limit(high));
    return sub(end, loop::binary(ScalarOp::Max, integer(start), limit(low)));
}

// The divisor of an average: a number when every window counts alike.
Scalar averageEpilogue(const graph::Node& node, const Window& window, const Shape& input) {
    const bool includePad = node.intOr("count_include_pad", 0) != 0;
    Scalar divisor;
    double fixed = 1;
    for (size_t d = 0; d < window.rank(); ++d) {
        const int64_t size = input[2 + d];
        const bool leaves = window.padBefore[d] > 0 || window.after(d, size) > 0;
        const bool leavesPad = window.after(d, size) > window.padAfter[d];
        if (includePad ? !leavesPad : !leaves) {
            fixed *= static_cast<double>(window.kernel[d]);
            continue;
        }
        Scalar count = countAlong(window, d, Index::axis(static_cast<int>(2 + d)), size, includePad);
        divisor = divisor ? mul(divisor, count) : count;
    }
    if (!divisor) return mul(loop::accumulator(), loop::constant(1 / fixed));
    return div(loop::accumulator(), mul(divisor, loop::constant(fixed)));
}

}  // namespace

Status pool(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const TensorType& x = *view.types[0];
    const Shape& out = lowering.outputType().shape;
    const bool global = node.op.starts_with("Global"), maximum = node.op.ends_with("MaxPool");
    if (node.outputs.size() > 1 && node.outputs[1] != graph::kNone)
        return cannotLower(node, "the indices output of MaxPool is not compiled");
    if (!maximum && !node.op.ends_with("AveragePool")) return cannotLower(node, "this pooling is not compiled");
    const Shape spatial = spatialOf(x.shape);
    FETTLE_TRY(const Window window, windowOf(node, spatial, global ? spatial : node.intsOr("kernel_shape", {})));
    const size_t rank = window.rank();
    if (!maximum)
        for (int64_t dilation : window.dilation)
            if (dilation != 1) return cannotLower(node, "dilated averages are not compiled");

    loop::Stage stage;
    stage.name = lowering.name();
    stage.reduction = maximum ? Reduction::Max : Reduction::Sum;
    stage.axes = {{"n", out[0], AxisKind::Space}, {"c", out[1], AxisKind::Space}};
    for (size_t d = 0; d < rank; ++d) stage.axes.push_back({"o" + spatialName(d, rank), out[2 + d], AxisKind::Space});
    for (size_t d = 0; d < rank; ++d)
        stage.axes.push_back({"k" + spatialName(d, rank), window.kernel[d], AxisKind::Reduce});
    Indices from = {Index::axis(0), Index::axis(1)};
    for (size_t d = 0; d < rank; ++d)
        from.push_back(Index::axis(static_cast<int>(2 + d)) * window.stride[d] +
                       Index::axis(static_cast<int>(2 + rank + d)) * window.dilation[d] - Index(window.padBefore[d]));
    const bool inside = staysInside(window, x, !maximum);
    const double outside = maximum ? -std::numeric_limits<double>::infinity() : 0;
    stage.body = inside ? lowering.read(0, from) : lowering.readOr(0, from, outside);
    if (!maximum) stage.epilogue = averageEpilogue(node, window, x.shape);
    stage.output = lowering.outputTensor();
    stage.outputIndices = axisIndices(2 + rank);
    lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
