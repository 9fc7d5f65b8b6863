// SPDX-License-Identifier: GPL-3.0-or-later
// Gather-13: constant indices in an arithmetic progression become index arithmetic, others a data-dependent index.
// Indices that only the run knows are held inside the axis: out of range, the first or the last element is read, never
// memory beside the tensor.
#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::DType;
using graph::Shape;
using loop::ScalarOp;

namespace {

// The index that constant `values` of `shape` select, when it is affine in `point` (per dimension steps).
std::optional<Index> affineIndex(const std::vector<int64_t>& values, const Shape& shape, const Indices& point) {
    if (values.empty()) return std::nullopt;
    Index result = values[0];
    std::vector<int64_t> steps(shape.size(), 0);
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
        if (shape[d] > 1) steps[d] = values[static_cast<size_t>(stride)] - values[0];
    for (size_t i = 0; i < values.size(); ++i) {
        int64_t rest = static_cast<int64_t>(i), expected = values[0];
        for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) expected += rest % shape[d] * steps[d];
        if (values[i] != expected) return std::nullopt;
    }
    for (size_t d = 0; d < shape.size(); ++d) result = result + point[d] * steps[d];
    return result;
}

}  // namespace

Status gather(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    if (node.op != "Gather") return cannotLower(node, "this form of gathering is not compiled");
    const Shape& data = view.types[0]->shape;
    const Shape& selected = view.types[1]->shape;
    const auto axis = static_cast<size_t>(normalAxis(node.intOr("axis", 0), data.size()));
    const Shape& out = lowering.outputType().shape;
    const Indices point = axisIndices(out.size());
    const Indices which(point.begin() + static_cast<long>(axis),
                        point.begin() + static_cast<long>(axis + selected.size()));

    std::optional<Index> source;
    bool negative = true;
    const bool known = view.constants[1] != nullptr;  // and then in range: the shape rule has looked
    if (known) {
        std::vector<int64_t> values = graph::toInts(*view.constants[1]);
        negative = false;
        for (int64_t& value : values) {
            negative |= value < 0;
            if (value < 0) value += data[axis];
        }
        source = affineIndex(values, selected, which);
    }
    if (!source) {
        if (data[axis] == 0) return cannotLower(node, "it selects from an empty axis");
        const auto number = [](int64_t v) { return loop::constant(static_cast<double>(v), DType::Int64); };
        Scalar at = loop::cast(lowering.read(1, which), DType::Int64);
        if (negative) at = loop::select(loop::binary(ScalarOp::Less, at, number(0)), add(at, number(data[axis])), at);
        if (!known)
            at = loop::binary(ScalarOp::Min, loop::binary(ScalarOp::Max, at, number(0)), number(data[axis] - 1));
        source = Index::loaded(at);
    }
    Indices pull(point.begin(), point.begin() + static_cast<long>(axis));
    pull.push_back(*source);
    pull.insert(pull.end(), point.begin() + static_cast<long>(axis + selected.size()), point.end());

    loop::Stage stage;
    stage.name = lowering.name();
    stage.axes = outputAxes(out);
    stage.body = lowering.read(0, pull);
    stage.output = lowering.outputTensor();
    stage.outputIndices = point;
    lowering.move(std::move(stage), 0, std::nullopt);
    return {};
}

}  // namespace fettle::ops::lower
