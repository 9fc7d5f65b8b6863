// SPDX-License-Identifier: GPL-3.0-or-later
// Gather-13, GatherElements-13, GatherND-13, Pad-21: outputs whose source index is looked up.
#include <cstring>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Status checkIndices(const NodeView& view, size_t input, int64_t extent) {
    if (view.types[input]->dtype != DType::Int64 && view.types[input]->dtype != DType::Int32)
        return bad(*view.node, "the indices must be int32 or int64");
    if (!view.constants[input]) return {};
    for (int64_t index : toInts(*view.constants[input]))
        if (index < -extent || index >= extent)
            return bad(*view.node,
                       "index out of range: " + std::to_string(index) + " for the extent " + std::to_string(extent));
    return {};
}

Result<Types> gatherShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 1, "data"));
    const Shape &data = view.types[0]->shape, &indices = view.types[1]->shape;
    FETTLE_TRY(const int64_t axis, normalAxis(*view.node, view.node->intOr("axis", 0), data.size()));
    FETTLE_CHECK(checkIndices(view, 1, data[axis]));
    Shape shape(data.begin(), data.begin() + axis);
    shape.insert(shape.end(), indices.begin(), indices.end());
    shape.insert(shape.end(), data.begin() + axis + 1, data.end());
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> gatherEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, gatherShape(viewOf(node, inputs)));
    const Shape& data = inputs[0]->type.shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), data.size()));
    const int64_t outer = graph::elementCount({data.begin(), data.begin() + axis});
    const size_t row = graph::elementCount({data.begin() + axis + 1, data.end()}) * graph::dtypeBytes(types[0].dtype);
    std::vector<std::byte> bytes(graph::elementCount(types[0].shape) * graph::dtypeBytes(types[0].dtype));
    const std::vector<int64_t> indices = toInts(*inputs[1]);
    std::byte* to = bytes.data();
    for (int64_t o = 0; o < outer && !bytes.empty(); ++o)
        for (int64_t index : indices) {
            const int64_t at = o * data[axis] + (index < 0 ? index + data[axis] : index);
            std::memcpy(to, inputs[0]->data().data() + at * row, row);
            to += row;
        }
    return Tensors{graph::makeTensor(types[0].dtype, types[0].shape, std::move(bytes))};
}

Result<Types> gatherElementsShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 1, "data"));
    const Shape &data = view.types[0]->shape, &indices = view.types[1]->shape;
    FETTLE_TRY(const int64_t axis, normalAxis(*view.node, view.node->intOr("axis", 0), data.size()));
    if (indices.size() != data.size()) return bad(*view.node, "indices and data have different ranks");
    for (size_t i = 0; i < data.size(); ++i)
        if (static_cast<int64_t>(i) != axis && indices[i] > data[i])
            return bad(*view.node, "indices reach beyond data on axis " + std::to_string(i));
    FETTLE_CHECK(checkIndices(view, 1, data[axis]));
    return Types{{view.types[0]->dtype, indices, {}}};
}

// Copies elements of `x` picked by offset.
Tensor picked(const Tensor& x, const Shape& shape, const std::vector<int64_t>& offsets, int64_t elements = 1) {
    const int64_t size = graph::dtypeBytes(x.type.dtype) * elements;
    std::vector<std::byte> bytes(offsets.size() * size);
    for (size_t i = 0; i < offsets.size() && size; ++i)
        std::memcpy(bytes.data() + i * size, x.data().data() + offsets[i] * graph::dtypeBytes(x.type.dtype), size);
    return graph::makeTensor(x.type.dtype, shape, std::move(bytes));
}

Result<Tensors> gatherElementsEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, gatherElementsShape(viewOf(node, inputs)));
    const Shape& data = inputs[0]->type.shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), data.size()));
    std::vector<int64_t> strides = rowMajorStrides(data);
    const int64_t along = strides[axis];
    strides[axis] = 0;
    const std::vector<int64_t> indices = toInts(*inputs[1]);
    std::vector<int64_t> offsets;
    forEach<1>(types[0].shape, {strides}, [&](const std::array<int64_t, 1>& at) {
        const int64_t index = indices[offsets.size()];
        offsets.push_back(at[0] + (index < 0 ? index + data[axis] : index) * along);
    });
    return Tensors{picked(*inputs[0], types[0].shape, offsets)};
}

Result<Types> gatherNdShape(const NodeView& view) {
    const Node& node = *view.node;
    FETTLE_CHECK(needRank(view, 0, 1, "data"));
    FETTLE_CHECK(needRank(view, 1, 1, "indices"));
    const Shape &data = view.types[0]->shape, &indices = view.types[1]->shape;
    const int64_t batch = node.intOr("batch_dims", 0);
    if (batch < 0 || batch >= static_cast<int64_t>(std::min(data.size(), indices.size())))
        return bad(node,
                   "batch_dims is " + std::to_string(batch) + "; it must be below the rank of data and of indices");
    const int64_t depth = indices.back();
    if (depth < 1 || depth + batch > static_cast<int64_t>(data.size()))
        return bad(node, "the last dimension of indices is " + std::to_string(depth) + " with batch_dims " +
                             std::to_string(batch));
    for (int64_t i = 0; i < batch; ++i)
        if (data[i] != indices[i]) return bad(node, "data and indices differ in the first batch_dims dimensions");
    Shape shape(indices.begin(), indices.end() - 1);
    shape.insert(shape.end(), data.begin() + batch + depth, data.end());
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> gatherNdEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, gatherNdShape(viewOf(node, inputs)));
    const Shape& data = inputs[0]->type.shape;
    const int64_t batch = node.intOr("batch_dims", 0), depth = inputs[1]->type.shape.back();
    const std::vector<int64_t> strides = rowMajorStrides(data), indices = toInts(*inputs[1]);
    const int64_t batches = graph::elementCount({data.begin(), data.begin() + batch});
    const int64_t tuples = static_cast<int64_t>(indices.size()) / depth;
    const int64_t slab = graph::elementCount({data.begin() + batch, data.end()});
    const int64_t elements = graph::elementCount({data.begin() + batch + depth, data.end()});
    std::vector<int64_t> offsets;
    for (int64_t t = 0; t < tuples; ++t) {
        int64_t offset = t / (tuples / batches) * slab;
        for (int64_t d = 0; d < depth; ++d) {
            const int64_t extent = data[batch + d];
            int64_t index = indices[t * depth + d];
            if (index < -extent || index >= extent) return bad(node, "index out of range: " + std::to_string(index));
            offset += (index < 0 ? index + extent : index) * strides[batch + d];
        }
        offsets.push_back(offset);
    }
    return Tensors{picked(*inputs[0], types[0].shape, offsets, elements)};
}

struct PadAmounts {
    Shape before, after;
};

Result<PadAmounts> padAmounts(const NodeView& view) {
    const Node& node = *view.node;
    const size_t rank = view.types[0]->shape.size();
    std::vector<int64_t> pads = node.intsOr("pads", {}), axes;
    if (node.opset >= 11) {
        if (!view.has(1)) return bad(node, "the input 'pads' is missing");
        FETTLE_TRY(pads, constantInts(view, 1, "pads"));
        if (view.has(3)) {
            FETTLE_TRY(axes, constantInts(view, 3, "axes"));
        }
    }
    if (axes.empty())
        for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    if (pads.size() != 2 * axes.size())
        return bad(node, "pads has " + std::to_string(pads.size()) + " values; it must have " +
                             std::to_string(2 * axes.size()));
    FETTLE_CHECK(normalAxes(node, axes, rank));
    PadAmounts amounts{Shape(rank, 0), Shape(rank, 0)};
    for (size_t i = 0; i < axes.size(); ++i) {
        FETTLE_TRY(const int64_t axis, normalAxis(node, axes[i], rank));
        amounts.before[axis] = pads[i];
        amounts.after[axis] = pads[i + axes.size()];
    }
    return amounts;
}

Result<Types> padShape(const NodeView& view) {
    const Node& node = *view.node;
    FETTLE_TRY(const PadAmounts pads, padAmounts(view));
    const std::string mode = node.stringOr("mode", "constant");
    Shape shape = view.types[0]->shape;
    for (size_t i = 0; i < shape.size(); ++i) {
        const int64_t extent = shape[i];
        if (__builtin_add_overflow(shape[i], pads.before[i], &shape[i]) ||
            __builtin_add_overflow(shape[i], pads.after[i], &shape[i]) || shape[i] < 0)
            return bad(node,
                       "the padded extent of axis " + std::to_string(i) + " is negative or exceeds the size limit");
        const bool grows = pads.before[i] > 0 || pads.after[i] > 0;
        if (mode != "constant" && grows && extent == 0)
            return bad(node, "an empty axis cannot be padded in mode " + mode);
        if (mode == "reflect" && (pads.before[i] >= extent || pads.after[i] >= extent) && grows)
            return bad(node, "axis " + std::to_string(i) + " is too short to reflect");
    }
    if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
        return bad(node, "mode is '" + mode + "'");
    return Types{{view.types[0]->dtype, shape, {}}};
}

// The source index, or -1 for the constant.
int64_t padSource(int64_t at, int64_t extent, const std::string& mode) {
    if (at >= 0 && at < extent) return at;
    if (mode == "edge") return at < 0 ? 0 : extent - 1;
    if (mode == "reflect") return at < 0 ? -at : 2 * (extent - 1) - at;
    if (mode == "wrap") return (at % extent + extent) % extent;
    return -1;
}

Result<Tensors> padEvaluate(const Node& node, Inputs inputs) {
    const NodeView view = viewOf(node, inputs);
    FETTLE_TRY(const Types types, padShape(view));
    FETTLE_TRY(const PadAmounts pads, padAmounts(view));
    const Shape &x = inputs[0]->type.shape, &shape = types[0].shape;
    const std::string mode = node.stringOr("mode", "constant");
    const std::vector<int64_t> strides = rowMajorStrides(x);
    // per axis, the offset of each output index; a constant adds so much that the sum stays negative
    constexpr int64_t kOutside = std::numeric_limits<int64_t>::min() / 64;
    std::vector<int64_t> offsets(1, 0);
    for (size_t i = 0; i < shape.size(); ++i) {
        std::vector<int64_t> next;
        next.reserve(offsets.size() * shape[i]);
        for (int64_t offset : offsets)
            for (int64_t j = 0; j < shape[i]; ++j) {
                const int64_t source = padSource(j - pads.before[i], x[i], mode);
                next.push_back(offset < 0 || source < 0 ? kOutside : offset + source * strides[i]);
            }
        offsets = std::move(next);
    }
    const int64_t size = graph::dtypeBytes(types[0].dtype);
    Tensor fill = fromInts(types[0].dtype, {}, std::vector<int64_t>{0});
    if (node.opset < 11) fill = graph::fromDoubles(types[0].dtype, {}, std::vector<double>{node.floatOr("value", 0)});
    if (node.opset >= 11 && inputs.size() > 2 && inputs[2] && !inputs[2]->data().empty()) fill = *inputs[2];
    std::vector<std::byte> bytes(offsets.size() * size);
    for (size_t i = 0; i < offsets.size(); ++i)
        std::memcpy(bytes.data() + i * size,
                    offsets[i] < 0 ? fill.data().data() : inputs[0]->data().data() + offsets[i] * size, size);
    return Tensors{graph::makeTensor(types[0].dtype, shape, std::move(bytes))};
}

}  // namespace

std::vector<OpRow> gatherRows() {
    const OpKind kind = OpKind::Layout;
    return {
        makeRow({"Gather", kind, Fusion::Injective, 2, 2, 1, "axis:i", gatherShape, gatherEvaluate}),
        makeRow({"GatherElements", kind, Fusion::Opaque, 2, 2, 1, "axis:i", gatherElementsShape, gatherElementsEvaluate,
                 nullptr, 11}),
        makeRow(
            {"GatherND", kind, Fusion::Opaque, 2, 2, 1, "batch_dims:i", gatherNdShape, gatherNdEvaluate, nullptr, 11}),
        makeRow({"Pad", kind, Fusion::Injective, 1, 4, 1, "mode:s pads:I value:f", padShape, padEvaluate}),
    };
}

}  // namespace fettle::ops
