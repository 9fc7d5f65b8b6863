// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/views.h"

#include <algorithm>

namespace fettle::compile {

using graph::Graph;
using graph::Group;
using graph::Node;
using graph::ValueId;

View Views::root(ValueId id) const {
    View result{id, 0};
    for (auto found = parent.find(id); found != parent.end(); found = parent.find(result.value))
        result = {found->second.value, result.offset + found->second.offset};
    return result;
}

namespace {

class Finder {
public:
    explicit Finder(const graph::FusedGraph& fused) : graph_(fused.graph), groups_(fused.groups) {
        views_.skipped.assign(groups_.size(), false);
    }

    // Later groups first, so that a part of a concat that is itself a concat finds its whole already placed.
    Views run() {
        for (size_t g = groups_.size(); g-- > 0;) {
            const Group& group = groups_[g];
            if (group.outputs.size() != 1) continue;
            views_.skipped[g] = asReshape(group) || asConcat(group);
        }
        return std::move(views_);
    }

private:
    const graph::TensorType& type(ValueId id) const { return graph_.values[static_cast<size_t>(id)].type; }
    const Node& node(graph::NodeId id) const { return graph_.nodes[static_cast<size_t>(id)]; }

    bool contains(const std::vector<ValueId>& list, ValueId id) const {
        return std::find(list.begin(), list.end(), id) != list.end();
    }

    // Storage that this plan chooses: not the caller's, not a constant, not yet inside another value.
    bool isOwn(ValueId id) const {
        return !graph_.isConstant(id) && !contains(graph_.inputs, id) && !contains(graph_.outputs, id);
    }
    bool isFree(ValueId id) const { return isOwn(id) && !views_.parent.contains(id); }

    bool asReshape(const Group& group) {
        static const char* const kOps[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
        for (graph::NodeId id : group.nodes)
            if (std::none_of(std::begin(kOps), std::end(kOps), [&](const char* op) { return node(id).op == op; }))
                return false;
        if (group.inputs.size() != 1) return false;
        const ValueId in = group.inputs[0], out = group.outputs[0];
        if (!type(in).layout.plain() || !type(out).layout.plain()) return false;
        if (isFree(out) && !graph_.isConstant(in)) {
            views_.parent[out] = {in, 0};
            return true;
        }
        if (isFree(in) && readersOnlyBefore(in)) {
            views_.parent[in] = {out, 0};
            return true;
        }
        return false;
    }

    // Nobody but one group reads it, so that it may move into what that group makes.
    bool readersOnlyBefore(ValueId id) const {
        size_t readers = 0;
        for (const Group& group : groups_) readers += contains(group.inputs, id);
        return readers == 1;
    }

    // The part's bytes are one run inside the whole: nothing but extents of 1 before the concatenated dimension.
    bool isRun(const graph::TensorType& part, const graph::TensorType& whole, size_t axis) const {
        if (!(part.layout == whole.layout)) return false;
        const graph::Layout& layout = whole.layout;
        if (!layout.order.empty() || part.dtype != whole.dtype) return false;
        const auto halo = [&](size_t d) {
            return (layout.haloBefore.empty() ? 0 : layout.haloBefore[d]) +
                   (layout.haloAfter.empty() ? 0 : layout.haloAfter[d]);
        };
        if (halo(axis) != 0) return false;
        for (size_t d = 0; d < axis; ++d)
            if (whole.shape[d] + halo(d) != 1) return false;
        return true;
    }

    bool asConcat(const Group& group) {
        if (group.nodes.size() != 1 || node(group.nodes[0]).op != "Concat") return false;
        const Node& concat = node(group.nodes[0]);
        const ValueId out = group.outputs[0];
        if (!isOwn(out)) return false;
        const auto rank = static_cast<int64_t>(type(out).shape.size());
        const int64_t given = concat.intOr("axis", 0);
        const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
        int64_t block = 1;
        for (const graph::Layout::Block& b : type(out).layout.blocks)
            if (b.axis == static_cast<int>(axis)) block = b.size;
        std::vector<View> parts;
        int64_t offset = 0;
        for (size_t i = 0; i < concat.inputs.size(); ++i) {
            const ValueId in = concat.inputs[i];
            const bool last = i + 1 == concat.inputs.size();
            if (!isFree(in) || std::count(concat.inputs.begin(), concat.inputs.end(), in) != 1) return false;
            if (!isRun(type(in), type(out), axis) || offset % 64 != 0) return false;
            if (!last && type(in).shape[axis] % block != 0) return false;
            parts.push_back({out, offset});
            offset += graph::physicalBytes(type(in));
        }
        for (size_t i = 0; i < parts.size(); ++i) views_.parent[concat.inputs[i]] = parts[i];
        return true;
    }

    const Graph& graph_;
    const std::vector<Group>& groups_;
    Views views_;
};

}  // namespace

Views findViews(const graph::FusedGraph& fused) {
    return Finder(fused).run();
}

}  // namespace fettle::compile
