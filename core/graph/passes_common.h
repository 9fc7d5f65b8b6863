// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph passes share: editing that keeps nodes sorted and producers right.
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fettle::graph {

inline Value& valueOf(Graph& graph, ValueId id) {
    return graph.values[static_cast<size_t>(id)];
}
inline const Value& valueOf(const Graph& graph, ValueId id) {
    return graph.values[static_cast<size_t>(id)];
}

bool isOutput(const Graph& graph, ValueId id);

// The node that makes the value, or null (graph input, constant, kNone).
const Node* producerOf(const Graph& graph, ValueId id);
NodeId producerIdOf(const Graph& graph, ValueId id);

ValueId addConstant(Graph& graph, const std::string& name, Tensor tensor);
ValueId addInts(Graph& graph, const std::string& name, const std::vector<int64_t>& values);

// Every reader of `from` reads `to` instead (graph outputs are left alone).
void replaceUses(Graph& graph, ValueId from, ValueId to);

// Makes node `id`, which passes `in` through to its first output, unnecessary. Graph outputs keep their names.
// False when it must stay (a graph input or constant that is also an output).
bool bypass(Graph& graph, NodeId id, ValueId in);

// Drops nodes marked dead, and with them every node whose outputs nobody reads; sets producers; frees the data of
// constants that nobody reads.
void compact(Graph& graph, std::vector<bool> dead = {});

// Nodes in topological order, ties by their present order; then compact().
void sortNodes(Graph& graph);

// One element, as a double; nothing otherwise.
std::optional<double> scalarConstant(const Graph& graph, ValueId id);

// The axes of a Reduce, Squeeze ... node: attribute or constant second input; nothing when unknown or absent.
std::optional<std::vector<int64_t>> axesOf(const Graph& graph, const Node& node);

// Reshape, Transpose and their like: one data input, one output, every element exactly once.
bool isOneToOneMove(const Node& node);
bool isReshape(const Node& node);

}  // namespace fettle::graph
