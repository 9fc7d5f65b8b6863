// SPDX-License-Identifier: GPL-3.0-or-later
// MaxPool-22, AveragePool-22, GlobalMaxPool-22, GlobalAveragePool-22, LpPool is not here.
#include <cmath>

#include "core/ops/family/rule.h"
#include "core/ops/family/window.h"

namespace fettle::ops {

namespace {

Result<Window> poolWindow(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 3, "X"));
    const Shape spatial = spatialOf(view.types[0]->shape);
    const std::vector<int64_t> kernel = view.node->intsOr("kernel_shape", {});
    FETTLE_TRY(Window window, windowOf(*view.node, spatial, kernel));
    for (size_t i = 0; i < spatial.size(); ++i)
        if (window.padBefore[i] < 0 || window.padAfter[i] < 0)
            return bad(*view.node, "a pool cannot have negative pads");
    return window;
}

Result<Types> poolShape(const NodeView& view) {
    FETTLE_TRY(const Window window, poolWindow(view));
    const Shape& x = view.types[0]->shape;
    Shape shape = {x[0], x[1]};
    shape.insert(shape.end(), window.output.begin(), window.output.end());
    Types types = {{view.types[0]->dtype, shape, {}}};
    if (view.node->outputs.size() > 1) types.push_back({DType::Int64, shape, {}});
    return types;
}

Result<Types> globalPoolShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 3, "X"));
    Shape shape = view.types[0]->shape;
    for (size_t i = 2; i < shape.size(); ++i) shape[i] = 1;
    return Types{{view.types[0]->dtype, shape, {}}};
}

// Calls visit(output position, input offset) for every window position inside the input, windows in order;
// `padded` counts positions that lie in the padding.
template <class Visit, class Finish>
void slide(const Shape& spatial, const Window& w, Visit visit, Finish finish) {
    const size_t axes = spatial.size();
    const std::vector<int64_t> xStrides = rowMajorStrides(spatial);
    const int64_t taps = graph::elementCount(w.kernel), positions = graph::elementCount(w.output);
    const std::vector<int64_t> outStrides = rowMajorStrides(w.output), tapStrides = rowMajorStrides(w.kernel);
    for (int64_t p = 0; p < positions; ++p) {
        int64_t inPadding = 0;
        for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t offset = 0, rest = p, tapRest = tap;
            bool inside = true, inPad = true;
            for (size_t i = 0; i < axes; ++i) {
                const int64_t at =
                    rest / outStrides[i] * w.stride[i] - w.padBefore[i] + tapRest / tapStrides[i] * w.dilation[i];
                inside &= at >= 0 && at < spatial[i];
                inPad &= at < spatial[i] + w.padAfter[i];
                offset += at * xStrides[i];
                rest %= outStrides[i];
                tapRest %= tapStrides[i];
            }
            if (inside)
                visit(p, offset);
            else
                inPadding += inPad;
        }
        finish(p, inPadding);
    }
}

// The offset in x as the Indices output counts it: row-major, or with the first spatial axis fastest (storage_order 1).
int64_t indexOf(int64_t offset, const Shape& spatial, bool columnMajor) {
    if (!columnMajor) return offset;
    const std::vector<int64_t> strides = rowMajorStrides(spatial);
    int64_t index = 0, step = 1;
    for (size_t i = 0; i < spatial.size(); ++i) {
        index += offset / strides[i] * step;
        offset %= strides[i];
        step *= spatial[i];
    }
    return index;
}

Result<Tensors> maxPoolEvaluate(const Node& node, Inputs inputs) {
    const NodeView view = viewOf(node, inputs);
    FETTLE_TRY(const Types types, poolShape(view));
    FETTLE_TRY(const Window window, poolWindow(view));
    const std::vector<double> x = toDoubles(*inputs[0]);
    const Shape& shape = inputs[0]->type.shape;
    const Shape spatial = spatialOf(shape);
    const int64_t plane = graph::elementCount(spatial), positions = graph::elementCount(window.output);
    std::vector<double> y(graph::elementCount(types[0].shape), -std::numeric_limits<double>::infinity());
    std::vector<int64_t> indices(node.outputs.size() > 1 ? y.size() : 0);
    const bool columnMajor = node.intOr("storage_order", 0) != 0;
    for (int64_t c = 0; c < shape[0] * shape[1]; ++c) {
        const double* in = x.data() + c * plane;
        double* out = y.data() + c * positions;
        std::vector<int64_t> best(positions, -1);
        slide(
            spatial, window,
            [&](int64_t p, int64_t offset) {
                if (best[p] >= 0 && !(in[offset] > out[p]) && !std::isnan(in[offset])) return;
                out[p] = in[offset];
                best[p] = offset;
            },
            [](int64_t, int64_t) {});
        for (size_t p = 0; p < best.size() && !indices.empty(); ++p)
            indices[c * positions + p] = c * plane + indexOf(std::max<int64_t>(0, best[p]), spatial, columnMajor);
    }
    Tensors results = {graph::fromDoubles(types[0].dtype, types[0].shape, y)};
    if (types.size() > 1) results.push_back(fromInts(DType::Int64, types[1].shape, indices));
    return results;
}

Result<Tensors> averagePoolEvaluate(const Node& node, Inputs inputs) {
    const NodeView view = viewOf(node, inputs);
    FETTLE_TRY(const Types types, poolShape(view));
    FETTLE_TRY(const Window window, poolWindow(view));
    const std::vector<double> x = toDoubles(*inputs[0]);
    const Shape& shape = inputs[0]->type.shape;
    const int64_t plane = graph::elementCount(spatialOf(shape)), positions = graph::elementCount(window.output);
    const bool includePad = node.intOr("count_include_pad", 0) != 0;
    std::vector<double> y(graph::elementCount(types[0].shape), 0.0);
    for (int64_t c = 0; c < shape[0] * shape[1]; ++c) {
        const double* in = x.data() + c * plane;
        double* out = y.data() + c * positions;
        int64_t count = 0;
        slide(
            spatialOf(shape), window,
            [&](int64_t p, int64_t offset) {
                out[p] += in[offset];
                ++count;
            },
            [&](int64_t p, int64_t inPadding) {
                const int64_t all = count + (includePad ? inPadding : 0);
                if (all > 0) out[p] /= static_cast<double>(all);
                count = 0;
            });
    }
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, y)};
}

template <bool Max>
Result<Tensors> globalPoolEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, globalPoolShape(viewOf(node, inputs)));
    const std::vector<double> x = toDoubles(*inputs[0]);
    const int64_t planes = graph::elementCount(types[0].shape);
    const int64_t plane = graph::elementCount(spatialOf(inputs[0]->type.shape));
    std::vector<double> y(planes);
    for (int64_t c = 0; c < planes; ++c) {
        const double* in = x.data() + c * plane;
        double value = Max ? -std::numeric_limits<double>::infinity() : 0.0;
        for (int64_t i = 0; i < plane; ++i)
            value = Max ? (in[i] > value || std::isnan(in[i]) ? in[i] : value) : value + in[i];
        y[c] = Max ? value : value / static_cast<double>(plane);
    }
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, y)};
}

}  // namespace

std::vector<OpRow> poolRows() {
    const OpKind pool = OpKind::Pool;
    return {
        makeRow({"MaxPool", pool, Fusion::Anchor, 1, 1, 2,
                 "auto_pad:s ceil_mode:i dilations:I kernel_shape:I! pads:I storage_order:i strides:I", poolShape,
                 maxPoolEvaluate}),
        makeRow({"AveragePool", pool, Fusion::Anchor, 1, 1, 1,
                 "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I! pads:I strides:I", poolShape,
                 averagePoolEvaluate}),
        makeRow({"GlobalMaxPool", pool, Fusion::Anchor, 1, 1, 1, "", globalPoolShape, globalPoolEvaluate<true>}),
        makeRow({"GlobalAveragePool", pool, Fusion::Anchor, 1, 1, 1, "", globalPoolShape, globalPoolEvaluate<false>}),
    };
}

}  // namespace fettle::ops
