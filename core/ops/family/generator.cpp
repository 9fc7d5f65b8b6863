// SPDX-License-Identifier: GPL-3.0-or-later
// Shape-21, Size-21, ConstantOfShape-21, Range-11. (Constant nodes become constants on import.)
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Result<std::pair<int64_t, int64_t>> shapeRange(const NodeView& view) {
    const int64_t rank = static_cast<int64_t>(view.types[0]->shape.size());
    auto clamped = [rank](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const int64_t start = clamped(std::max(view.node->intOr("start", 0), -rank));
    const int64_t end = clamped(std::max(view.node->intOr("end", rank), -rank - 1));
    return std::pair{start, std::max(start, end)};
}

Result<Types> shapeShape(const NodeView& view) {
    FETTLE_TRY(const auto range, shapeRange(view));
    return Types{{DType::Int64, {range.second - range.first}, {}}};
}

Result<Tensors> shapeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const auto range, shapeRange(viewOf(node, inputs)));
    const Shape& shape = inputs[0]->type.shape;
    return Tensors{fromInts(DType::Int64, {range.second - range.first},
                            std::vector<int64_t>(shape.begin() + range.first, shape.begin() + range.second))};
}

Result<Types> sizeShape(const NodeView&) {
    return Types{{DType::Int64, {}, {}}};
}

Result<Tensors> sizeEvaluate(const Node&, Inputs inputs) {
    return Tensors{fromInts(DType::Int64, {}, std::vector<int64_t>{graph::elementCount(inputs[0]->type.shape)})};
}

Tensor fillValue(const Node& node) {
    const auto found = node.attributes.find("value");
    if (found != node.attributes.end()) return std::get<Tensor>(found->second);
    return graph::fromDoubles(DType::Float32, {1}, std::vector<double>{0});
}

Result<Types> constantOfShapeShape(const NodeView& view) {
    FETTLE_TRY(const Shape shape, constantInts(view, 0, "input"));
    FETTLE_CHECK(checkedCount(*view.node, shape));
    const Tensor value = fillValue(*view.node);
    if (graph::elementCount(value.type.shape) != 1) return bad(*view.node, "value must hold one element");
    return Types{{value.type.dtype, shape, {}}};
}

Result<Tensors> constantOfShapeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, constantOfShapeShape(viewOf(node, inputs)));
    return Tensors{strided(fillValue(node), types[0].shape, std::vector<int64_t>(types[0].shape.size(), 0))};
}

Result<int64_t> rangeCount(const NodeView& view) {
    FETTLE_CHECK(needSameType(view, {0, 1, 2}));
    double bounds[3];
    for (size_t i = 0; i < 3; ++i) {
        if (!view.constants[i])
            return unsupported(
                *view.node,
                "the bounds are computed from the data, so the length of the output is not known before it runs");
        if (graph::elementCount(view.types[i]->shape) != 1) return bad(*view.node, "the bounds must be single values");
        bounds[i] = toDoubles(*view.constants[i])[0];
    }
    if (bounds[2] == 0) return bad(*view.node, "step 0");
    const double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
    if (!(count < 0x1p40)) return bad(*view.node, "the range exceeds the size limit");
    return std::max<int64_t>(0, static_cast<int64_t>(count));
}

Result<Types> rangeShape(const NodeView& view) {
    FETTLE_TRY(const int64_t count, rangeCount(view));
    return Types{{view.types[0]->dtype, {count}, {}}};
}

Result<Tensors> rangeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const int64_t count, rangeCount(viewOf(node, inputs)));
    const DType dtype = inputs[0]->type.dtype;
    if (graph::isFloat(dtype)) {
        const double start = toDoubles(*inputs[0])[0], step = toDoubles(*inputs[2])[0];
        std::vector<double> y(count);
        for (int64_t i = 0; i < count; ++i) y[i] = start + static_cast<double>(i) * step;
        return Tensors{graph::fromDoubles(dtype, {count}, y)};
    }
    const uint64_t start = toInts(*inputs[0])[0], step = toInts(*inputs[2])[0];
    std::vector<int64_t> y(count);
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<int64_t>(start + static_cast<uint64_t>(i) * step);
    return Tensors{fromInts(dtype, {count}, y)};
}

}  // namespace

std::vector<OpRow> generatorRows() {
    const OpKind kind = OpKind::Other;
    const Fusion fusion = Fusion::Opaque;
    return {
        makeRow({"Shape", kind, fusion, 1, 1, 1, "start:i end:i", shapeShape, shapeEvaluate}),
        makeRow({"Size", kind, fusion, 1, 1, 1, "", sizeShape, sizeEvaluate}),
        makeRow({"ConstantOfShape", kind, fusion, 1, 1, 1, "value:t", constantOfShapeShape, constantOfShapeEvaluate,
                 nullptr, 9}),
        makeRow({"Range", kind, fusion, 3, 3, 1, "", rangeShape, rangeEvaluate, nullptr, 11}),
    };
}

}  // namespace fettle::ops
