// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts. Values between convolutions, pools and the maps around them are blocked over channels (NCHW{lanes}c);
// values that padded convolutions read carry their padding as a halo of zeros; constant weights are packed the way
// their reader walks them. Every operator reads logical coordinates, so no reorder is needed in between: they stand
// only at the edges (graph outputs, and inputs that need a halo).
#include <algorithm>
#include <map>
#include <set>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"
#include "core/graph/passes_window.h"

namespace fettle::graph {

namespace {

class LayoutChooser {
public:
    LayoutChooser(Graph& graph, const OpTraits& traits, const PassOptions& options)
        : graph_(graph), traits_(traits), lanes_(options.lanes) {}

    void run() {
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) blockOutputs(node(id));
        blockForDepthwise();
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) packWeights(node(id));
        addHalos();
        reorderOutputs();
        sortNodes(graph_);
    }

private:
    Node& node(NodeId id) { return graph_.nodes[static_cast<size_t>(id)]; }
    const TensorType& type(ValueId id) const { return valueOf(graph_, id).type; }

    // A feature map: [N, C, spatial...], float32.
    bool isMap(ValueId id) const {
        return id != kNone && type(id).dtype == DType::Float32 && type(id).shape.size() >= 3 &&
               type(id).shape.size() <= 5;
    }
    bool isBlocked(ValueId id) const { return id != kNone && !type(id).layout.blocks.empty(); }
    void block(ValueId id) { valueOf(graph_, id).type.layout.blocks = {{1, lanes_}}; }

    struct ConvShape {
        int64_t groups, outputs, inputsPerGroup;
        bool depthwise() const { return groups == outputs && inputsPerGroup == 1 && groups > 1; }
    };
    ConvShape convShape(const Node& conv) const {
        const Shape& weights = type(conv.inputs[1]).shape;
        const int64_t groups = conv.intOr("group", 1);
        if (conv.op == "ConvTranspose") return {groups, weights[1] * groups, weights[0] / groups};
        return {groups, weights[0], weights[1]};
    }

    // Wide enough that full vectors of channels pay.
    bool wide(int64_t channels) const { return lanes_ > 1 && 2 * channels >= lanes_; }

    bool convBlocksOutput(const Node& conv) const {
        const ConvShape shape = convShape(conv);
        if (!isMap(conv.outputs[0]) || lanes_ <= 1) return false;
        if (shape.groups > 1 && !shape.depthwise()) return (shape.outputs / shape.groups) % lanes_ == 0;
        return wide(shape.outputs) || (isBlocked(conv.inputs[0]) && 4 * shape.outputs >= lanes_);
    }

    // Concat over channels keeps blocks whole only when every part starts at a block.
    bool concatBlocksOutput(const Node& concat) const {
        const int64_t axis = concat.intOr("axis", 0);
        const bool channels = axis == 1 || axis + static_cast<int64_t>(type(concat.outputs[0]).shape.size()) == 1;
        for (size_t i = 0; i < concat.inputs.size(); ++i) {
            if (!isBlocked(concat.inputs[i])) return false;
            const bool last = i + 1 == concat.inputs.size();
            if (channels && !last && type(concat.inputs[i]).shape[1] % lanes_ != 0) return false;
        }
        return true;
    }

    void blockOutputs(const Node& node) {
        if (!node.domain.empty() || node.outputs.empty() || !isMap(node.outputs[0])) return;
        const ValueId out = node.outputs[0];
        const size_t rank = type(out).shape.size();
        bool blocked = false;
        if (node.op == "Conv" || node.op == "ConvTranspose") {
            blocked = convBlocksOutput(node);
        } else if (node.op == "Concat") {
            blocked = concatBlocksOutput(node);
        } else if (node.op == "MaxPool" || node.op == "AveragePool" || node.op == "Resize" || node.op == "Upsample" ||
                   node.op == "BatchNormalization" || (node.op == "Pad" && rank >= 4)) {
            blocked = isBlocked(node.inputs[0]);
        } else if (traits_.fusion(node) == 1) {
            for (ValueId in : node.inputs)
                blocked |= isBlocked(in) && type(in).shape.size() == rank && type(in).shape[1] == type(out).shape[1];
        }
        if (blocked) block(out);
    }

    // A depthwise convolution wants lanes over channels even where its input comes from a movement.
    void blockForDepthwise() {
        for (const Node& conv : graph_.nodes) {
            if (!conv.domain.empty() || conv.op != "Conv" || !convShape(conv).depthwise() ||
                !isBlocked(conv.outputs[0]))
                continue;
            const ValueId in = conv.inputs[0];
            if (producerIdOf(graph_, in) >= 0 && isMap(in) && !isOutput(graph_, in)) block(in);
        }
    }

    // The same constant in another layout; made once per (value, layout).
    ValueId packed(ValueId id, const Layout& layout) {
        if (layout.plain()) return id;
        const auto key = std::pair(id, layoutText(layout));
        if (const auto found = packed_.find(key); found != packed_.end()) return found->second;
        const Tensor tensor = relayout(*valueOf(graph_, id).constant, layout);
        return packed_[key] = addConstant(graph_, valueOf(graph_, id).name + ".packed", tensor);
    }

    void packWeights(Node& node) {
        if (!node.domain.empty() || node.inputs.size() < 2 || !graph_.isConstant(node.inputs[1]) || lanes_ <= 1) return;
        const TensorType& weights = type(node.inputs[1]);
        if (weights.dtype != DType::Float32 || elementCount(weights.shape) <= 1) return;
        Layout layout;
        if (node.op == "Conv" && isBlocked(node.outputs[0])) {
            if (convShape(node).inputsPerGroup > 1 && isBlocked(node.inputs[0]) && node.intOr("group", 1) == 1)
                layout.blocks.push_back({1, lanes_});
            layout.blocks.push_back({0, lanes_});
        } else if (node.op == "ConvTranspose" && isBlocked(node.outputs[0]) && node.intOr("group", 1) == 1) {
            layout.blocks.push_back({1, lanes_});
        } else if ((node.op == "MatMul" || (node.op == "Gemm" && node.intOr("transB", 0) == 0)) &&
                   weights.shape.size() == 2 && wide(weights.shape[1])) {
            layout.order = {1, 0};
            layout.blocks = {{1, lanes_}};
        }
        node.inputs[1] = packed(node.inputs[1], layout);
    }

    void addHalos() {
        std::map<ValueId, Layout> needs;
        for (const Node& conv : graph_.nodes) {
            if (!conv.domain.empty() || conv.op != "Conv" || !isMap(conv.inputs[0])) continue;
            const std::vector<Reach> reach = windowReach(graph_, conv);
            if (std::none_of(reach.begin(), reach.end(), [](const Reach& r) { return r.before > 0 || r.after > 0; }))
                continue;
            Layout& layout = needs[conv.inputs[0]];
            layout.haloBefore.resize(type(conv.inputs[0]).shape.size(), 0);
            layout.haloAfter.resize(type(conv.inputs[0]).shape.size(), 0);
            for (size_t d = 0; d < reach.size(); ++d) {
                layout.haloBefore[2 + d] = std::max(layout.haloBefore[2 + d], reach[d].before);
                layout.haloAfter[2 + d] = std::max(layout.haloAfter[2 + d], reach[d].after);
            }
        }
        shareThroughConcat(needs);
        for (const auto& [id, halo] : needs) {
            if (producerIdOf(graph_, id) < 0) {
                reorderInput(id, halo);
                continue;
            }
            valueOf(graph_, id).type.layout.haloBefore = halo.haloBefore;
            valueOf(graph_, id).type.layout.haloAfter = halo.haloAfter;
        }
    }

    // The parts of a concat get the halo of the whole and of each other: they can then be views into it.
    void shareThroughConcat(std::map<ValueId, Layout>& needs) const {
        const auto widen = [](std::vector<int64_t>& a, const std::vector<int64_t>& b) {
            a.resize(b.size(), 0);
            for (size_t d = 0; d < b.size(); ++d) a[d] = std::max(a[d], b[d]);
        };
        for (size_t n = graph_.nodes.size(); n-- > 0;) {
            const Node& concat = graph_.nodes[n];
            if (!concat.domain.empty() || concat.op != "Concat" || !isBlocked(concat.outputs[0])) continue;
            const auto whole = needs.find(concat.outputs[0]);
            if (whole == needs.end()) continue;
            const Layout halo = whole->second;
            for (ValueId part : concat.inputs) {
                if (producerIdOf(graph_, part) < 0 || !isBlocked(part)) continue;
                widen(needs[part].haloBefore, halo.haloBefore);
                widen(needs[part].haloAfter, halo.haloAfter);
            }
        }
    }

    Node reorder(ValueId from, ValueId to) const {
        Node node;
        const graph::NodeId producer = valueOf(graph_, from).producer;
        node.name = "reorder." + valueOf(graph_, from).name;
        if (producer >= 0) node.label = "reorder." + displayName(graph_.nodes[static_cast<size_t>(producer)]);
        node.op = "fettle.Reorder";
        node.domain = "fettle";
        node.opset = 1;
        node.inputs = {from};
        node.outputs = {to};
        return node;
    }

    // A graph input stays plain; its convolutions read a copy with a border.
    void reorderInput(ValueId id, const Layout& halo) {
        if (graph_.isConstant(id)) return;
        Value copy;
        copy.name = valueOf(graph_, id).name + ".halo";
        copy.type = type(id);
        copy.type.layout = halo;
        const ValueId to = graph_.addValue(std::move(copy));
        for (Node& node : graph_.nodes)
            if (node.domain.empty() && node.op == "Conv" && node.inputs[0] == id && readsOutside(node))
                node.inputs[0] = to;
        graph_.nodes.push_back(reorder(id, to));
    }

    bool readsOutside(const Node& conv) const {
        const std::vector<Reach> reach = windowReach(graph_, conv);
        return std::any_of(reach.begin(), reach.end(), [](const Reach& r) { return r.before > 0 || r.after > 0; });
    }

    void reorderOutputs() {
        for (ValueId out : graph_.outputs) {
            if (type(out).layout.plain()) continue;
            Value inner = valueOf(graph_, out);
            inner.name += ".blocked";
            const ValueId made = graph_.addValue(std::move(inner));
            replaceUses(graph_, out, made);
            for (Node& node : graph_.nodes)
                for (ValueId& output : node.outputs)
                    if (output == out) output = made;
            valueOf(graph_, out).type.layout = {};
            graph_.nodes.push_back(reorder(made, out));
        }
    }

    Graph& graph_;
    const OpTraits& traits_;
    const int64_t lanes_;
    std::map<std::pair<ValueId, std::string>, ValueId> packed_;
};

}  // namespace

Result<Graph> chooseLayouts(Graph graph, const OpTraits& traits, const PassOptions& options) {
    LayoutChooser(graph, traits, options).run();
    return graph;
}

}  // namespace fettle::graph
