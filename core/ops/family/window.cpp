// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/family/window.h"

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

constexpr int64_t kMaxExtent = int64_t{1} << 31;

Status readLists(const Node& node, size_t axes, Window& w) {
    w.stride = node.intsOr("strides", std::vector<int64_t>(axes, 1));
    w.dilation = node.intsOr("dilations", std::vector<int64_t>(axes, 1));
    const std::vector<int64_t> pads = node.intsOr("pads", std::vector<int64_t>(2 * axes, 0));
    struct {
        const char* name;
        const std::vector<int64_t>& values;
    } lists[] = {{"kernel_shape", w.kernel}, {"strides", w.stride}, {"dilations", w.dilation}};
    for (const auto& list : lists) {
        if (list.values.size() != axes)
            return bad(node, std::string(list.name) + " has " + std::to_string(list.values.size()) + " values for " +
                                 std::to_string(axes) + " spatial axes");
        for (int64_t value : list.values)
            if (value < 1 || value > kMaxExtent)
                return bad(node, std::string(list.name) + " contains " + std::to_string(value) +
                                     ": kernel, stride and dilation must be at least 1");
    }
    if (pads.size() != 2 * axes)
        return bad(node,
                   "pads has " + std::to_string(pads.size()) + " values; it must have " + std::to_string(2 * axes));
    for (int64_t pad : pads)
        if (pad < -kMaxExtent || pad > kMaxExtent) return bad(node, "pads contains " + std::to_string(pad));
    w.padBefore.assign(pads.begin(), pads.begin() + static_cast<int64_t>(axes));
    w.padAfter.assign(pads.begin() + static_cast<int64_t>(axes), pads.end());
    return {};
}

Result<std::string> autoPad(const Node& node) {
    const std::string mode = node.stringOr("auto_pad", "NOTSET");
    for (const char* known : {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"})
        if (mode == known) return mode;
    return bad(node, "auto_pad is '" + mode + "'; it must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

void splitPad(const std::string& mode, int64_t total, int64_t& before, int64_t& after) {
    total = std::max<int64_t>(0, total);
    before = mode == "SAME_LOWER" ? total - total / 2 : total / 2;
    after = total - before;
}

}  // namespace

Result<Window> windowOf(const Node& node, const Shape& spatial, std::vector<int64_t> kernel) {
    Window w;
    w.kernel = std::move(kernel);
    FETTLE_CHECK(readLists(node, spatial.size(), w));
    FETTLE_TRY(const std::string mode, autoPad(node));
    const bool ceil = node.intOr("ceil_mode", 0) != 0;
    for (size_t i = 0; i < spatial.size(); ++i) {
        const int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1, stride = w.stride[i];
        if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
            const int64_t out = (spatial[i] + stride - 1) / stride;
            splitPad(mode, (out - 1) * stride + reach - spatial[i], w.padBefore[i], w.padAfter[i]);
            w.output.push_back(out);
            continue;
        }
        if (mode == "VALID") w.padBefore[i] = w.padAfter[i] = 0;
        const int64_t room = spatial[i] + w.padBefore[i] + w.padAfter[i] - reach;
        if (room < 0)
            return bad(node, "the kernel is larger than the padded input: " + std::to_string(reach) + " over " +
                                 std::to_string(spatial[i] + w.padBefore[i] + w.padAfter[i]));
        int64_t out = (room + (ceil ? stride - 1 : 0)) / stride + 1;
        // a last window that would start beyond the input and its left padding is left out
        if (ceil && out > 1 && (out - 1) * stride >= spatial[i] + w.padBefore[i]) --out;
        w.output.push_back(out);
    }
    return w;
}

Result<Window> transposedWindowOf(const Node& node, const Shape& spatial, std::vector<int64_t> kernel) {
    const size_t axes = spatial.size();
    Window w;
    w.kernel = std::move(kernel);
    FETTLE_CHECK(readLists(node, axes, w));
    FETTLE_TRY(const std::string mode, autoPad(node));
    const std::vector<int64_t> extra = node.intsOr("output_padding", std::vector<int64_t>(axes, 0));
    const std::vector<int64_t> wanted = node.intsOr("output_shape", {});
    if (extra.size() != axes) return bad(node, "output_padding has " + std::to_string(extra.size()) + " values");
    if (!wanted.empty() && wanted.size() != axes)
        return bad(node, "output_shape has " + std::to_string(wanted.size()) + " values");
    for (size_t i = 0; i < axes; ++i) {
        if (extra[i] < 0 || extra[i] > kMaxExtent)
            return bad(node, "output_padding contains " + std::to_string(extra[i]));
        if (mode == "VALID") w.padBefore[i] = w.padAfter[i] = 0;
        const int64_t full = w.stride[i] * (spatial[i] - 1) + extra[i] + (w.kernel[i] - 1) * w.dilation[i] + 1;
        if (!wanted.empty() || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
            const int64_t out = wanted.empty() ? spatial[i] * w.stride[i] : wanted[i];
            // ONNX: for output_shape, SAME_UPPER puts the odd one after; everything else before
            splitPad(mode == "SAME_UPPER" ? "SAME_UPPER" : "SAME_LOWER", full - out, w.padBefore[i], w.padAfter[i]);
            if (full < out) w.padAfter[i] = full - out;
            w.output.push_back(out);
        } else {
            w.output.push_back(full - w.padBefore[i] - w.padAfter[i]);
        }
        if (w.output.back() < 0)
            return bad(node, "the output would have the negative extent " + std::to_string(w.output.back()));
    }
    return w;
}

}  // namespace fettle::ops
