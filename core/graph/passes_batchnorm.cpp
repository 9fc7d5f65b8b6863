// SPDX-License-Identifier: GPL-3.0-or-later
// BatchNormalization at inference is a scale and a shift per channel: both go into the weights before it.
#include <cmath>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

struct Affine {
    std::vector<double> scale, shift;  // y = x * scale + shift, per channel
};

std::optional<Affine> affineOf(const Graph& graph, const Node& norm) {
    for (size_t i = 1; i < 5; ++i)
        if (i >= norm.inputs.size() || !graph.isConstant(norm.inputs[i])) return std::nullopt;
    const auto values = [&](size_t i) { return toDoubles(*valueOf(graph, norm.inputs[i]).constant); };
    const std::vector<double> gamma = values(1), beta = values(2), mean = values(3), variance = values(4);
    const double epsilon = static_cast<double>(norm.floatOr("epsilon", 1e-5f));
    Affine affine;
    for (size_t c = 0; c < gamma.size(); ++c) {
        affine.scale.push_back(gamma[c] / std::sqrt(variance[c] + epsilon));
        affine.shift.push_back(beta[c] - mean[c] * affine.scale[c]);
    }
    return affine;
}

// Which dimension of the weights is the output channel; -1 when this node cannot take the scale.
int channelDimension(const Graph& graph, const Node& node) {
    if (!node.domain.empty() || node.inputs.size() < 2 || !graph.isConstant(node.inputs[1])) return -1;
    if (node.inputs.size() > 2 && node.inputs[2] != kNone && !graph.isConstant(node.inputs[2])) return -1;
    if (node.op == "Conv") return 0;
    if (node.op == "ConvTranspose" && node.intOr("group", 1) == 1) return 1;
    if (node.op == "Gemm" && node.floatOr("alpha", 1) == 1 && node.floatOr("beta", 1) == 1)
        return node.intOr("transB", 0) != 0 ? 0 : 1;
    return -1;
}

Tensor scaledAlong(const Tensor& tensor, size_t dimension, const std::vector<double>& scale) {
    std::vector<double> values = toDoubles(tensor);
    size_t inner = 1;
    for (size_t d = dimension + 1; d < tensor.type.shape.size(); ++d)
        inner *= static_cast<size_t>(tensor.type.shape[d]);
    for (size_t i = 0; i < values.size(); ++i) values[i] *= scale[i / inner % scale.size()];
    return fromDoubles(tensor.type.dtype, tensor.type.shape, values);
}

// The bias of the node as one number per channel.
std::optional<std::vector<double>> biasOf(const Graph& graph, const Node& node, size_t channels) {
    if (node.inputs.size() < 3 || node.inputs[2] == kNone) return std::vector<double>(channels, 0);
    const Value& bias = valueOf(graph, node.inputs[2]);
    std::vector<double> values = toDoubles(*bias.constant);
    if (values.size() == 1) values.assign(channels, values[0]);
    if (values.size() != channels || bias.type.shape.empty() ||
        (bias.type.shape.back() != static_cast<int64_t>(channels) && channels != 1))
        return std::nullopt;
    return values;
}

bool foldInto(Graph& graph, Node& node, const Affine& affine) {
    const int dimension = channelDimension(graph, node);
    if (dimension < 0) return false;
    const Value weights = valueOf(graph, node.inputs[1]);
    const auto channels = static_cast<size_t>(weights.type.shape[static_cast<size_t>(dimension)]);
    if (channels != affine.scale.size()) return false;
    std::optional<std::vector<double>> bias = biasOf(graph, node, channels);
    if (!bias) return false;
    for (size_t c = 0; c < channels; ++c) (*bias)[c] = (*bias)[c] * affine.scale[c] + affine.shift[c];
    const Tensor scaled = scaledAlong(*weights.constant, static_cast<size_t>(dimension), affine.scale);
    node.inputs.resize(3, kNone);
    node.inputs[1] = addConstant(graph, weights.name + ".bn", scaled);
    node.inputs[2] = addConstant(graph, weights.name + ".bn.bias",
                                 fromDoubles(weights.type.dtype, {static_cast<int64_t>(channels)}, *bias));
    return true;
}

}  // namespace

Result<Graph> foldBatchNorm(Graph graph) {
    const auto consumers = graph.consumers();
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& norm = graph.nodes[static_cast<size_t>(id)];
        if (!norm.domain.empty() || norm.op != "BatchNormalization" || norm.intOr("training_mode", 0) != 0) continue;
        const ValueId in = norm.inputs[0];
        const NodeId before = producerIdOf(graph, in);
        if (before < 0 || isOutput(graph, in) || consumers[static_cast<size_t>(in)].size() != 1) continue;
        const auto affine = affineOf(graph, norm);
        if (!affine || !foldInto(graph, graph.nodes[static_cast<size_t>(before)], *affine)) continue;
        bypass(graph, id, in);
    }
    compact(graph);
    return graph;
}

}  // namespace fettle::graph
