// SPDX-License-Identifier: GPL-3.0-or-later
// Resize and Upsample, nearest and linear. Source coordinates are exact rationals: x(o) = (o*numerator + shift) /
// denominator per dimension, so that the loop form and the definition agree at every position.
#include <cmath>
#include <numeric>

#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::DType;
using graph::Shape;
using loop::ScalarOp;

namespace {

struct Coordinate {
    int64_t numerator = 1, shift = 0, denominator = 1;
};

// A scale as a fraction with a small denominator; nothing when it has none.
std::optional<std::pair<int64_t, int64_t>> fraction(double scale) {
    for (int64_t q = 1; q <= 1024; ++q) {
        const double p = std::round(scale * static_cast<double>(q));
        if (p >= 1 && std::fabs(scale * static_cast<double>(q) - p) < 1e-6 * p)
            return std::pair{static_cast<int64_t>(p), q};
    }
    return std::nullopt;
}

std::optional<Coordinate> coordinateOf(const std::string& mode, int64_t in, int64_t out, double scale) {
    // x = (o + 1/2) * q/p - 1/2 and the like, for scale p/q
    const auto ratio = scale > 0 ? fraction(scale) : std::pair{out, in};
    if (!ratio) return std::nullopt;
    const int64_t divisor = std::gcd(ratio->first, ratio->second);
    const int64_t p = ratio->first / divisor, q = ratio->second / divisor;
    if (mode == "asymmetric") return Coordinate{q, 0, p};
    if (mode == "align_corners") return out == 1 ? Coordinate{0, 0, 1} : Coordinate{in - 1, 0, out - 1};
    if (mode == "pytorch_half_pixel" && out == 1) return Coordinate{0, 0, 1};
    if (mode == "half_pixel" || mode == "pytorch_half_pixel") return Coordinate{2 * q, q - p, 2 * p};
    return std::nullopt;
}

// floor((o*numerator + shift) / denominator), inside [0, size).
Index clamped(const Index& index, int64_t extent, int64_t size) {
    const loop::Range range[] = {{0, extent - 1}};
    const loop::Range r = loop::rangeOf(index, std::span(range, 1));
    if (r.low >= 0 && r.high < size) return index;
    const auto number = [](int64_t v) { return loop::constant(static_cast<double>(v), DType::Int64); };
    return Index::loaded(
        loop::binary(ScalarOp::Min, loop::binary(ScalarOp::Max, loop::axisValue(index), number(0)), number(size - 1)));
}

Index nearestIndex(const Coordinate& c, const std::string& rounding, const Index& o) {
    const Index x = o * c.numerator + Index(c.shift);
    const int64_t d = c.denominator;
    if (rounding == "floor") return floorDiv(x, d);
    if (rounding == "ceil") return floorDiv(x + Index(d - 1), d);
    if (rounding == "round_prefer_ceil") return floorDiv(x * 2 + Index(d), 2 * d);
    return floorDiv(x * 2 + Index(d - 1), 2 * d);  // round_prefer_floor: ceil(x - 1/2)
}

// An index over axis `d`, made from one over axis 0.
Index onAxis(const Index& index, size_t d) {
    const std::vector<Index> values = {Index::axis(static_cast<int>(d))};
    return loop::substitute(index, values);
}

struct Linear {
    Index low, high;
    Scalar weight;  // of `high`
};

Linear linearOf(const Coordinate& c, int64_t in, int64_t out, size_t d) {
    const Index x = Index::axis(0) * c.numerator + Index(c.shift);
    const Index floor = floorDiv(x, c.denominator);
    const Scalar part = loop::cast(loop::axisValue(onAxis(mod(x, c.denominator), d)), DType::Float32);
    return {onAxis(clamped(floor, out, in), d), onAxis(clamped(floor + Index(1), out, in), d),
            mul(part, loop::constant(1.0 / static_cast<double>(c.denominator)))};
}

// What Resize 10, 11+ and Upsample call the scales input; empty when sizes are given.
std::vector<double> scalesOf(const NodeView& view) {
    const size_t input = view.node->op == "Upsample" || view.node->opset < 11 ? 1 : 2;
    if (view.has(input) && view.constants[input]) return graph::toDoubles(*view.constants[input]);
    return {};
}

Scalar interpolate(const Lowering& lowering, const std::vector<std::optional<Linear>>& linear, Indices at, size_t d) {
    if (d == linear.size()) return lowering.read(0, at);
    if (!linear[d]) return interpolate(lowering, linear, at, d + 1);
    Indices high = at;
    at[d] = linear[d]->low;
    high[d] = linear[d]->high;
    const Scalar a = interpolate(lowering, linear, at, d + 1), b = interpolate(lowering, linear, high, d + 1);
    return add(a, mul(sub(b, a), linear[d]->weight));
}

}  // namespace

Status resize(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const Shape& in = view.types[0]->shape;
    const Shape& out = lowering.outputType().shape;
    const std::string mode = node.stringOr("mode", "nearest");
    const bool old = node.op == "Upsample" || node.opset < 11;
    const std::string transform = node.stringOr("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    const std::string rounding = node.stringOr("nearest_mode", old ? "floor" : "round_prefer_floor");
    if (mode != "nearest" && mode != "linear" && mode != "bilinear") return cannotLower(node, "mode " + mode);
    if (node.intOr("antialias", 0) != 0) return cannotLower(node, "antialiasing is not compiled");
    if (node.attributes.contains("axes")) return cannotLower(node, "the axes attribute is not compiled");

    const std::vector<double> scales = scalesOf(view);
    Indices pull = axisIndices(out.size());
    std::vector<std::optional<Linear>> linear(out.size());
    for (size_t d = 0; d < out.size(); ++d) {
        if (in[d] == out[d] && (scales.size() != out.size() || scales[d] == 1)) continue;
        const auto c = coordinateOf(transform, in[d], out[d], scales.size() == out.size() ? scales[d] : 0);
        if (!c) return cannotLower(node, "this scale or coordinate mode (" + transform + ") is not compiled");
        if (mode == "nearest")
            pull[d] = onAxis(clamped(nearestIndex(*c, rounding, Index::axis(0)), out[d], in[d]), d);
        else
            linear[d] = linearOf(*c, in[d], out[d], d);
    }
    loop::Stage stage;
    stage.name = lowering.name();
    stage.axes = outputAxes(out);
    stage.body = interpolate(lowering, linear, pull, 0);
    stage.output = lowering.outputTensor();
    stage.outputIndices = axisIndices(out.size());
    if (mode == "nearest")
        lowering.move(std::move(stage), 0, std::nullopt);
    else
        lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
