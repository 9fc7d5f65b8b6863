// SPDX-License-Identifier: GPL-3.0-or-later
// The spans of a profile as a tree of whole nanoseconds, ready to be laid out. No Qt in here.
//
// Nodes lie level by level, siblings side by side, in the order in which they are drawn: the nodes of one level are
// sorted by start, and the children of a node are one range. A child is placed from its parent's start by the sum of
// its elder siblings, so that children never leave their parent; what is left at the right is the parent's own time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/compile/model.h"

namespace fettle::ui {

enum class SpanRole : uint8_t { Model, Section, Operator, Stage };
enum class FlameOrder { Time, Cost };

struct FlameNode {
    std::string name, path;
    SpanRole role = SpanRole::Model;
    graph::OpKind kind = graph::OpKind::Other;
    int parent = -1, depth = 0;
    int firstChild = 0, childCount = 0;
    int group = -1, task = -1;     // as in compile::Span
    int occurrences = 1;           // spans that were merged into this one
    int64_t startNs = 0;           // as placed
    int64_t durationNs = 0;        // at least the sum of the children
    int64_t selfNs = 0;            // durationNs less the children
    int64_t minNs = 0, maxNs = 0;  // over runs
    double flops = 0, bytes = 0;

    int64_t endNs() const { return startNs + durationNs; }
    // Half of what the runs differ by, as a share of the duration; 0 when unknown.
    double spread() const {
        return durationNs > 0 && maxNs >= minNs ? double(maxNs - minNs) / 2 / double(durationNs) : 0;
    }
};

struct FlameTree {
    std::vector<FlameNode> nodes;
    std::vector<int> levels;  // index of each level's first node, and the number of nodes last
    int runs = 0;
    double spread = 0;  // of whole runs

    bool empty() const { return nodes.empty(); }
    int depth() const { return levels.empty() ? 0 : static_cast<int>(levels.size()) - 1; }
    int64_t totalNs() const { return nodes.empty() ? 0 : nodes[0].durationNs; }
};

// One run, as measured: model > sections of the nodes' names > operators > stages.
FlameTree runTree(const compile::Profile& profile, FlameOrder order);

// The same spans with equal tasks merged and sorted by cost: model > class of operator > task > stages. `classOf` names
// the class of a task ("Convolution 1x1", "Depthwise"); it may be empty, then the class is the kind.
FlameTree aggregateTree(const compile::Profile& profile, const std::function<std::string(int task)>& classOf);

struct FlameMatch {
    std::vector<bool> matched;  // by node
    int count = 0;              // matching nodes
    int64_t totalNs = 0;        // of the outermost ones: what matches inside a match is not counted twice
};
FlameMatch findSpans(const FlameTree& tree, const std::function<bool(const FlameNode&)>& wanted);

// The node of `in` with the same names (and group) from the root down; of a path that is only partly there, the last
// that is. 0 is the root.
int sameNode(const FlameTree& from, int node, const FlameTree& in);

}  // namespace fettle::ui
