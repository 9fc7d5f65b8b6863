// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that move elements: Transpose-13, Slice-13 (attributes below opset 10), Concat-13, Split-18, Expand-13,
// Tile-13, Pad-21 (attributes below opset 11), DepthToSpace-13, SpaceToDepth-13.
#include <cstring>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Result<std::vector<int64_t>> permutationOf(const NodeView& view) {
    const size_t rank = view.types[0]->shape.size();
    std::vector<int64_t> reversed;
    for (size_t i = rank; i-- > 0;) reversed.push_back(static_cast<int64_t>(i));
    const std::vector<int64_t> perm = view.node->intsOr("perm", reversed);
    std::vector<bool> seen(rank, false);
    bool valid = perm.size() == rank;
    for (size_t i = 0; valid && i < rank; ++i) {
        valid = perm[i] >= 0 && perm[i] < static_cast<int64_t>(rank) && !seen[perm[i]];
        if (valid) seen[perm[i]] = true;
    }
    if (!valid)
        return bad(*view.node,
                   "perm " + shapeText(perm) + " is no permutation of the " + std::to_string(rank) + " axes");
    return perm;
}

Result<Types> transposeShape(const NodeView& view) {
    FETTLE_TRY(const std::vector<int64_t> perm, permutationOf(view));
    Shape shape;
    for (int64_t axis : perm) shape.push_back(view.types[0]->shape[axis]);
    return Types{{view.types[0]->dtype, shape, {}}};
}

Tensor permuted(const Tensor& x, const std::vector<int64_t>& perm) {
    const std::vector<int64_t> own = rowMajorStrides(x.type.shape);
    Shape shape, strides;
    for (int64_t axis : perm) {
        shape.push_back(x.type.shape[axis]);
        strides.push_back(own[axis]);
    }
    return strided(x, shape, strides);
}

Result<Tensors> transposeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const std::vector<int64_t> perm, permutationOf(viewOf(node, inputs)));
    return Tensors{permuted(*inputs[0], perm)};
}

struct SliceRange {
    Shape start, step, extent;  // one per axis of the input
};

Result<SliceRange> sliceRange(const NodeView& view) {
    const Node& node = *view.node;
    const Shape& x = view.types[0]->shape;
    std::vector<int64_t> starts, ends, axes, steps;
    if (node.opset < 10) {
        starts = node.intsOr("starts", {});
        ends = node.intsOr("ends", {});
        axes = node.intsOr("axes", {});
    } else {
        if (!view.has(1) || !view.has(2))
            return bad(node, "the number of inputs is too small: starts and ends are needed");
        FETTLE_TRY(starts, constantInts(view, 1, "starts"));
        FETTLE_TRY(ends, constantInts(view, 2, "ends"));
        if (view.has(3)) {
            FETTLE_TRY(axes, constantInts(view, 3, "axes"));
        }
        if (view.has(4)) {
            FETTLE_TRY(steps, constantInts(view, 4, "steps"));
        }
    }
    if (axes.empty())
        for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (steps.empty()) steps.assign(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        return bad(node, "starts, ends, axes and steps have different lengths");
    FETTLE_CHECK(normalAxes(node, axes, x.size()));
    SliceRange range{Shape(x.size(), 0), Shape(x.size(), 1), x};
    for (size_t i = 0; i < axes.size(); ++i) {
        FETTLE_TRY(const int64_t axis, normalAxis(node, axes[i], x.size()));
        const int64_t length = x[axis], step = steps[i];
        if (step == 0) return bad(node, "step 0");
        auto clamped = [&](int64_t at) {
            if (at < 0) at = at < -length ? (step > 0 ? 0 : -1) : at + length;
            return step > 0 ? std::min(at, length) : std::min(at, length - 1);
        };
        const int64_t from = clamped(starts[i]), to = clamped(ends[i]);
        const uint64_t distance = step > 0 ? (to > from ? to - from : 0) : (from > to ? from - to : 0);
        const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
        range.start[axis] = from;
        range.extent[axis] = static_cast<int64_t>(distance / stride + (distance % stride != 0));
        range.step[axis] = range.extent[axis] > 1 ? step : 1;
    }
    return range;
}

Result<Types> sliceShape(const NodeView& view) {
    FETTLE_TRY(const SliceRange range, sliceRange(view));
    return Types{{view.types[0]->dtype, range.extent, {}}};
}

Result<Tensors> sliceEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const SliceRange range, sliceRange(viewOf(node, inputs)));
    std::vector<int64_t> strides = rowMajorStrides(inputs[0]->type.shape);
    int64_t offset = 0;
    for (size_t i = 0; i < strides.size(); ++i) {
        offset += strides[i] * range.start[i];
        strides[i] *= range.step[i];
    }
    return Tensors{strided(*inputs[0], range.extent, strides, offset)};
}

Result<Types> concatShape(const NodeView& view) {
    const Node& node = *view.node;
    Shape shape = view.types[0]->shape;
    FETTLE_CHECK(needRank(view, 0, 1, "an operand"));
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), shape.size()));
    for (size_t i = 1; i < view.types.size(); ++i) {
        if (!view.has(i)) return bad(node, "input " + std::to_string(i) + " is left out");
        FETTLE_CHECK(needSameType(view, {0, i}));
        Shape other = view.types[i]->shape;
        if (other.size() != shape.size()) return bad(node, "the operands of the Concat have different ranks");
        shape[axis] += other[axis];
        other[axis] = shape[axis];
        if (other != shape)
            return bad(node, "the operands differ outside axis " + std::to_string(axis) + ": " +
                                 shapeText(view.types[0]->shape) + " and " + shapeText(view.types[i]->shape));
    }
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> concatEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, concatShape(viewOf(node, inputs)));
    const Shape& shape = types[0].shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), shape.size()));
    const int64_t outer = graph::elementCount({shape.begin(), shape.begin() + axis});
    std::vector<std::byte> bytes(graph::elementCount(shape) * graph::dtypeBytes(types[0].dtype));
    std::byte* to = bytes.data();
    for (int64_t o = 0; o < outer; ++o)
        for (const Tensor* input : inputs) {
            const size_t row = input->data().size() / outer;
            if (row) std::memcpy(to, input->data().data() + o * row, row);
            to += row;
        }
    return Tensors{graph::makeTensor(types[0].dtype, shape, std::move(bytes))};
}

Result<Types> splitShape(const NodeView& view) {
    const Node& node = *view.node;
    FETTLE_CHECK(needRank(view, 0, 1, "the input"));
    const Shape& x = view.types[0]->shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), x.size()));
    const int64_t parts = static_cast<int64_t>(node.outputs.size());
    std::vector<int64_t> sizes = node.opset < 13 ? node.intsOr("split", {}) : std::vector<int64_t>{};
    if (node.opset >= 13 && view.has(1)) {
        FETTLE_TRY(sizes, constantInts(view, 1, "split"));
    }
    if (sizes.empty()) {
        if (node.opset < 18 && x[axis] % parts != 0)
            return bad(node, "the sizes do not add up: " + std::to_string(x[axis]) + " cannot be split into " +
                                 std::to_string(parts) + " equal parts");
        if (node.intOr("num_outputs", parts) != parts)
            return bad(node, "num_outputs differs from the number of outputs");
        const int64_t size = (x[axis] + parts - 1) / parts;
        for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::max<int64_t>(0, std::min(size, x[axis] - i * size)));
    }
    if (static_cast<int64_t>(sizes.size()) != parts)
        return bad(node,
                   "split has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(parts) + " outputs");
    int64_t sum = 0;
    Types types;
    for (int64_t size : sizes) {
        if (size < 0 || size > x[axis] - sum)
            return bad(node, "the sizes do not add up: split " + shapeText(sizes) + " of " + std::to_string(x[axis]));
        sum += size;
        Shape shape = x;
        shape[axis] = size;
        types.push_back({view.types[0]->dtype, shape, {}});
    }
    if (sum != x[axis])
        return bad(node, "the sizes do not add up: split " + shapeText(sizes) + " of " + std::to_string(x[axis]));
    return types;
}

Result<Tensors> splitEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, splitShape(viewOf(node, inputs)));
    const std::vector<int64_t> strides = rowMajorStrides(inputs[0]->type.shape);
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), strides.size()));
    Tensors results;
    int64_t start = 0;
    for (const TensorType& type : types) {
        results.push_back(strided(*inputs[0], type.shape, strides, start * strides[axis]));
        start += type.shape[axis];
    }
    return results;
}

Result<Types> expandShape(const NodeView& view) {
    FETTLE_TRY(const Shape wanted, constantInts(view, 1, "shape"));
    FETTLE_CHECK(checkedCount(*view.node, wanted));
    FETTLE_TRY(const Shape shape, broadcast(*view.node, view.types[0]->shape, wanted));
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> expandEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, expandShape(viewOf(node, inputs)));
    return Tensors{strided(*inputs[0], types[0].shape, broadcastStrides(inputs[0]->type.shape, types[0].shape))};
}

Result<Types> tileShape(const NodeView& view) {
    FETTLE_TRY(const std::vector<int64_t> repeats, constantInts(view, 1, "repeats"));
    Shape shape = view.types[0]->shape;
    if (repeats.size() != shape.size())
        return bad(*view.node, "repeats has " + std::to_string(repeats.size()) + " values for rank " +
                                   std::to_string(shape.size()));
    for (size_t i = 0; i < shape.size(); ++i)
        if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &shape[i]))
            return bad(*view.node, "repeats contains " + std::to_string(repeats[i]) + ", which exceeds the size limit");
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> tileEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, tileShape(viewOf(node, inputs)));
    const Shape& x = inputs[0]->type.shape;
    const std::vector<int64_t> own = rowMajorStrides(x);
    Shape shape, strides;  // each axis as [repeats, extent]
    for (size_t i = 0; i < x.size(); ++i) {
        shape.insert(shape.end(), {x[i] ? types[0].shape[i] / x[i] : 0, x[i]});
        strides.insert(strides.end(), {0, own[i]});
    }
    return Tensors{reshaped(strided(*inputs[0], shape, strides), types[0].shape)};
}

Result<int64_t> blockSize(const NodeView& view) {
    const int64_t block = view.node->intOr("blocksize", 0);
    if (block < 1 || block > 65536) return bad(*view.node, "blocksize is " + std::to_string(block));
    if (view.types[0]->shape.size() != 4)
        return bad(*view.node,
                   "the rank of the input is " + std::to_string(view.types[0]->shape.size()) + "; it must be 4");
    return block;
}

Result<Types> depthToSpaceShape(const NodeView& view) {
    FETTLE_TRY(const int64_t b, blockSize(view));
    const Shape& x = view.types[0]->shape;
    const std::string mode = view.node->stringOr("mode", "DCR");
    if (mode != "DCR" && mode != "CRD") return bad(*view.node, "mode is '" + mode + "'");
    if (x[1] % (b * b) != 0) return bad(*view.node, "blocksize " + std::to_string(b) + " does not divide the channels");
    return Types{{view.types[0]->dtype, {x[0], x[1] / (b * b), x[2] * b, x[3] * b}, {}}};
}

Result<Tensors> depthToSpaceEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, depthToSpaceShape(viewOf(node, inputs)));
    const int64_t b = node.intOr("blocksize", 0);
    const Shape& x = inputs[0]->type.shape;
    const int64_t depth = types[0].shape[1];
    const bool dcr = node.stringOr("mode", "DCR") == "DCR";
    const Shape split = dcr ? Shape{x[0], b, b, depth, x[2], x[3]} : Shape{x[0], depth, b, b, x[2], x[3]};
    const std::vector<int64_t> perm =
        dcr ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
    return Tensors{reshaped(permuted(reshaped(*inputs[0], split), perm), types[0].shape)};
}

Result<Types> spaceToDepthShape(const NodeView& view) {
    FETTLE_TRY(const int64_t b, blockSize(view));
    const Shape& x = view.types[0]->shape;
    if (x[2] % b != 0 || x[3] % b != 0)
        return bad(*view.node, "blocksize " + std::to_string(b) + " does not divide height and width");
    return Types{{view.types[0]->dtype, {x[0], x[1] * b * b, x[2] / b, x[3] / b}, {}}};
}

Result<Tensors> spaceToDepthEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, spaceToDepthShape(viewOf(node, inputs)));
    const int64_t b = node.intOr("blocksize", 0);
    const Shape& x = inputs[0]->type.shape;
    const Tensor split = reshaped(*inputs[0], {x[0], x[1], x[2] / b, b, x[3] / b, b});
    return Tensors{reshaped(permuted(split, {0, 3, 5, 1, 2, 4}), types[0].shape)};
}

}  // namespace

std::vector<OpRow> movementRows() {
    const OpKind kind = OpKind::Layout;
    const Fusion fusion = Fusion::Injective;
    return {
        makeRow({"Transpose", kind, fusion, 1, 1, 1, "perm:I", transposeShape, transposeEvaluate}),
        makeRow({"Slice", kind, fusion, 1, 5, 1, "starts:I ends:I axes:I", sliceShape, sliceEvaluate}),
        makeRow({"Concat", kind, Fusion::Injective, 1, kAnyNumber, 1, "axis:i!", concatShape, concatEvaluate}),
        makeRow({"Split", kind, fusion, 1, 2, kAnyNumber, "axis:i split:I num_outputs:i", splitShape, splitEvaluate}),
        makeRow({"Expand", kind, fusion, 2, 2, 1, "", expandShape, expandEvaluate, nullptr, 8}),
        makeRow({"Tile", kind, fusion, 2, 2, 1, "", tileShape, tileEvaluate}),
        makeRow(
            {"DepthToSpace", kind, fusion, 1, 1, 1, "blocksize:i! mode:s", depthToSpaceShape, depthToSpaceEvaluate}),
        makeRow({"SpaceToDepth", kind, fusion, 1, 1, 1, "blocksize:i!", spaceToDepthShape, spaceToDepthEvaluate}),
    };
}

}  // namespace fettle::ops
