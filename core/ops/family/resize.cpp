// SPDX-License-Identifier: GPL-3.0-or-later
// Resize-19 (nearest, linear, cubic; antialias; every coordinate mode but tf_crop_and_resize) and Upsample-9.
#include "core/ops/family/resize.h"

#include <cmath>
#include <cstring>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

struct Settings {
    std::string mode, coordinates, nearest, policy;
    double cubic = -0.75;
    bool excludeOutside = false, antialias = false;
    Shape extents;
    std::vector<double> scales;
};

Status readMode(const Node& node, Settings& s) {
    const bool old = node.op == "Upsample" || node.opset < 11;  // fixed then: asymmetric, floor
    s.mode = node.stringOr("mode", "nearest");
    if (s.mode == "bilinear") s.mode = "linear";
    s.coordinates = node.stringOr("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    s.nearest = node.stringOr("nearest_mode", old ? "floor" : "round_prefer_floor");
    s.policy = node.stringOr("keep_aspect_ratio_policy", "stretch");
    s.cubic = node.floatOr("cubic_coeff_a", -0.75f);
    s.excludeOutside = node.intOr("exclude_outside", 0) != 0;
    s.antialias = node.intOr("antialias", 0) != 0;
    if (s.mode != "nearest" && s.mode != "linear" && s.mode != "cubic") return bad(node, "mode is '" + s.mode + "'");
    if (s.coordinates == "tf_crop_and_resize")
        return unsupported(node, "coordinate_transformation_mode tf_crop_and_resize is not supported");
    bool known = false;
    for (const char* name : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                             "tf_half_pixel_for_nn"})
        known |= s.coordinates == name;
    if (!known) return bad(node, "coordinate_transformation_mode is '" + s.coordinates + "'");
    return {};
}

Result<std::vector<double>> constantDoubles(const NodeView& view, size_t input) {
    if (!view.constants[input])
        return unsupported(
            *view.node,
            "the scales are computed from the data, so the shape of the output is not known before it runs");
    return toDoubles(*view.constants[input]);
}

// The axes that scales and sizes speak of: all, unless the attribute says otherwise (opset 18).
Result<std::vector<int64_t>> givenAxes(const Node& node, size_t rank, size_t count, const char* what) {
    std::vector<int64_t> axes = node.intsOr("axes", {});
    if (axes.empty())
        for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    if (axes.size() != count)
        return bad(node, std::string(what) + " has " + std::to_string(count) + " values for " +
                             std::to_string(axes.size()) + " axes");
    FETTLE_CHECK(normalAxes(node, axes, rank));
    for (int64_t& axis : axes) axis = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    return axes;
}

Status useScales(const Node& node, const Shape& x, const std::vector<double>& scales, Settings& s) {
    FETTLE_TRY(const std::vector<int64_t> axes, givenAxes(node, x.size(), scales.size(), "scales"));
    for (size_t i = 0; i < axes.size(); ++i) {
        const double extent = std::floor(static_cast<float>(x[axes[i]]) * static_cast<float>(scales[i]));
        if (!(scales[i] > 0) || !(extent < 0x1p31))
            return bad(node, "a scale is not positive or exceeds the size limit");
        s.scales[axes[i]] = scales[i];
        s.extents[axes[i]] = static_cast<int64_t>(extent);
    }
    return {};
}

Status useSizes(const Node& node, const Shape& x, std::vector<int64_t> sizes, Settings& s) {
    FETTLE_TRY(const std::vector<int64_t> axes, givenAxes(node, x.size(), sizes.size(), "sizes"));
    double common = s.policy == "not_larger" ? 1e30 : 0;
    for (size_t i = 0; i < axes.size(); ++i) {
        if (sizes[i] < 0 || sizes[i] >= int64_t{1} << 31)
            return bad(node, "sizes contains " + std::to_string(sizes[i]));
        if (x[axes[i]] == 0 && sizes[i] != 0) return bad(node, "an empty axis cannot be enlarged");
        const double scale = x[axes[i]] ? static_cast<double>(sizes[i]) / static_cast<double>(x[axes[i]]) : 1;
        common = s.policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
        s.scales[axes[i]] = scale;
        s.extents[axes[i]] = sizes[i];
    }
    if (s.policy == "stretch") return {};
    for (int64_t axis : axes) {
        s.scales[axis] = common;
        s.extents[axis] = static_cast<int64_t>(std::floor(static_cast<double>(x[axis]) * common + 0.5));
    }
    return {};
}

Result<Settings> settingsOf(const NodeView& view) {
    const Node& node = *view.node;
    const Shape& x = view.types[0]->shape;
    Settings s;
    FETTLE_CHECK(readMode(node, s));
    s.extents = x;
    s.scales.assign(x.size(), 1);
    if (node.op == "Upsample" && node.opset < 9) {
        const auto found = node.attributes.find("scales");
        if (found == node.attributes.end()) return bad(node, "the attribute 'scales' is missing");
        const auto& scales = std::get<std::vector<float>>(found->second);
        FETTLE_CHECK(useScales(node, x, {scales.begin(), scales.end()}, s));
        return s;
    }
    const size_t scalesInput = node.op == "Upsample" || node.opset < 11 ? 1 : 2;
    const bool scalesGiven = view.has(scalesInput) && graph::elementCount(view.types[scalesInput]->shape) > 0;
    if (view.has(3) && graph::elementCount(view.types[3]->shape) > 0) {
        FETTLE_TRY(std::vector<int64_t> sizes, constantInts(view, 3, "sizes"));
        FETTLE_CHECK(useSizes(node, x, std::move(sizes), s));
    } else if (scalesGiven) {
        FETTLE_TRY(const std::vector<double> scales, constantDoubles(view, scalesInput));
        FETTLE_CHECK(useScales(node, x, scales, s));
    } else {
        return bad(node, "scales or sizes must be given");
    }
    return s;
}

double sourceOf(const Settings& s, int64_t at, int64_t in, int64_t out, double scale) {
    const double x = static_cast<double>(at);
    if (s.coordinates == "asymmetric") return x / scale;
    if (s.coordinates == "align_corners")
        return out == 1 ? 0 : x * static_cast<double>(in - 1) / static_cast<double>(out - 1);
    if (s.coordinates == "pytorch_half_pixel") return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
    if (s.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
    const double source = (x + 0.5) / scale - 0.5;
    if (s.coordinates != "half_pixel_symmetric") return source;
    const double adjustment = static_cast<double>(out) / (scale * static_cast<double>(in));
    const double centre = static_cast<double>(in) / 2;
    return centre * (1 - adjustment) + (x + 0.5) / scale - 0.5;
}

int64_t nearestIndex(const std::string& mode, double x) {
    if (mode == "floor") return static_cast<int64_t>(std::floor(x));
    if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
    if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
    return static_cast<int64_t>(std::ceil(x - 0.5));
}

double cubicWeight(double d, double a) {
    d = std::fabs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

std::vector<ResizeTap> tapsOf(const Settings& s, double x, int64_t in, double scale) {
    const double stretch = s.antialias && scale < 1 ? 1 / scale : 1;  // antialias widens the kernel when shrinking
    const double reach = (s.mode == "cubic" ? 2 : 1) * stretch;
    std::vector<ResizeTap> taps;
    double total = 0;
    for (int64_t i = static_cast<int64_t>(std::floor(x - reach)); i <= static_cast<int64_t>(std::ceil(x + reach));
         ++i) {
        const double d = (static_cast<double>(i) - x) / stretch;
        const double weight = s.mode == "cubic" ? cubicWeight(d, s.cubic) : std::max(0.0, 1 - std::fabs(d));
        const bool outside = i < 0 || i >= in;
        if (weight == 0 || (outside && s.excludeOutside)) continue;
        // linear antialiasing leaves out what lies outside, as cubic does with exclude_outside
        if (outside && stretch > 1 && s.mode == "linear") continue;
        taps.push_back({std::clamp<int64_t>(i, 0, in - 1), weight});
        total += weight;
    }
    for (ResizeTap& tap : taps) tap.weight /= total;
    return taps;
}

Result<Types> resizeShape(const NodeView& view) {
    FETTLE_TRY(const Settings s, settingsOf(view));
    return Types{{view.types[0]->dtype, s.extents, {}}};
}

// One axis of `x`: [outer][in][inner] -> [outer][out][inner].
std::vector<double> resizedAxis(const std::vector<double>& x, int64_t in, int64_t inner, const ResizeAxis& axis) {
    const int64_t outer = in * inner != 0 ? static_cast<int64_t>(x.size()) / (in * inner) : 0;
    std::vector<double> y(outer * axis.extent * inner, 0.0);
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t j = 0; j < axis.extent; ++j)
            for (const ResizeTap& tap : axis.taps[j]) {
                const double* from = x.data() + (o * in + tap.index) * inner;
                double* to = y.data() + (o * axis.extent + j) * inner;
                for (int64_t i = 0; i < inner; ++i) to[i] += tap.weight * from[i];
            }
    return y;
}

Result<Tensors> resizeEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const std::vector<ResizeAxis> axes, resizeAxes(viewOf(node, inputs)));
    Shape shape = inputs[0]->type.shape;
    std::vector<double> values = toDoubles(*inputs[0]);
    for (size_t i = 0; i < axes.size(); ++i) {
        if (!axes[i].taps.empty())
            values =
                resizedAxis(values, shape[i],
                            graph::elementCount({shape.begin() + static_cast<int64_t>(i) + 1, shape.end()}), axes[i]);
        shape[i] = axes[i].extent;
    }
    if (!graph::isFloat(inputs[0]->type.dtype))
        for (double& value : values) value = std::trunc(value);
    return Tensors{graph::fromDoubles(inputs[0]->type.dtype, shape, values)};
}

}  // namespace

Result<std::vector<ResizeAxis>> resizeAxes(const NodeView& view) {
    FETTLE_TRY(const Settings s, settingsOf(view));
    const Shape& x = view.types[0]->shape;
    std::vector<ResizeAxis> axes(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        axes[i].extent = s.extents[i];
        if (s.scales[i] == 1 && s.extents[i] == x[i]) continue;
        axes[i].taps.resize(s.extents[i]);
        for (int64_t at = 0; at < s.extents[i]; ++at) {
            const double source = sourceOf(s, at, x[i], s.extents[i], s.scales[i]);
            if (s.mode == "nearest")
                axes[i].taps[at] = {{std::clamp<int64_t>(nearestIndex(s.nearest, source), 0, x[i] - 1), 1.0}};
            else
                axes[i].taps[at] = tapsOf(s, source, x[i], s.scales[i]);
        }
    }
    return axes;
}

std::vector<OpRow> resizeRows() {
    return {
        makeRow({"Resize", OpKind::Layout, Fusion::Injective, 1, 4, 1,
                 "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
                 "extrapolation_value:f "
                 "keep_aspect_ratio_policy:s mode:s nearest_mode:s",
                 resizeShape, resizeEvaluate, nullptr, 10}),
        makeRow({"Upsample", OpKind::Layout, Fusion::Injective, 1, 2, 1, "mode:s scales:F", resizeShape, resizeEvaluate,
                 nullptr, 7, 9}),
    };
}

}  // namespace fettle::ops
