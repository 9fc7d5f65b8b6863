// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

namespace fettle::ui {

namespace {

// A node before it is placed; children in order of time.
struct Draft {
    FlameNode node;
    int64_t begin = 0;
    std::vector<int> children;
};

int64_t wholeNs(double ns) {
    return std::isfinite(ns) && ns > 0 ? std::llround(ns) : 0;
}

// Durations from the leaves up: a parent lasts at least as long as its children together.
void settleDurations(std::vector<Draft>& drafts, int root) {
    std::vector<int> order = {root};
    for (size_t i = 0; i < order.size(); ++i)
        order.insert(order.end(), drafts[order[i]].children.begin(), drafts[order[i]].children.end());
    for (size_t i = order.size(); i-- > 0;) {
        Draft& draft = drafts[order[i]];
        int64_t children = 0;
        for (int child : draft.children) children += drafts[child].node.durationNs;
        draft.node.durationNs = std::max(draft.node.durationNs, children);
        draft.node.selfNs = draft.node.durationNs - children;
    }
}

FlameTree place(std::vector<Draft> drafts, int root, FlameOrder order) {
    settleDurations(drafts, root);
    FlameTree tree;
    std::vector<int> level = {root}, parents = {-1};
    for (int depth = 0; !level.empty(); ++depth) {
        tree.levels.push_back(static_cast<int>(tree.nodes.size()));
        std::vector<int> next, nextParents;
        for (size_t i = 0; i < level.size(); ++i) {
            Draft& draft = drafts[level[i]];
            auto& children = draft.children;
            std::ranges::stable_sort(children, [&](int a, int b) {
                return order == FlameOrder::Cost ? drafts[a].node.durationNs > drafts[b].node.durationNs
                                                 : drafts[a].begin < drafts[b].begin;
            });
            FlameNode node = std::move(draft.node);
            node.depth = depth;
            node.parent = parents[i];
            node.childCount = static_cast<int>(children.size());
            if (node.parent >= 0) {
                // The parent is placed; its earlier children are the nodes just before this one.
                FlameNode& parent = tree.nodes[node.parent];
                const int self = static_cast<int>(tree.nodes.size());
                if (parent.firstChild == 0) parent.firstChild = self;
                node.startNs = self == parent.firstChild ? parent.startNs : tree.nodes.back().endNs();
            }
            const int index = static_cast<int>(tree.nodes.size());
            for (int child : children) {
                next.push_back(child);
                nextParents.push_back(index);
            }
            tree.nodes.push_back(std::move(node));
        }
        level = std::move(next);
        parents = std::move(nextParents);
    }
    tree.levels.push_back(static_cast<int>(tree.nodes.size()));
    return tree;
}

SpanRole roleOf(const compile::Profile& profile, const compile::Span& span) {
    if (span.parent < 0) return SpanRole::Model;
    if (span.group < 0) return SpanRole::Section;
    return profile.spans[span.parent].group == span.group ? SpanRole::Stage : SpanRole::Operator;
}

FlameNode nodeOf(const compile::Profile& profile, const compile::Span& span) {
    FlameNode node;
    node.name = span.name;
    node.path = span.path;
    node.role = roleOf(profile, span);
    node.kind = span.kind;
    node.group = span.group;
    node.task = span.task;
    node.durationNs = wholeNs(span.durationNs);
    node.minNs = wholeNs(span.minNs);
    node.maxNs = wholeNs(span.maxNs);
    node.flops = span.flops;
    node.bytes = span.bytes;
    return node;
}

void finish(FlameTree& tree, const compile::Profile& profile) {
    tree.runs = profile.runs;
    tree.spread = profile.spread;
}

// Adds what `from` measured to `into`.
void merge(FlameNode& into, const FlameNode& from) {
    into.durationNs += from.durationNs;
    into.minNs += from.minNs;
    into.maxNs += from.maxNs;
    into.flops += from.flops;
    into.bytes += from.bytes;
    ++into.occurrences;
}

// Finds or makes the child of `parent` that is known by `key`.
class Merger {
public:
    explicit Merger(std::vector<Draft>& drafts) : drafts_(drafts) {}

    int add(int parent, const std::string& key, FlameNode node) {
        auto [place, isNew] = known_.try_emplace({parent, key}, static_cast<int>(drafts_.size()));
        if (isNew) {
            drafts_.push_back({std::move(node), 0, {}});
            drafts_[parent].children.push_back(place->second);
        } else {
            merge(drafts_[place->second].node, node);
        }
        return place->second;
    }

private:
    std::vector<Draft>& drafts_;
    std::map<std::pair<int, std::string>, int> known_;
};

int rootOf(const compile::Profile& profile) {
    for (size_t i = 0; i < profile.spans.size(); ++i)
        if (profile.spans[i].parent < 0) return static_cast<int>(i);
    return -1;
}

}  // namespace

FlameTree runTree(const compile::Profile& profile, FlameOrder order) {
    const int root = rootOf(profile);
    if (root < 0) return {};
    std::vector<Draft> drafts;
    for (const compile::Span& span : profile.spans) {
        drafts.push_back({nodeOf(profile, span), wholeNs(span.startNs), {}});
        if (span.parent >= 0) drafts[span.parent].children.push_back(static_cast<int>(drafts.size()) - 1);
    }
    FlameTree tree = place(std::move(drafts), root, order);
    finish(tree, profile);
    return tree;
}

FlameTree aggregateTree(const compile::Profile& profile, const std::function<std::string(int task)>& classOf) {
    const int root = rootOf(profile);
    if (root < 0) return {};
    std::vector<Draft> drafts = {{nodeOf(profile, profile.spans[root]), 0, {}}};
    Merger merger(drafts);
    std::vector<int> placeOf(profile.spans.size(), 0);
    for (size_t i = 0; i < profile.spans.size(); ++i) {
        const compile::Span& span = profile.spans[i];
        FlameNode node = nodeOf(profile, span);
        if (node.role == SpanRole::Operator) {
            std::string name = classOf && span.task >= 0 ? classOf(span.task) : "";
            FlameNode classNode = node;
            classNode.role = SpanRole::Section;
            classNode.name = name.empty() ? graph::kindName(span.kind) : name;
            if (!classNode.name.empty()) classNode.name[0] = static_cast<char>(std::toupper(classNode.name[0]));
            classNode.path.clear();
            classNode.group = classNode.task = -1;
            const int parent = merger.add(0, classNode.name, classNode);
            const std::string key = span.task >= 0 ? "t" + std::to_string(span.task) : "g" + std::to_string(span.group);
            placeOf[i] = merger.add(parent, key, std::move(node));
        } else if (node.role == SpanRole::Stage) {
            const std::string key = node.name;
            placeOf[i] = merger.add(placeOf[span.parent], key, std::move(node));
        }
    }
    FlameTree tree = place(std::move(drafts), 0, FlameOrder::Cost);
    finish(tree, profile);
    return tree;
}

FlameMatch findSpans(const FlameTree& tree, const std::function<bool(const FlameNode&)>& wanted) {
    FlameMatch match;
    match.matched.assign(tree.nodes.size(), false);
    std::vector<bool> inside(tree.nodes.size(), false);  // this node or one above it matches
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        const bool covered = node.parent >= 0 && inside[node.parent];
        match.matched[i] = wanted(node);
        inside[i] = covered || match.matched[i];
        if (!match.matched[i]) continue;
        ++match.count;
        if (!covered) match.totalNs += node.durationNs;
    }
    return match;
}

int sameNode(const FlameTree& from, int node, const FlameTree& in) {
    if (from.empty() || in.empty()) return 0;
    std::vector<const FlameNode*> path;
    for (int at = node; at > 0; at = from.nodes[at].parent) path.push_back(&from.nodes[at]);
    int found = 0;
    for (auto wanted = path.rbegin(); wanted != path.rend(); ++wanted) {
        const FlameNode& above = in.nodes[found];
        int next = 0;
        for (int child = above.firstChild; child < above.firstChild + above.childCount && !next; ++child)
            if (in.nodes[child].name == (*wanted)->name && in.nodes[child].group == (*wanted)->group) next = child;
        if (!next) return found;
        found = next;
    }
    return found;
}

}  // namespace fettle::ui
