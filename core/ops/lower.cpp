// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/lower.h"

#include "core/ops/lowering/lowering.h"
#include "core/ops/op.h"

namespace fettle::ops {

using graph::Graph;
using graph::Group;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

namespace {

NodeView viewOf(const Graph& graph, const Node& node) {
    NodeView view{&node, {}, {}};
    for (ValueId id : node.inputs) {
        const graph::Value* value = id == graph::kNone ? nullptr : &graph.values[static_cast<size_t>(id)];
        view.types.push_back(value ? &value->type : nullptr);
        view.constants.push_back(value && value->constant ? &*value->constant : nullptr);
    }
    return view;
}

// What a tensor is called in a program: its own name where that is short and plain, else by its part: X is read,
// W and B are constants (B of rank 1 or 0), Y is written.
std::string plainName(const graph::Value& value, loop::Role role) {
    const std::string& own = value.name;
    const bool plain = !own.empty() && own.size() <= 12 && !std::isdigit(static_cast<unsigned char>(own[0])) &&
                       std::all_of(own.begin(), own.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (plain) return own;
    if (role == loop::Role::Constant) return value.type.shape.size() > 1 ? "W" : "B";
    return role == loop::Role::Output ? "Y" : "X";
}

// "x", "x_2" ...
std::string unique(const std::string& name, std::map<std::string, int>& used) {
    const int count = ++used[name];
    return count == 1 ? name : name + "_" + std::to_string(count);
}

loop::LoopProgram declare(const Graph& graph, const Group& group) {
    loop::LoopProgram program;
    program.name = groupName(graph, group);
    std::map<std::string, int> used;
    const auto declareOne = [&](ValueId id, loop::Role role) {
        const graph::Value& value = graph.values[static_cast<size_t>(id)];
        program.tensors.push_back({unique(plainName(value, role), used), value.type, role});
    };
    for (ValueId id : group.inputs) declareOne(id, graph.isConstant(id) ? loop::Role::Constant : loop::Role::Input);
    for (ValueId id : group.outputs) declareOne(id, loop::Role::Output);
    return program;
}

// Names that say nothing about the computation.
bool isPlumbing(const Node& node) {
    static const char* const kPlumbing[] = {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Dropout"};
    return std::any_of(std::begin(kPlumbing), std::end(kPlumbing), [&](const char* op) { return node.op == op; });
}

}  // namespace

Result<loop::LoopProgram> lowerGroup(const Graph& graph, const Group& group) {
    loop::LoopProgram program = declare(graph, group);
    Lowering lowering(graph, group, program);
    for (NodeId id : group.nodes) {
        const Node& node = graph.nodes[static_cast<size_t>(id)];
        const OpRow* row = findOp(node.domain, node.op, node.opset);
        if (!row || !row->lower) return cannotLower(node, "there is no loop form of this operator");
        const NodeView view = viewOf(graph, node);
        lowering.enter(id);
        FETTLE_CHECK(row->lower(view, lowering));
    }
    joinStages(lowering.stages(), program);
    for (LoweredStage& lowered : lowering.stages()) program.stages.push_back(std::move(lowered.stage));
    program.nests = loop::defaultNests(program);
    FETTLE_CHECK(loop::validate(program));
    return program;
}

std::string groupName(const Graph& graph, const Group& group) {
    std::string text;
    const auto append = [&](const std::string& name) { text += (text.empty() ? "" : " + ") + name; };
    for (NodeId id : group.nodes)
        if (!isPlumbing(graph.nodes[static_cast<size_t>(id)]))
            append(displayName(graph.nodes[static_cast<size_t>(id)]));
    if (text.empty())
        for (NodeId id : group.nodes) append(displayName(graph.nodes[static_cast<size_t>(id)]));
    return text;
}

graph::OpKind groupKind(const Graph& graph, const Group& group) {
    const NodeId dominant = group.anchor >= 0 ? group.anchor : group.nodes.front();
    const Node& node = graph.nodes[static_cast<size_t>(dominant)];
    const OpRow* row = findOp(node.domain, node.op, node.opset);
    return row ? row->kind : graph::OpKind::Other;
}

}  // namespace fettle::ops
