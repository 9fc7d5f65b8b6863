// SPDX-License-Identifier: GPL-3.0-or-later
// Conv-22, ConvTranspose-22: any number of spatial axes, groups, dilations.
#include "core/ops/family/rule.h"
#include "core/ops/family/window.h"

namespace fettle::ops {

namespace {

constexpr const char* kConvAttributes = "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I";

// What Conv and ConvTranspose check alike; `channelAxis` is the axis of W that meets the channels of X.
Status checkConv(const NodeView& view, size_t groupedAxis) {
    const Node& node = *view.node;
    FETTLE_CHECK(needRank(view, 0, 3, "X"));
    FETTLE_CHECK(needSameType(view, {0, 1, 2}));
    const Shape &x = view.types[0]->shape, &w = view.types[1]->shape;
    if (w.size() != x.size())
        return bad(node, "the rank of the weight W is " + std::to_string(w.size()) + ", that of X is " +
                             std::to_string(x.size()));
    const int64_t group = node.intOr("group", 1);
    if (group < 1) return bad(node, "group is " + std::to_string(group) + "; it must be at least 1");
    if (x[1] % group != 0 || w[0] % group != 0)
        return bad(node, "group " + std::to_string(group) + " does not divide the channels of X or W");
    const int64_t expected = groupedAxis == 1 ? w[1] * group : w[0];
    if (x[1] != expected)
        return bad(node, "X has " + std::to_string(x[1]) + " channels, W " + shapeText(w) + " with group " +
                             std::to_string(group) + " wants " + std::to_string(expected));
    const std::vector<int64_t> kernel = node.intsOr("kernel_shape", spatialOf(w));
    if (kernel != spatialOf(w))
        return bad(node, "kernel_shape " + shapeText(kernel) + " does not fit W " + shapeText(w));
    return {};
}

Status checkBias(const NodeView& view, int64_t channels) {
    if (view.has(2) && view.types[2]->shape != Shape{channels})
        return bad(*view.node, "the bias has the shape " + shapeText(view.types[2]->shape) + "; it must be [" +
                                   std::to_string(channels) + "]");
    return {};
}

Result<Types> convShape(const NodeView& view) {
    FETTLE_CHECK(checkConv(view, 1));
    const Shape &x = view.types[0]->shape, &w = view.types[1]->shape;
    FETTLE_CHECK(checkBias(view, w[0]));
    FETTLE_TRY(const Window window, windowOf(*view.node, spatialOf(x), spatialOf(w)));
    Shape shape = {x[0], w[0]};
    shape.insert(shape.end(), window.output.begin(), window.output.end());
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Types> convTransposeShape(const NodeView& view) {
    FETTLE_CHECK(checkConv(view, 0));
    const Shape &x = view.types[0]->shape, &w = view.types[1]->shape;
    const int64_t channels = w[1] * view.node->intOr("group", 1);
    FETTLE_CHECK(checkBias(view, channels));
    FETTLE_TRY(const Window window, transposedWindowOf(*view.node, spatialOf(x), spatialOf(w)));
    Shape shape = {x[0], channels};
    shape.insert(shape.end(), window.output.begin(), window.output.end());
    return Types{{view.types[0]->dtype, shape, {}}};
}

// columns[channel * taps + tap][position - first] = padded x at that window position.
void gatherColumns(const double* x, const Shape& spatial, const Window& w, int64_t channels, int64_t first,
                   int64_t count, std::vector<double>& columns) {
    const size_t axes = spatial.size();
    const std::vector<int64_t> xStrides = rowMajorStrides(spatial), outStrides = rowMajorStrides(w.output);
    const int64_t taps = graph::elementCount(w.kernel), plane = graph::elementCount(spatial);
    const std::vector<int64_t> tapStrides = rowMajorStrides(w.kernel);
    columns.assign(channels * taps * count, 0.0);
    for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t p = 0; p < count; ++p) {
            int64_t offset = 0, rest = first + p, tapRest = tap;
            bool inside = true;
            for (size_t i = 0; i < axes; ++i) {
                const int64_t at =
                    rest / outStrides[i] * w.stride[i] - w.padBefore[i] + tapRest / tapStrides[i] * w.dilation[i];
                inside &= at >= 0 && at < spatial[i];
                offset += at * xStrides[i];
                rest %= outStrides[i];
                tapRest %= tapStrides[i];
            }
            if (!inside) continue;
            for (int64_t c = 0; c < channels; ++c) columns[(c * taps + tap) * count + p] = x[c * plane + offset];
        }
}

Result<Tensors> convEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, convShape(viewOf(node, inputs)));
    const Shape &xShape = inputs[0]->type.shape, &wShape = inputs[1]->type.shape;
    FETTLE_TRY(const Window window, windowOf(node, spatialOf(xShape), spatialOf(wShape)));
    const std::vector<double> x = toDoubles(*inputs[0]), w = toDoubles(*inputs[1]);
    const std::vector<double> bias =
        inputs.size() > 2 && inputs[2] ? toDoubles(*inputs[2]) : std::vector<double>(wShape[0], 0.0);
    const int64_t group = node.intOr("group", 1), channels = wShape[1], filters = wShape[0] / group;
    const int64_t depth = channels * graph::elementCount(window.kernel);
    const int64_t plane = graph::elementCount(spatialOf(xShape)), positions = graph::elementCount(window.output);
    const int64_t chunk =
        std::max<int64_t>(16, std::min<int64_t>(positions, (1 << 17) / std::max<int64_t>(1, depth) / 16 * 16));
    std::vector<double> y(graph::elementCount(types[0].shape)), columns;
    for (int64_t n = 0; n < xShape[0]; ++n)
        for (int64_t g = 0; g < group; ++g)
            for (int64_t first = 0; first < positions; first += chunk) {
                const int64_t count = std::min(chunk, positions - first);
                gatherColumns(x.data() + (n * xShape[1] + g * channels) * plane, spatialOf(xShape), window, channels,
                              first, count, columns);
                double* out = y.data() + (n * wShape[0] + g * filters) * positions + first;
                for (int64_t f = 0; f < filters; ++f) std::fill_n(out + f * positions, count, bias[g * filters + f]);
                multiplyAdd(filters, count, depth, w.data() + g * filters * depth, depth, columns.data(), count, out,
                            positions);
            }
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, y)};
}

// Scatters products[filter * taps + tap][position] of one group and image into its output planes.
void scatterProducts(const std::vector<double>& products, const Shape& spatial, const Window& w, int64_t filters,
                     double* y) {
    const size_t axes = spatial.size();
    const int64_t taps = graph::elementCount(w.kernel), positions = graph::elementCount(spatial);
    const int64_t outPlane = graph::elementCount(w.output);
    const std::vector<int64_t> inStrides = rowMajorStrides(spatial), outStrides = rowMajorStrides(w.output);
    const std::vector<int64_t> tapStrides = rowMajorStrides(w.kernel);
    for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t p = 0; p < positions; ++p) {
            int64_t offset = 0, rest = p, tapRest = tap;
            bool inside = true;
            for (size_t i = 0; i < axes; ++i) {
                const int64_t at =
                    rest / inStrides[i] * w.stride[i] + tapRest / tapStrides[i] * w.dilation[i] - w.padBefore[i];
                inside &= at >= 0 && at < w.output[i];
                offset += at * outStrides[i];
                rest %= inStrides[i];
                tapRest %= tapStrides[i];
            }
            if (!inside) continue;
            for (int64_t f = 0; f < filters; ++f)
                y[f * outPlane + offset] += products[(f * taps + tap) * positions + p];
        }
}

Result<Tensors> convTransposeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, convTransposeShape(viewOf(node, inputs)));
    const Shape &xShape = inputs[0]->type.shape, &wShape = inputs[1]->type.shape;
    FETTLE_TRY(const Window window, transposedWindowOf(node, spatialOf(xShape), spatialOf(wShape)));
    const std::vector<double> x = toDoubles(*inputs[0]), w = toDoubles(*inputs[1]);
    const int64_t group = node.intOr("group", 1), filters = wShape[1], channels = wShape[0] / group;
    const std::vector<double> bias =
        inputs.size() > 2 && inputs[2] ? toDoubles(*inputs[2]) : std::vector<double>(filters * group, 0.0);
    const int64_t width = filters * graph::elementCount(window.kernel);
    const int64_t positions = graph::elementCount(spatialOf(xShape)), outPlane = graph::elementCount(window.output);
    std::vector<double> y(graph::elementCount(types[0].shape)), products, weights(width * channels);
    for (int64_t n = 0; n < xShape[0]; ++n)
        for (int64_t g = 0; g < group; ++g) {
            for (int64_t c = 0; c < channels; ++c)  // to [filter * tap][channel]
                for (int64_t j = 0; j < width; ++j) weights[j * channels + c] = w[(g * channels + c) * width + j];
            products.assign(width * positions, 0.0);
            multiplyAdd(width, positions, channels, weights.data(), channels,
                        x.data() + (n * xShape[1] + g * channels) * positions, positions, products.data(), positions);
            double* out = y.data() + (n * group + g) * filters * outPlane;
            for (int64_t f = 0; f < filters; ++f) std::fill_n(out + f * outPlane, outPlane, bias[g * filters + f]);
            scatterProducts(products, spatialOf(xShape), window, filters, out);
        }
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, y)};
}

}  // namespace

std::vector<OpRow> convolutionRows() {
    return {
        makeRow({"Conv", OpKind::Convolution, Fusion::Anchor, 2, 3, 1, kConvAttributes, convShape, convEvaluate}),
        makeRow({"ConvTranspose", OpKind::Convolution, Fusion::Anchor, 2, 3, 1,
                 "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I strides:I",
                 convTransposeShape, convTransposeEvaluate}),
    };
}

}  // namespace fettle::ops
