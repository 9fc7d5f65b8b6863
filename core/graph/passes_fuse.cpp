// SPDX-License-Identifier: GPL-3.0-or-later
// Fusion. A group grows downward from its seed along maps of the same shape and one-to-one movements (they become the
// epilogue), then upward over producers that only it reads (they become prologues). Exactly one value leaves a group
// of several nodes, which is why the groups can always be put in order: a circle of groups would be one of nodes.
#include <algorithm>
#include <queue>
#include <set>

#include "core/graph/passes.h"
#include "core/graph/passes_common.h"

namespace fettle::graph {

namespace {

enum Trait { kAnchor = 0, kElementwise = 1, kInjective = 2, kOpaque = 3 };

constexpr size_t kMostNodes = 24;  // of one group
constexpr size_t kLookAhead = 10;  // nodes taken on trial while several values leave the group

// Inputs that shape an operator but are not read when it runs.
bool isParameter(const Node& node, size_t input) {
    static const std::map<std::string, size_t> kFirst = {
        {"Reshape", 1},  {"Slice", 1},   {"Expand", 1},    {"Tile", 1},  {"Pad", 1},    {"Resize", 1},
        {"Upsample", 1}, {"Squeeze", 1}, {"Unsqueeze", 1}, {"Split", 1}, {"Dropout", 1}};
    if (!node.domain.empty()) return false;
    if (node.op.starts_with("Reduce")) return input >= 1;
    const auto found = kFirst.find(node.op);
    return found != kFirst.end() && input >= found->second;
}

class Fuser {
public:
    Fuser(const Graph& graph, const OpTraits& traits)
        : graph_(graph), traits_(traits), consumers_(graph.consumers()), group_(graph.nodes.size(), -1) {}

    std::vector<Group> run() {
        const auto count = static_cast<NodeId>(graph_.nodes.size());
        for (NodeId id = 0; id < count; ++id)
            if (trait(id) == kAnchor) seed(id);
        for (NodeId id = 0; id < count; ++id)
            if (group_[index(id)] < 0 && (node(id).op == "Concat" || trait(id) == kOpaque)) seed(id);
        for (size_t g = 0; g < members_.size(); ++g) absorb(g);
        for (NodeId id = 0; id < count; ++id)
            if (group_[index(id)] < 0) {
                seed(id);
                absorb(members_.size() - 1);
            }
        return ordered();
    }

private:
    static size_t index(NodeId id) { return static_cast<size_t>(id); }
    const Node& node(NodeId id) const { return graph_.nodes[index(id)]; }
    const Shape& shape(ValueId id) const { return valueOf(graph_, id).type.shape; }

    int trait(NodeId id) const {
        const Node& n = node(id);
        if (n.domain == "fettle" || !traits_.canLower(graph_, n)) return kOpaque;
        return traits_.fusion(n);
    }

    bool isFree(NodeId id) const { return group_[index(id)] < 0; }

    // Values of `nodes` that someone else reads.
    size_t leaving(const std::set<NodeId>& nodes) const {
        size_t count = 0;
        for (NodeId id : nodes)
            for (ValueId out : node(id).outputs) count += out != kNone && leaves(out, nodes);
        return count;
    }

    bool leaves(ValueId value, const std::set<NodeId>& nodes) const {
        const auto& readers = consumers_[static_cast<size_t>(value)];
        return isOutput(graph_, value) ||
               std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return !nodes.contains(reader); });
    }

    // May `id` run on the values of `nodes`, at the same points?
    bool extends(NodeId id, const std::set<NodeId>& nodes) const {
        const Node& n = node(id);
        const int kind = trait(id);
        if (kind == kElementwise) {
            for (ValueId in : n.inputs)
                if (in != kNone && nodes.contains(producerIdOf(graph_, in)) && shape(in) != shape(n.outputs[0]))
                    return false;
            return true;
        }
        return isOneToOneMove(n) && n.inputs[0] != kNone && nodes.contains(producerIdOf(graph_, n.inputs[0])) &&
               consumers_[static_cast<size_t>(n.inputs[0])].size() == 1;
    }

    NodeId nextBelow(const std::set<NodeId>& nodes) const {
        NodeId best = -1;
        for (NodeId member : nodes)
            for (ValueId out : node(member).outputs) {
                if (out == kNone) continue;
                for (NodeId reader : consumers_[static_cast<size_t>(out)])
                    if (!nodes.contains(reader) && isFree(reader) && (best < 0 || reader < best) &&
                        extends(reader, nodes))
                        best = reader;
            }
        return best;
    }

    void seed(NodeId id) {
        std::set<NodeId> nodes = {id}, best = nodes;
        const bool opaque = trait(id) == kOpaque && node(id).op != "Concat";
        const bool single = std::count_if(node(id).outputs.begin(), node(id).outputs.end(),
                                          [](ValueId out) { return out != kNone; }) == 1;
        while (!opaque && single && nodes.size() < kMostNodes && nodes.size() < best.size() + kLookAhead) {
            const NodeId next = nextBelow(nodes);
            if (next < 0) break;
            nodes.insert(next);
            if (leaving(nodes) == 1) best = nodes;
        }
        for (NodeId member : best) group_[index(member)] = static_cast<int>(members_.size());
        members_.push_back(best);
        anchors_.push_back(id);
    }

    // Reads every element of an input about once, so that a computed input may be computed on the way.
    static bool readsOnce(const Node& n) {
        return n.op == "Softmax" || n.op == "LogSoftmax" || n.op == "LayerNormalization" ||
               n.op.starts_with("Reduce") || n.op.starts_with("Global");
    }

    static bool isUnpadded(const Node& n) {
        const std::vector<int64_t> pads = n.intsOr("pads", {});
        const std::string automatic = n.stringOr("auto_pad", "NOTSET");
        return std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; }) &&
               !automatic.starts_with("SAME");
    }

    // May reader `to` read through movement `from`?
    bool readsThrough(NodeId from, NodeId to) const {
        const Node& n = node(to);
        const int kind = trait(to);
        if (kind == kElementwise || n.op == "Concat") return true;
        if (kind == kInjective) return n.op != "Pad";
        if (kind != kAnchor) return false;
        if (readsOnce(n) || n.op == "MatMul" || n.op == "Gemm") return true;
        if (n.op == "Conv") {
            const Shape& weights = shape(n.inputs[1]);
            const bool point = std::all_of(weights.begin() + 2, weights.end(), [](int64_t k) { return k == 1; });
            return point && isUnpadded(n) && n.intOr("group", 1) == 1 && node(from).op != "Pad";
        }
        return n.op.ends_with("Pool") && isUnpadded(n) && n.intOr("ceil_mode", 0) == 0;
    }

    bool absorbs(NodeId from, NodeId to) const {
        const int kind = trait(from);
        if (kind == kInjective && node(from).op != "Concat") return readsThrough(from, to);
        if (kind != kElementwise) return false;
        const int reader = trait(to);
        if (reader == kElementwise || node(to).op == "Concat") return true;
        if (reader == kInjective) return node(to).op != "Pad" && node(to).op != "Resize" && node(to).op != "Expand";
        return reader == kAnchor && readsOnce(node(to));
    }

    void absorb(size_t g) {
        std::set<NodeId>& nodes = members_[g];
        if (trait(anchors_[g]) == kOpaque && node(anchors_[g]).op != "Concat") return;
        for (bool changed = true; changed && nodes.size() < kMostNodes;) {
            changed = false;
            for (NodeId to : std::set<NodeId>(nodes))
                for (ValueId in : node(to).inputs) changed |= absorbProducer(g, producerIdOf(graph_, in), to);
        }
    }

    bool absorbProducer(size_t g, NodeId from, NodeId to) {
        std::set<NodeId>& nodes = members_[g];
        if (from < 0 || !isFree(from) || nodes.contains(from) || node(from).outputs.size() != 1) return false;
        if (leaves(node(from).outputs[0], nodes) || !absorbs(from, to)) return false;
        for (NodeId reader : consumers_[static_cast<size_t>(node(from).outputs[0])])
            if (!absorbs(from, reader)) return false;
        nodes.insert(from);
        group_[index(from)] = static_cast<int>(g);
        return true;
    }

    Group finished(size_t g) const {
        Group group;
        const std::set<NodeId>& nodes = members_[g];
        group.nodes.assign(nodes.begin(), nodes.end());
        group.anchor = anchors_[g];
        std::vector<ValueId> constants;
        std::set<ValueId> seen;
        for (NodeId id : group.nodes) {
            const Node& n = node(id);
            for (size_t i = 0; i < n.inputs.size(); ++i) {
                const ValueId in = n.inputs[i];
                if (in == kNone || nodes.contains(producerIdOf(graph_, in)) || seen.contains(in)) continue;
                const bool constant = graph_.isConstant(in);
                if (constant && (isParameter(n, i) || elementCount(shape(in)) == 1)) continue;
                seen.insert(in);
                (constant ? constants : group.inputs).push_back(in);
            }
            for (ValueId out : n.outputs)
                if (out != kNone && leaves(out, nodes)) group.outputs.push_back(out);
        }
        group.inputs.insert(group.inputs.end(), constants.begin(), constants.end());
        return group;
    }

    // Topological order of the groups; ties by their first node.
    std::vector<Group> ordered() const {
        std::vector<std::set<size_t>> next(members_.size());
        std::vector<int> waiting(members_.size(), 0);
        for (size_t n = 0; n < graph_.nodes.size(); ++n)
            for (ValueId in : graph_.nodes[n].inputs) {
                const NodeId from = producerIdOf(graph_, in);
                if (from < 0) continue;
                const auto a = static_cast<size_t>(group_[index(from)]), b = static_cast<size_t>(group_[n]);
                if (a != b && next[a].insert(b).second) ++waiting[b];
            }
        using Entry = std::pair<NodeId, size_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
        for (size_t g = 0; g < members_.size(); ++g)
            if (waiting[g] == 0) ready.emplace(*members_[g].begin(), g);
        std::vector<Group> result;
        while (!ready.empty()) {
            const size_t g = ready.top().second;
            ready.pop();
            result.push_back(finished(g));
            for (size_t reader : next[g])
                if (--waiting[reader] == 0) ready.emplace(*members_[reader].begin(), reader);
        }
        return result;
    }

    const Graph& graph_;
    const OpTraits& traits_;
    const std::vector<std::vector<NodeId>> consumers_;
    std::vector<int> group_;                 // per node, or -1
    std::vector<std::set<NodeId>> members_;  // per group
    std::vector<NodeId> anchors_;
};

}  // namespace

Result<FusedGraph> fuse(Graph graph, const OpTraits& traits) {
    std::vector<Group> groups = Fuser(graph, traits).run();
    size_t covered = 0;
    for (const Group& group : groups) covered += group.nodes.size();
    if (covered != graph.nodes.size())
        return fail(ErrorCode::Failed, "cannot order the fused operators", graph.name,
                    std::to_string(covered) + " of " + std::to_string(graph.nodes.size()) + " nodes were placed");
    return FusedGraph{std::move(graph), std::move(groups)};
}

}  // namespace fettle::graph
