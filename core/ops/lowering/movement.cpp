// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that only move elements: index maps, no arithmetic. One-to-one maps also give the way forward ("push"),
// so that a reduction can write straight to where its elements end up.
#include <numeric>

#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::Shape;

namespace {

// The indices into `from` of the element at `point` of `to`, both row-major views of the same elements. Dimensions are
// matched in the smallest runs with equal products, so that untouched dimensions keep their index.
Indices reshapeIndices(const Shape& from, const Shape& to, const Indices& point) {
    Indices result(from.size(), Index(0));
    size_t i = 0, j = 0;
    while (i < from.size() || j < to.size()) {
        const size_t firstFrom = i, firstTo = j;
        int64_t a = i < from.size() ? from[i++] : 1, b = j < to.size() ? to[j++] : 1;
        while (a != b) {
            if (a < b)
                a *= from[i++];
            else
                b *= to[j++];
        }
        Index linear = 0;
        for (size_t d = firstTo; d < j; ++d) linear = linear * to[d] + point[d];
        int64_t inner = a;
        for (size_t d = firstFrom; d < i; ++d) {
            inner /= from[d];
            const Index quotient = floorDiv(linear, inner);
            result[d] = from[d] == 1 ? Index(0) : d == firstFrom ? quotient : mod(quotient, from[d]);
        }
    }
    return result;
}

// Adds the stage out[point] = in[pull]; `push` is the inverse map, where there is one.
void addMove(Lowering& lowering, size_t input, size_t output, const Indices& pull, std::optional<Indices> push) {
    const Shape& shape = lowering.outputType(output).shape;
    loop::Stage stage;
    stage.name = lowering.name(output ? "out" + std::to_string(output) : "");
    stage.axes = outputAxes(shape);
    stage.body = lowering.read(input, pull);
    stage.output = lowering.outputTensor(output);
    stage.outputIndices = axisIndices(shape.size());
    lowering.move(std::move(stage), input, std::move(push));
}

void reshape(Lowering& lowering) {
    const Shape& in = lowering.inputType(0).shape;
    const Shape& out = lowering.outputType().shape;
    addMove(lowering, 0, 0, reshapeIndices(in, out, axisIndices(out.size())),
            reshapeIndices(out, in, axisIndices(in.size())));
}

void transpose(const graph::Node& node, Lowering& lowering) {
    const size_t rank = lowering.inputType(0).shape.size();
    std::vector<int64_t> reversed(rank);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const std::vector<int64_t> perm = node.intsOr("perm", reversed);
    Indices pull(rank), push(rank);
    for (size_t d = 0; d < rank; ++d) {
        const auto source = static_cast<size_t>(normalAxis(perm[d], rank));
        pull[source] = Index::axis(static_cast<int>(d));
        push[d] = Index::axis(static_cast<int>(source));
    }
    addMove(lowering, 0, 0, pull, push);
}

Status slice(const NodeView& view, Lowering& lowering) {
    const Shape& in = view.types[0]->shape;
    const size_t rank = in.size();
    const auto starts = intsOf(view, 1, "starts");
    if (!starts) return cannotLower(*view.node, "its starts are not constant");
    if ((view.has(3) && !view.constants[3]) || (view.has(4) && !view.constants[4]))
        return cannotLower(*view.node, "its axes or steps are not constant");
    std::vector<int64_t> all(starts->size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int64_t> axes = intsOf(view, 3, "axes").value_or(all);
    const std::vector<int64_t> steps = intsOf(view, 4, "steps").value_or(std::vector<int64_t>(starts->size(), 1));
    Indices pull = axisIndices(rank);
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto d = static_cast<size_t>(normalAxis(axes[i], rank));
        int64_t start = (*starts)[i] < 0 ? (*starts)[i] + in[d] : (*starts)[i];
        start = std::clamp<int64_t>(start, 0, steps[i] < 0 ? in[d] - 1 : in[d]);
        pull[d] = Index::axis(static_cast<int>(d)) * steps[i] + Index(start);
    }
    addMove(lowering, 0, 0, pull, std::nullopt);
    return {};
}

void depthToSpace(const graph::Node& node, Lowering& lowering) {
    const Shape& in = lowering.inputType(0).shape;
    const int64_t block = node.intOr("blocksize", 1), depth = in[1] / (block * block);
    const bool crd = node.stringOr("mode", "DCR") == "CRD";
    const Index n = Index::axis(0), c = Index::axis(1), h = Index::axis(2), w = Index::axis(3);
    const Index bh = mod(h, block), bw = mod(w, block);
    const Index channel = crd ? (c * block + bh) * block + bw : (bh * block + bw) * depth + c;
    // forward: c is the input channel here
    const Index first = floorDiv(c, crd ? block * block : depth);
    const Index push_bh = crd ? mod(floorDiv(c, block), block) : floorDiv(first, block);
    const Index push_bw = crd ? mod(c, block) : mod(first, block);
    const Index depthIndex = crd ? first : mod(c, depth);
    addMove(lowering, 0, 0, {n, channel, floorDiv(h, block), floorDiv(w, block)},
            Indices{n, depthIndex, h * block + push_bh, w * block + push_bw});
}

void spaceToDepth(const graph::Node& node, Lowering& lowering) {
    const Shape& in = lowering.inputType(0).shape;
    const int64_t block = node.intOr("blocksize", 1), channels = in[1];
    const Index n = Index::axis(0), c = Index::axis(1), h = Index::axis(2), w = Index::axis(3);
    const Index quotient = floorDiv(c, channels);
    const Indices pull = {n, mod(c, channels), h * block + floorDiv(quotient, block), w * block + mod(quotient, block)};
    const Indices push = {n, (mod(h, block) * block + mod(w, block)) * channels + c, floorDiv(h, block),
                          floorDiv(w, block)};
    addMove(lowering, 0, 0, pull, push);
}

void tile(Lowering& lowering) {
    const Shape& in = lowering.inputType(0).shape;
    Indices pull;
    for (size_t d = 0; d < in.size(); ++d) pull.push_back(mod(Index::axis(static_cast<int>(d)), in[d]));
    addMove(lowering, 0, 0, pull, std::nullopt);
}

}  // namespace

Status movement(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const std::string& op = node.op;
    const size_t rank = lowering.outputType().shape.size();
    if (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze") {
        reshape(lowering);
    } else if (op == "Identity" || op == "Dropout" || op == "fettle.Reorder") {
        addMove(lowering, 0, 0, axisIndices(rank), axisIndices(rank));
    } else if (op == "Transpose") {
        transpose(node, lowering);
    } else if (op == "Slice") {
        return slice(view, lowering);
    } else if (op == "Expand") {
        addMove(lowering, 0, 0, broadcastIndices(view.types[0]->shape, axisIndices(rank)), std::nullopt);
    } else if (op == "Tile") {
        tile(lowering);
    } else if (op == "DepthToSpace") {
        depthToSpace(node, lowering);
    } else if (op == "SpaceToDepth") {
        spaceToDepth(node, lowering);
    } else {
        return cannotLower(node, "there is no loop form of this movement");
    }
    return {};
}

// Constant padding is a guarded read; edge and reflect compute the source index (wrap is not compiled).
Status pad(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const Shape& in = view.types[0]->shape;
    const size_t rank = in.size();
    const auto pads = intsOf(view, 1, "pads");
    if (!pads || (view.has(3) && !view.constants[3])) return cannotLower(node, "its pads are not constant");
    std::vector<int64_t> all(rank);
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int64_t> axes = intsOf(view, 3, "axes").value_or(all);
    const std::string mode = node.stringOr("mode", "constant");
    if (mode != "constant" && mode != "edge" && mode != "reflect") return cannotLower(node, "mode " + mode);
    if (view.has(2) && !view.constants[2]) return cannotLower(node, "its padding value is not constant");
    const double value = view.has(2) ? graph::toDoubles(*view.constants[2])[0] : node.floatOr("value", 0);

    Indices pull = axisIndices(rank);
    const auto number = [](int64_t v) { return loop::constant(static_cast<double>(v), graph::DType::Int64); };
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto d = static_cast<size_t>(normalAxis(axes[i], rank));
        const Index source = pull[d] - Index((*pads)[i]);
        pull[d] = source;
        if (mode == "constant" || ((*pads)[i] <= 0 && (*pads)[axes.size() + i] <= 0)) continue;
        Scalar at = loop::axisValue(source);
        if (mode == "reflect") {
            at = loop::unary(loop::ScalarOp::Abs, at);
            at = sub(number(in[d] - 1), loop::unary(loop::ScalarOp::Abs, sub(number(in[d] - 1), at)));
        }
        at = loop::binary(loop::ScalarOp::Min, loop::binary(loop::ScalarOp::Max, at, number(0)), number(in[d] - 1));
        pull[d] = Index::loaded(at);
    }
    loop::Stage stage;
    stage.name = lowering.name();
    stage.axes = outputAxes(lowering.outputType().shape);
    stage.body = mode == "constant" ? lowering.readOr(0, pull, value) : lowering.read(0, pull);
    stage.output = lowering.outputTensor();
    stage.outputIndices = axisIndices(rank);
    lowering.move(std::move(stage), 0, std::nullopt);
    return {};
}

// One stage per input, each writing its slice of the output.
Status concat(const NodeView& view, Lowering& lowering) {
    const size_t rank = lowering.outputType().shape.size();
    const auto axis = static_cast<size_t>(normalAxis(view.node->intOr("axis", 0), rank));
    int64_t offset = 0;
    for (size_t i = 0; i < view.types.size(); ++i) {
        const Shape& shape = view.types[i]->shape;
        if (graph::elementCount(shape) == 0) continue;
        loop::Stage stage;
        stage.name = lowering.name(std::to_string(i));
        stage.axes = outputAxes(shape);
        stage.body = lowering.read(i, axisIndices(rank));
        stage.output = lowering.outputTensor();
        stage.outputIndices = axisIndices(rank);
        stage.outputIndices[axis] = Index::axis(static_cast<int>(axis)) + Index(offset);
        offset += shape[axis];
        lowering.move(std::move(stage), i, std::nullopt);
    }
    return {};
}

Status split(const NodeView& view, Lowering& lowering) {
    const size_t rank = view.types[0]->shape.size();
    const auto axis = static_cast<size_t>(normalAxis(view.node->intOr("axis", 0), rank));
    int64_t offset = 0;
    for (size_t i = 0; i < view.node->outputs.size(); ++i) {
        const int64_t size = lowering.outputType(i).shape[axis];
        Indices pull = axisIndices(rank);
        pull[axis] = pull[axis] + Index(offset);
        offset += size;
        addMove(lowering, 0, i, pull, std::nullopt);
    }
    return {};
}

}  // namespace fettle::ops::lower
