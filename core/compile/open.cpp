// SPDX-License-Identifier: GPL-3.0-or-later
// Graph -> fused graph -> tasks. Groups with the same computation (structural hash) are one task.
#include <map>

#include "core/compile/detail.h"
#include "core/compile/model.h"
#include "core/graph/passes.h"
#include "core/ops/lower.h"
#include "core/ops/op.h"
#include "core/ops/traits.h"

namespace fettle::compile {

using graph::Graph;
using graph::Group;
using graph::Node;

namespace {

const ops::OpRow* rowOf(const Node& node) {
    return ops::findOp(node.domain, node.op, node.opset);
}

// Every node that has no loop form, in one error.
Status checkSupported(const Graph& graph) {
    std::string all;
    int count = 0;
    for (const Node& node : graph.nodes) {
        const ops::OpRow* row = rowOf(node);
        if (row && row->lower) continue;
        all += (count++ ? ", " : "") + node.op + " (" + node.name + ")";
    }
    if (count == 0) return {};
    return fail(ErrorCode::UnsupportedOperators, "cannot compile " + graph.name,
                std::to_string(count) + (count == 1 ? " node" : " nodes"), "no loop form for " + all);
}

bool isTunable(const loop::LoopProgram& program) {
    for (const loop::Stage& stage : program.stages) {
        int64_t points = 1;
        for (const loop::Axis& axis : stage.axes) points *= axis.extent;
        if (points > 1) return true;
    }
    return false;
}

Task makeTask(const Graph& graph, const Group& group, loop::LoopProgram program, uint64_t hash) {
    Task task;
    task.name = program.name;
    task.kind = ops::groupKind(graph, group);
    task.detail = detailText(graph, group);
    task.flops = loop::flopCount(program);
    task.bytes = loop::byteCount(program);
    task.structuralHash = hash;
    task.tunable = isTunable(program);
    task.program = std::move(program);
    return task;
}

}  // namespace

Result<OpenedModel> openGraph(Graph graph, std::string sha256, const target::Target& target) {
    OpenedModel model;
    model.name = graph.name;
    model.sha256 = std::move(sha256);
    model.original = graph;
    graph::PassOptions options;
    options.lanes = std::max(1, target.lanes());
    FETTLE_TRY(model.fused, graph::optimise(std::move(graph), ops::traits(), options));
    FETTLE_CHECK(checkSupported(model.fused.graph));

    std::map<uint64_t, int> known;
    for (size_t g = 0; g < model.fused.groups.size(); ++g) {
        const Group& group = model.fused.groups[g];
        FETTLE_TRY(loop::LoopProgram program, ops::lowerGroup(model.fused.graph, group));
        model.groupNames.push_back(program.name);
        model.groupPaths.push_back(groupPath(model.fused.graph, group));
        const uint64_t hash = loop::structuralHash(program);
        const auto [found, isNew] = known.emplace(hash, static_cast<int>(model.tasks.size()));
        if (isNew) {
            model.tasks.push_back(makeTask(model.fused.graph, group, std::move(program), hash));
            model.tasks.back().id = found->second;
            model.tasks.back().weight = 0;
        }
        Task& task = model.tasks[static_cast<size_t>(found->second)];
        ++task.weight;
        task.groups.push_back(static_cast<int>(g));
        model.taskOfGroup.push_back(found->second);
    }
    return model;
}

}  // namespace fettle::compile
