// SPDX-License-Identifier: GPL-3.0-or-later
// Where-16, Clip-13 (bounds as attributes below opset 11), Cast-19 without strings and 8-bit floats, CastLike-19.
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Result<Types> whereShape(const NodeView& view) {
    if (view.types[0]->dtype != DType::Bool) return bad(*view.node, "the condition must be bool");
    FETTLE_CHECK(needSameType(view, {1, 2}));
    FETTLE_TRY(const Shape both, broadcast(*view.node, view.types[1]->shape, view.types[2]->shape));
    FETTLE_TRY(const Shape shape, broadcast(*view.node, view.types[0]->shape, both));
    return Types{{view.types[1]->dtype, shape, {}}};
}

Result<Tensors> whereEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, whereShape(viewOf(node, inputs)));
    const Shape& shape = types[0].shape;
    const Tensor chosen[2] = {strided(*inputs[2], shape, broadcastStrides(inputs[2]->type.shape, shape)),
                              strided(*inputs[1], shape, broadcastStrides(inputs[1]->type.shape, shape))};
    const Tensor condition = strided(*inputs[0], shape, broadcastStrides(inputs[0]->type.shape, shape));
    const int64_t size = graph::dtypeBytes(types[0].dtype);
    std::vector<std::byte> bytes(chosen[0].data().size());
    for (int64_t i = 0; i < static_cast<int64_t>(condition.data().size()); ++i)
        std::copy_n(chosen[condition.data()[i] != std::byte{0}].data().data() + i * size, size,
                    bytes.data() + i * size);
    return Tensors{graph::makeTensor(types[0].dtype, shape, std::move(bytes))};
}

Result<Types> clipShape(const NodeView& view) {
    for (size_t i = 1; i < view.types.size(); ++i)
        if (view.has(i) && graph::elementCount(view.types[i]->shape) != 1)
            return bad(*view.node, "the bounds must be single values");
    FETTLE_CHECK(needSameType(view, {0, 1, 2}));
    return Types{{view.types[0]->dtype, view.types[0]->shape, {}}};
}

Result<Tensors> clipEvaluate(const Node& node, Inputs inputs) {
    const Tensor& x = *inputs[0];
    auto given = [&](size_t i) { return inputs.size() > i && inputs[i]; };
    if (!graph::isFloat(x.type.dtype)) {
        std::vector<int64_t> values = toInts(x);
        const int64_t low = given(1) ? toInts(*inputs[1])[0] : std::numeric_limits<int64_t>::min();
        const int64_t high = given(2) ? toInts(*inputs[2])[0] : std::numeric_limits<int64_t>::max();
        for (int64_t& value : values) value = std::min(std::max(value, low), high);
        return Tensors{fromInts(x.type.dtype, x.type.shape, values)};
    }
    const double infinity = std::numeric_limits<double>::infinity();
    double low = -infinity, high = infinity;
    if (node.opset < 11) {
        low = node.floatOr("min", std::numeric_limits<float>::lowest());
        high = node.floatOr("max", std::numeric_limits<float>::max());
    } else {
        if (given(1)) low = toDoubles(*inputs[1])[0];
        if (given(2)) high = toDoubles(*inputs[2])[0];
    }
    std::vector<double> values = toDoubles(x);
    for (double& value : values) {
        if (value < low) value = low;
        if (value > high) value = high;
    }
    return Tensors{graph::fromDoubles(x.type.dtype, x.type.shape, values)};
}

Tensor castTo(const Tensor& x, DType to) {
    const DType from = x.type.dtype;
    if (from == to) return x;
    if (graph::isFloat(to)) return graph::fromDoubles(to, x.type.shape, toDoubles(x));
    if (!graph::isFloat(from)) return fromInts(to, x.type.shape, toInts(x));
    std::vector<double> values = toDoubles(x);
    if (to != DType::Bool)
        for (double& value : values) value = std::trunc(value);
    return graph::fromDoubles(to, x.type.shape, values);
}

Result<Types> castShape(const NodeView& view) {
    const int64_t to = view.node->intOr("to", 0);
    const DType dtype = static_cast<DType>(to);
    if (to < 0 || to > 255 || graph::dtypeBytes(dtype) == 0)
        return unsupported(*view.node, "a cast to data type " + std::to_string(to) + " is not supported");
    return Types{{dtype, view.types[0]->shape, {}}};
}

Result<Tensors> castEvaluate(const Node& node, Inputs inputs) {
    return Tensors{castTo(*inputs[0], static_cast<DType>(node.intOr("to", 0)))};
}

Result<Types> castLikeShape(const NodeView& view) {
    return Types{{view.types[1]->dtype, view.types[0]->shape, {}}};
}

Result<Tensors> castLikeEvaluate(const Node&, Inputs inputs) {
    return Tensors{castTo(*inputs[0], inputs[1]->type.dtype)};
}

}  // namespace

std::vector<OpRow> selectRows() {
    const OpKind kind = OpKind::Elementwise;
    const Fusion fusion = Fusion::Elementwise;
    return {
        makeRow({"Where", kind, fusion, 3, 3, 1, "", whereShape, whereEvaluate, nullptr, 9}),
        makeRow({"Clip", kind, fusion, 1, 3, 1, "min:f max:f", clipShape, clipEvaluate}),
        makeRow({"Cast", kind, fusion, 1, 1, 1, "to:i!", castShape, castEvaluate}),
        makeRow({"CastLike", kind, fusion, 2, 2, 1, "", castLikeShape, castLikeEvaluate, nullptr, 15}),
    };
}

}  // namespace fettle::ops
