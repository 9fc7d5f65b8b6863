// SPDX-License-Identifier: GPL-3.0-or-later
// Conv (ONNX 1..22): out[n,oc,y] = bias[oc] + sum over ic,k of x[n, ic, y*stride + k*dilation - pad] * w[oc, ic, k].
#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"
#include "core/ops/lowering/window.h"

namespace fettle::ops::lower {

using graph::Shape;
using graph::TensorType;
using loop::AxisKind;
using loop::Reduction;

namespace {

// How output channels and input channels are walked: axes of the stage and the channel indices they make.
struct Channels {
    std::vector<loop::Axis> space;  // after "n"
    int64_t reduced = 1;            // input channels per group
    Index group = 0, within = 0;    // output channel = group * OC/G + within
    Index output = 0;
    bool depthwise = false;
};

Channels channelsOf(int64_t groups, int64_t outputs, int64_t inputsPerGroup) {
    Channels c;
    c.reduced = inputsPerGroup;
    if (groups == 1) {
        c.space = {{"oc", outputs, AxisKind::Space}};
        c.output = c.within = Index::axis(1);
    } else if (groups == outputs && inputsPerGroup == 1) {
        c.space = {{"c", outputs, AxisKind::Space}};
        c.output = c.group = Index::axis(1);
        c.depthwise = true;
    } else {
        const int64_t perGroup = outputs / groups;
        c.space = {{"g", groups, AxisKind::Space}, {"oc", perGroup, AxisKind::Space}};
        c.group = Index::axis(1);
        c.within = Index::axis(2);
        c.output = c.group * perGroup + c.within;
    }
    return c;
}

}  // namespace

Status conv(const NodeView& view, Lowering& lowering) {
    const TensorType& x = *view.types[0];
    const Shape& weights = view.types[1]->shape;
    const Shape& out = lowering.outputType().shape;
    FETTLE_TRY(const Window window, windowOf(*view.node, spatialOf(x.shape), spatialOf(weights)));
    const Channels channels = channelsOf(view.node->intOr("group", 1), weights[0], weights[1]);
    const size_t rank = window.rank();

    loop::Stage stage;
    stage.name = lowering.name();
    stage.reduction = Reduction::Sum;
    stage.axes = {{"n", x.shape[0], AxisKind::Space}};
    stage.axes.insert(stage.axes.end(), channels.space.begin(), channels.space.end());
    const size_t firstSpatial = stage.axes.size();
    for (size_t d = 0; d < rank; ++d) stage.axes.push_back({"o" + spatialName(d, rank), out[2 + d], AxisKind::Space});
    const int ic = static_cast<int>(stage.axes.size());
    if (!channels.depthwise) stage.axes.push_back({"ic", channels.reduced, AxisKind::Reduce});
    const size_t firstKernel = stage.axes.size();
    for (size_t d = 0; d < rank; ++d)
        stage.axes.push_back({"k" + spatialName(d, rank), window.kernel[d], AxisKind::Reduce});

    const Index channel = channels.depthwise ? Index(0) : Index::axis(ic);
    Indices from = {Index::axis(0), channels.group * channels.reduced + channel};
    Indices weight = {channels.output, channel};
    Indices to = {Index::axis(0), channels.output};
    for (size_t d = 0; d < rank; ++d) {
        const Index o = Index::axis(static_cast<int>(firstSpatial + d));
        const Index k = Index::axis(static_cast<int>(firstKernel + d));
        from.push_back(o * window.stride[d] + k * window.dilation[d] - Index(window.padBefore[d]));
        weight.push_back(k);
        to.push_back(o);
    }
    const bool inside = staysInside(window, x, true);
    stage.body = mul(inside ? lowering.read(0, from) : lowering.readOr(0, from, 0), lowering.read(1, weight));
    stage.epilogue = loop::accumulator();
    if (view.has(2)) stage.epilogue = add(stage.epilogue, lowering.read(2, {channels.output}));
    stage.output = lowering.outputTensor();
    stage.outputIndices = to;
    lowering.add(std::move(stage));
    return {};
}

// ConvTranspose: with t = y + pad, k = t mod stride + stride*j reads x at t/stride - j. Dilation 1 only.
Status convTranspose(const NodeView& view, Lowering& lowering) {
    const TensorType& x = *view.types[0];
    const Shape& weights = view.types[1]->shape;  // [C, OC/G, k...]
    const Shape& out = lowering.outputType().shape;
    const int64_t groups = view.node->intOr("group", 1);
    FETTLE_TRY(const Window window, transposedWindowOf(*view.node, spatialOf(x.shape), spatialOf(weights)));
    const size_t rank = window.rank();
    for (int64_t dilation : window.dilation)
        if (dilation != 1) return cannotLower(*view.node, "dilations other than 1 are not compiled");
    const int64_t perGroup = weights[1], reduced = weights[0] / groups;

    loop::Stage stage;
    stage.name = lowering.name();
    stage.reduction = Reduction::Sum;
    stage.axes = {
        {"n", x.shape[0], AxisKind::Space}, {"g", groups, AxisKind::Space}, {"oc", perGroup, AxisKind::Space}};
    for (size_t d = 0; d < rank; ++d) stage.axes.push_back({"o" + spatialName(d, rank), out[2 + d], AxisKind::Space});
    const int ic = static_cast<int>(stage.axes.size());
    stage.axes.push_back({"ic", reduced, AxisKind::Reduce});
    for (size_t d = 0; d < rank; ++d) {
        const int64_t steps = (window.kernel[d] + window.stride[d] - 1) / window.stride[d];
        stage.axes.push_back({"k" + spatialName(d, rank), steps, AxisKind::Reduce});
    }
    const Index channel = Index::axis(1) * reduced + Index::axis(ic);
    const Index output = Index::axis(1) * perGroup + Index::axis(2);
    Indices from = {Index::axis(0), channel}, weight = {channel, Index::axis(2)}, to = {Index::axis(0), output};
    bool guardInput = false, guardWeight = false;
    for (size_t d = 0; d < rank; ++d) {
        const Index y = Index::axis(static_cast<int>(3 + d));
        const Index j = Index::axis(static_cast<int>(static_cast<size_t>(ic) + 1 + d));
        const Index t = y + Index(window.padBefore[d]);
        from.push_back(floorDiv(t, window.stride[d]) - j);
        weight.push_back(mod(t, window.stride[d]) + j * window.stride[d]);
        to.push_back(y);
        const int64_t steps = (window.kernel[d] + window.stride[d] - 1) / window.stride[d];
        const int64_t first = window.padBefore[d] / window.stride[d] - (steps - 1);
        const int64_t last = (out[2 + d] - 1 + window.padBefore[d]) / window.stride[d];
        guardInput |= first < 0 || last >= x.shape[2 + d];
        guardWeight |= window.kernel[d] % window.stride[d] != 0;
    }
    const Scalar value = guardInput ? lowering.readOr(0, from, 0) : lowering.read(0, from);
    stage.body = mul(value, guardWeight ? lowering.readOr(1, weight, 0) : lowering.read(1, weight));
    stage.epilogue = loop::accumulator();
    if (view.has(2)) stage.epilogue = add(stage.epilogue, lowering.read(2, {output}));
    stage.output = lowering.outputTensor();
    stage.outputIndices = to;
    lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
