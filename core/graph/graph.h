// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a model: nodes and values in arenas, value semantics. Passes are functions Graph -> Result<Graph>.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/graph/tensor.h"
#include "core/support/error.h"

namespace fettle::graph {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr ValueId kNone = -1;  // an absent optional input

struct Graph;

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                               std::vector<std::string>, Tensor, std::shared_ptr<const Graph>>;

struct Node {
    std::string name;    // never empty after import ("Conv_12" is made up from operator and position when absent)
    std::string label;   // what tables and charts show: "Conv_12" for "/features/features.2/conv/Conv"; empty: the name
    std::string op;      // ONNX operator name; ours are "fettle.Reorder" and the like
    std::string domain;  // "" for ai.onnx
    int opset = 0;       // opset version of its domain that the model imports; semantics follow it
    std::vector<ValueId> inputs, outputs;
    std::map<std::string, Attribute> attributes;

    int64_t intOr(const std::string& key, int64_t fallback) const;
    float floatOr(const std::string& key, float fallback) const;
    std::string stringOr(const std::string& key, std::string fallback) const;
    std::vector<int64_t> intsOr(const std::string& key, std::vector<int64_t> fallback) const;
};

// The label, or the name when there is none.
const std::string& displayName(const Node& node);

struct Value {
    std::string name;
    TensorType type;                 // complete after import
    NodeId producer = -1;            // -1: graph input or constant
    std::optional<Tensor> constant;  // set for initialisers and folded values
};

struct Graph {
    std::string name;
    std::vector<Node> nodes;  // in topological order; passes keep it so
    std::vector<Value> values;
    std::vector<ValueId> inputs, outputs;  // inputs without initialisers that have a value

    ValueId addValue(Value value);
    bool isConstant(ValueId id) const { return id >= 0 && values[id].constant.has_value(); }
    // For each value, the nodes that read it, in order (a node that reads it twice is listed once).
    std::vector<std::vector<NodeId>> consumers() const;
};

std::string print(const Graph& graph);  // deterministic text, one node a line; tests compare it

// A fused operator: nodes that run as one task. Made by the fuse pass; groups are in execution order and
// cover every node exactly once.
struct Group {
    std::vector<NodeId> nodes;     // topological order
    std::vector<ValueId> inputs;   // read from outside: activations first, then constants; each once
    std::vector<ValueId> outputs;  // read outside, or graph outputs
    NodeId anchor = -1;            // the node that dominates the cost
};

struct FusedGraph {
    Graph graph;
    std::vector<Group> groups;
};

}  // namespace fettle::graph
