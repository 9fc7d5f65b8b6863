// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that keep the elements in order: Reshape-14, Flatten-13, Squeeze-13, Unsqueeze-13, Identity-16,
// Dropout-13 (inference), and our own fettle.Reorder, whose output only differs in layout.
#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Result<Types> reshapeShape(const NodeView& view) {
    const Node& node = *view.node;
    FETTLE_TRY(Shape shape, constantInts(view, 1, "shape"));
    const Shape& from = view.types[0]->shape;
    const bool zeroIsZero = node.intOr("allowzero", 0) != 0;
    int64_t unknown = -1, known = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == -1) {
            if (unknown >= 0) return bad(node, "the shape " + shapeText(shape) + " has two -1");
            unknown = static_cast<int64_t>(i);
            continue;
        }
        if (shape[i] < -1) return bad(node, "the shape " + shapeText(shape) + " has a negative dimension");
        if (shape[i] == 0 && !zeroIsZero) {
            if (i >= from.size()) return bad(node, "a 0 in the shape has no dimension of the input to copy");
            shape[i] = from[i];
        }
        if (__builtin_mul_overflow(known, shape[i], &known))
            return bad(node, "the dimensions of " + shapeText(shape) + " overflow");
    }
    FETTLE_TRY(const int64_t count, checkedCount(node, from));
    if (unknown >= 0) {
        if (known == 0 || count % known != 0)
            return bad(node, "the element counts do not match: " + std::to_string(count) + " elements do not fill " +
                                 shapeText(shape));
        shape[unknown] = count / known;
    } else if (known != count) {
        return bad(node, "the element counts do not match: " + shapeText(from) + " has " + std::to_string(count) +
                             ", " + shapeText(shape) + " has " + std::to_string(known));
    }
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Types> flattenShape(const NodeView& view) {
    const Shape& x = view.types[0]->shape;
    FETTLE_TRY(const int64_t axis, normalAxis(*view.node, view.node->intOr("axis", 1), x.size(), true));
    const Shape shape = {graph::elementCount({x.begin(), x.begin() + axis}),
                         graph::elementCount({x.begin() + axis, x.end()})};
    return Types{{view.types[0]->dtype, shape, {}}};
}

// The axes of Squeeze and Unsqueeze: an attribute below opset 13, then an input. Empty when absent.
Result<std::vector<int64_t>> axesOf(const NodeView& view) {
    if (view.node->opset < 13) return view.node->intsOr("axes", {});
    if (!view.has(1)) return std::vector<int64_t>{};
    return constantInts(view, 1, "axes");
}

Result<Types> squeezeShape(const NodeView& view) {
    const Shape& x = view.types[0]->shape;
    FETTLE_TRY(std::vector<int64_t> axes, axesOf(view));
    const bool all = axes.empty() && !view.has(1);
    if (all)
        for (size_t i = 0; i < x.size(); ++i)
            if (x[i] == 1) axes.push_back(static_cast<int64_t>(i));
    FETTLE_TRY(axes, normalAxes(*view.node, axes, x.size()));
    Shape shape;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i)))
            shape.push_back(x[i]);
        else if (x[i] != 1)
            return bad(*view.node, "axis " + std::to_string(i) + " has the extent " + std::to_string(x[i]) +
                                       " and cannot be squeezed");
    }
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Types> unsqueezeShape(const NodeView& view) {
    if (view.node->opset >= 13 && !view.has(1)) return bad(*view.node, "the input 'axes' is missing");
    if (view.node->opset < 13 && !view.node->attributes.count("axes"))
        return bad(*view.node, "the attribute 'axes' is missing");
    const Shape& x = view.types[0]->shape;
    FETTLE_TRY(std::vector<int64_t> axes, axesOf(view));
    if (axes.size() > 64)
        return bad(*view.node, "the output would have the rank " + std::to_string(x.size() + axes.size()));
    FETTLE_TRY(axes, normalAxes(*view.node, axes, x.size() + axes.size()));
    Shape shape = x;
    for (int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Types> sameType(const NodeView& view) {
    return Types{{view.types[0]->dtype, view.types[0]->shape, {}}};
}

Result<Types> dropoutShape(const NodeView& view) {
    const Tensor* training = view.constants.size() > 2 ? view.constants[2] : nullptr;
    if (view.has(2) && (!training || graph::toInts(*training) != std::vector<int64_t>{0}))
        return unsupported(*view.node, "training_mode is for training");
    Types types = {{view.types[0]->dtype, view.types[0]->shape, {}}};
    if (view.node->outputs.size() > 1) types.push_back({DType::Bool, view.types[0]->shape, {}});
    return types;
}

Result<Tensors> dropoutEvaluate(const Node& node, Inputs inputs) {
    Tensors results = {*inputs[0]};
    const Shape& shape = inputs[0]->type.shape;
    if (node.outputs.size() > 1)
        results.push_back(fromInts(DType::Bool, shape, std::vector<int64_t>(graph::elementCount(shape), 1)));
    return results;
}

template <Result<Types> (*Rule)(const NodeView&)>
Result<Tensors> sameData(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, Rule(viewOf(node, inputs)));
    return Tensors{reshaped(*inputs[0], types[0].shape)};
}

}  // namespace

std::vector<OpRow> reshapeRows() {
    const OpKind kind = OpKind::Layout;
    const Fusion fusion = Fusion::Injective;
    return {
        makeRow({"Reshape", kind, fusion, 2, 2, 1, "allowzero:i", reshapeShape, sameData<reshapeShape>}),
        makeRow({"Flatten", kind, fusion, 1, 1, 1, "axis:i", flattenShape, sameData<flattenShape>}),
        makeRow({"Squeeze", kind, fusion, 1, 2, 1, "axes:I", squeezeShape, sameData<squeezeShape>}),
        makeRow({"Unsqueeze", kind, fusion, 1, 2, 1, "axes:I", unsqueezeShape, sameData<unsqueezeShape>}),
        makeRow({"Identity", kind, fusion, 1, 1, 1, "", sameType, sameData<sameType>}),
        makeRow({"Dropout", kind, fusion, 1, 3, 2, "ratio:f seed:i", dropoutShape, dropoutEvaluate}),
        makeRow({"fettle.Reorder", kind, fusion, 1, 1, 1, "", sameType, sameData<sameType>, nullptr, 1, kNewestOpset,
                 "fettle"}),
    };
}

}  // namespace fettle::ops
