// SPDX-License-Identifier: GPL-3.0-or-later
// BatchNormalization-15 (inference), InstanceNormalization-22, LayerNormalization-17, Softmax and LogSoftmax-13
// (below opset 13 with the input flattened to two dimensions). Two-pass variance.
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

Result<Types> perChannelShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 2, "X"));
    const TensorType& x = *view.types[0];
    for (size_t i = 1; i < view.types.size(); ++i)
        if (view.has(i) && view.types[i]->shape != Shape{x.shape[1]})
            return bad(*view.node, "input " + std::to_string(i) + " has the shape " + shapeText(view.types[i]->shape) +
                                       "; it must be [" + std::to_string(x.shape[1]) + "], one value per channel");
    return Types{{x.dtype, x.shape, {}}};
}

Result<Types> batchNormShape(const NodeView& view) {
    if (view.node->intOr("training_mode", 0) != 0) return unsupported(*view.node, "training_mode is for training");
    if (view.node->opset < 9 && view.node->intOr("spatial", 1) == 0)
        return unsupported(*view.node, "spatial = 0 is not supported");
    size_t used = 0;
    for (graph::ValueId output : view.node->outputs) used += output != graph::kNone;
    if (used > 1) return unsupported(*view.node, "the running statistics are outputs for training");
    FETTLE_TRY(Types types, perChannelShape(view));
    types.resize(view.node->outputs.size(), {view.types[0]->dtype, {view.types[0]->shape[1]}, {}});
    return types;
}

Result<Tensors> batchNormEvaluate(const Node& node, Inputs inputs) {
    std::vector<double> x = toDoubles(*inputs[0]);
    const std::vector<double> scale = toDoubles(*inputs[1]), bias = toDoubles(*inputs[2]), mean = toDoubles(*inputs[3]),
                              variance = toDoubles(*inputs[4]);
    const Shape& shape = inputs[0]->type.shape;
    const int64_t channels = shape[1], plane = graph::elementCount({shape.begin() + 2, shape.end()});
    for (size_t i = 0; i < x.size(); ++i) {
        const size_t c = i / plane % channels;
        x[i] = (x[i] - mean[c]) / std::sqrt(variance[c] + node.floatOr("epsilon", 1e-5f)) * scale[c] + bias[c];
    }
    return Tensors{graph::fromDoubles(inputs[0]->type.dtype, shape, x)};
}

struct Moments {
    double mean, inverseDeviation;
};

Moments momentsOf(const double* x, int64_t count, double epsilon) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) sum += x[i];
    const double mean = sum / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
    return {mean, 1 / std::sqrt(squares / static_cast<double>(count) + epsilon)};
}

Result<Tensors> instanceNormEvaluate(const Node& node, Inputs inputs) {
    std::vector<double> x = toDoubles(*inputs[0]);
    const std::vector<double> scale = toDoubles(*inputs[1]), bias = toDoubles(*inputs[2]);
    const Shape& shape = inputs[0]->type.shape;
    const int64_t plane = graph::elementCount({shape.begin() + 2, shape.end()});
    for (int64_t row = 0; row < shape[0] * shape[1]; ++row) {
        double* values = x.data() + row * plane;
        const Moments m = momentsOf(values, plane, node.floatOr("epsilon", 1e-5f));
        const int64_t c = row % shape[1];
        for (int64_t i = 0; i < plane; ++i) values[i] = (values[i] - m.mean) * m.inverseDeviation * scale[c] + bias[c];
    }
    return Tensors{graph::fromDoubles(inputs[0]->type.dtype, shape, x)};
}

Result<Types> layerNormShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 1, "X"));
    const TensorType& x = *view.types[0];
    FETTLE_TRY(const int64_t axis, normalAxis(*view.node, view.node->intOr("axis", -1), x.shape.size()));
    for (size_t i = 1; i < view.types.size(); ++i) {
        if (!view.has(i)) continue;
        FETTLE_TRY(const Shape both, broadcast(*view.node, view.types[i]->shape, x.shape));
        if (both != x.shape) return bad(*view.node, "scale or bias does not broadcast to X");
    }
    Shape reduced = x.shape;
    for (size_t i = axis; i < reduced.size(); ++i) reduced[i] = 1;
    const DType stash = view.node->intOr("stash_type", 1) == 1 ? DType::Float32 : x.dtype;
    Types types = {{x.dtype, x.shape, {}}, {stash, reduced, {}}, {stash, reduced, {}}};
    types.resize(view.node->outputs.size());
    return types;
}

Result<Tensors> layerNormEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, layerNormShape(viewOf(node, inputs)));
    std::vector<double> x = toDoubles(*inputs[0]), means, deviations;
    const Shape& shape = inputs[0]->type.shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", -1), shape.size()));
    const int64_t inner = graph::elementCount({shape.begin() + axis, shape.end()});
    for (size_t row = 0; row < x.size(); row += inner) {
        const Moments m = momentsOf(x.data() + row, inner, node.floatOr("epsilon", 1e-5f));
        for (int64_t i = 0; i < inner; ++i) x[row + i] = (x[row + i] - m.mean) * m.inverseDeviation;
        means.push_back(m.mean);
        deviations.push_back(m.inverseDeviation);
    }
    for (size_t i = 1; i < inputs.size(); ++i) {
        if (!inputs[i]) continue;
        const std::vector<double> operand = toDoubles(*inputs[i]);
        double* out = x.data();
        forEach<1>(shape, {broadcastStrides(inputs[i]->type.shape, shape)}, [&](const std::array<int64_t, 1>& at) {
            *out = i == 1 ? *out * operand[at[0]] : *out + operand[at[0]];
            ++out;
        });
    }
    Tensors results = {graph::fromDoubles(types[0].dtype, shape, x)};
    if (types.size() > 1) results.push_back(graph::fromDoubles(types[1].dtype, types[1].shape, means));
    if (types.size() > 2) results.push_back(graph::fromDoubles(types[2].dtype, types[2].shape, deviations));
    return results;
}

Result<Types> softmaxShape(const NodeView& view) {
    const Node& node = *view.node;
    const TensorType& x = *view.types[0];
    if (!graph::isFloat(x.dtype)) return bad(node, "the input must be floats");
    if (!x.shape.empty() || node.opset < 13)
        FETTLE_CHECK(normalAxis(node, node.intOr("axis", node.opset < 13 ? 1 : -1), x.shape.size(), node.opset < 13));
    return Types{{x.dtype, x.shape, {}}};
}

template <bool Log>
Result<Tensors> softmaxEvaluate(const Node& node, Inputs inputs) {
    std::vector<double> x = toDoubles(*inputs[0]);
    const Shape& shape = inputs[0]->type.shape;
    FETTLE_TRY(const int64_t axis,
               shape.empty() ? Result<int64_t>(0)
                             : normalAxis(node, node.intOr("axis", node.opset < 13 ? 1 : -1), shape.size(), true));
    const bool flattened = node.opset < 13;
    const int64_t inner = flattened || shape.empty() ? 1 : graph::elementCount({shape.begin() + axis + 1, shape.end()});
    const int64_t length = shape.empty() ? 1
                           : flattened   ? graph::elementCount({shape.begin() + axis, shape.end()})
                                         : shape[axis];
    for (int64_t start = 0; start < static_cast<int64_t>(x.size()); start += length * inner)
        for (int64_t i = start; i < start + inner; ++i) {
            double largest = -std::numeric_limits<double>::infinity(), sum = 0;
            for (int64_t j = 0; j < length; ++j) largest = std::max(largest, x[i + j * inner]);
            for (int64_t j = 0; j < length; ++j) sum += std::exp(x[i + j * inner] - largest);
            for (int64_t j = 0; j < length; ++j) {
                double& value = x[i + j * inner];
                value = Log ? value - largest - std::log(sum) : std::exp(value - largest) / sum;
            }
        }
    return Tensors{graph::fromDoubles(inputs[0]->type.dtype, shape, x)};
}

}  // namespace

std::vector<OpRow> normalizationRows() {
    const OpKind kind = OpKind::Normalization;
    return {
        makeRow({"BatchNormalization", kind, Fusion::Elementwise, 5, 5, 5,
                 "epsilon:f momentum:f spatial:i training_mode:i", batchNormShape, batchNormEvaluate}),
        makeRow({"InstanceNormalization", kind, Fusion::Anchor, 3, 3, 1, "epsilon:f", perChannelShape,
                 instanceNormEvaluate}),
        makeRow({"LayerNormalization", kind, Fusion::Anchor, 2, 3, 3, "axis:i epsilon:f stash_type:i", layerNormShape,
                 layerNormEvaluate, nullptr, 17}),
        makeRow({"Softmax", kind, Fusion::Anchor, 1, 1, 1, "axis:i", softmaxShape, softmaxEvaluate<false>}),
        makeRow({"LogSoftmax", kind, Fusion::Anchor, 1, 1, 1, "axis:i", softmaxShape, softmaxEvaluate<true>}),
    };
}

}  // namespace fettle::ops
