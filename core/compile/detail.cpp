// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/detail.h"

#include <algorithm>

namespace fettle::compile {

using graph::Graph;
using graph::Group;
using graph::Node;
using graph::Shape;

namespace {

const Shape& shapeOf(const Graph& graph, graph::ValueId id) {
    return graph.values[static_cast<size_t>(id)].type.shape;
}

// "3x3"; a list of equal numbers, "2", when `squash`.
std::string times(const std::vector<int64_t>& values, bool squash) {
    const bool equal = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    if (squash && equal && !values.empty()) return std::to_string(values[0]);
    std::string text;
    for (int64_t value : values) text += (text.empty() ? "" : "x") + std::to_string(value);
    return text;
}

std::string windowText(const Node& node, const std::vector<int64_t>& kernel) {
    std::string text = times(kernel, false);
    text += ", stride " + times(node.intsOr("strides", std::vector<int64_t>(kernel.size(), 1)), true);
    const std::string automatic = node.stringOr("auto_pad", "NOTSET");
    if (automatic.starts_with("SAME"))
        text += ", pad same";
    else if (automatic == "NOTSET")
        text += ", pad " + times(node.intsOr("pads", std::vector<int64_t>(2 * kernel.size(), 0)), true);
    const std::vector<int64_t> dilations = node.intsOr("dilations", {});
    if (std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; }))
        text += ", dilation " + times(dilations, true);
    return text;
}

std::string convText(const Graph& graph, const Node& node) {
    const Shape& weights = shapeOf(graph, node.inputs[1]);
    const std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
    const int64_t groups = node.intOr("group", 1);
    const int64_t in = shapeOf(graph, node.inputs[0])[1], out = shapeOf(graph, node.outputs[0])[1];
    if (groups == out && groups == in && groups > 1) return "Depthwise " + windowText(node, kernel);
    std::string text = node.op == "ConvTranspose" ? "Transposed " : "";
    text += windowText(node, kernel) + ", " + std::to_string(in) + " to " + std::to_string(out) + " channels";
    return groups > 1 ? text + ", " + std::to_string(groups) + " groups" : text;
}

std::string matmulText(const Graph& graph, const Node& node) {
    const Shape& a = shapeOf(graph, node.inputs[0]);
    const Shape& out = shapeOf(graph, node.outputs[0]);
    const int64_t n = out.empty() ? 1 : out.back();
    const int64_t k = node.op == "Gemm" && node.intOr("transA", 0) != 0 ? a[0] : a.back();
    return std::to_string(n == 0 ? 0 : graph::elementCount(out) / n) + "x" + std::to_string(n) + "x" +
           std::to_string(k) + " (MxNxK)";
}

}  // namespace

std::string detailText(const Graph& graph, const Group& group) {
    const Node& node = graph.nodes[static_cast<size_t>(group.anchor >= 0 ? group.anchor : group.nodes.front())];
    if (node.domain.empty() && (node.op == "Conv" || node.op == "ConvTranspose")) return convText(graph, node);
    if (node.domain.empty() && (node.op == "MatMul" || node.op == "Gemm")) return matmulText(graph, node);
    if (node.domain.empty() && (node.op == "MaxPool" || node.op == "AveragePool"))
        return windowText(node, node.intsOr("kernel_shape", {}));
    return times(shapeOf(graph, node.outputs[0]), false);
}

std::string groupPath(const Graph& graph, const Group& group) {
    const Node& node = graph.nodes[static_cast<size_t>(group.anchor >= 0 ? group.anchor : group.nodes.front())];
    const size_t first = node.name.find_first_not_of('/'), last = node.name.rfind('/');
    if (first == std::string::npos || last == std::string::npos || last <= first) return {};
    return node.name.substr(first, last - first);
}

}  // namespace fettle::compile
