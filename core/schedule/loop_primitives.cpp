// SPDX-License-Identifier: GPL-3.0-or-later
// Primitives that change one nest.
#include <algorithm>

#include "core/schedule/primitives.h"

namespace fettle::schedule {

namespace {

using loop::Loop;
using loop::LoopKind;
using loop::LoopProgram;
using loop::Nest;

Reason noStage(const LoopProgram& program, const std::string& name) {
    std::string known;
    for (const loop::Stage& stage : program.stages) known += (known.empty() ? "" : ", ") + stage.name;
    return "there is no stage '" + name + "'; there are " + known;
}

Reason noLoop(const Nest& nest, const std::string& name) {
    std::string known;
    for (const Loop& loop : nest.loops) known += (known.empty() ? "" : " ") + loop.name;
    return "there is no loop '" + name + "'; there are " + known;
}

int loopIndex(const Nest& nest, const std::string& name) {
    for (size_t i = 0; i < nest.loops.size(); ++i)
        if (nest.loops[i].name == name) return static_cast<int>(i);
    return -1;
}

// Loops that a parallel or compute-at primitive has already fixed must keep their place.
int fixedLoops(const Nest& nest) {
    return std::max(nest.parallelLoops, nest.attachDepth);
}

}  // namespace

Reason split(LoopProgram& program, const Split& p) {
    const int stage = program.stageIndex(p.stage);
    if (stage < 0) return noStage(program, p.stage);
    Nest& nest = program.nests[static_cast<size_t>(stage)];
    const int at = loopIndex(nest, p.loop);
    if (at < 0) return noLoop(nest, p.loop);
    const Loop whole = nest.loops[static_cast<size_t>(at)];
    if (whole.kind != LoopKind::Serial) return "'" + p.loop + "' is already unrolled or vectorised";
    if (at < fixedLoops(nest)) return "'" + p.loop + "' is already parallel or shared";
    if (p.outer == p.inner) return "the two new loops need different names";
    for (const std::string& name : {p.outer, p.inner})
        if (name != p.loop && loopIndex(nest, name) >= 0) return "the name '" + name + "' is taken";
    const bool outermost = std::none_of(nest.loops.begin(), nest.loops.end(), [&](const Loop& other) {
        return other.axis == whole.axis && other.step > whole.step;
    });
    if (!outermost && whole.extent % p.factor != 0)
        return "an inner loop of " + std::to_string(whole.extent) + " can only be split by its divisors, not by " +
               std::to_string(p.factor);
    const Loop outer{p.outer, whole.axis, (whole.extent + p.factor - 1) / p.factor, whole.step * p.factor,
                     LoopKind::Serial};
    const Loop inner{p.inner, whole.axis, p.factor, whole.step, LoopKind::Serial};
    nest.loops[static_cast<size_t>(at)] = outer;
    nest.loops.insert(nest.loops.begin() + at + 1, inner);
    return {};
}

Reason reorder(LoopProgram& program, const std::string& stageName, const std::vector<std::string>& names) {
    const int stage = program.stageIndex(stageName);
    if (stage < 0) return noStage(program, stageName);
    Nest& nest = program.nests[static_cast<size_t>(stage)];
    std::vector<int> from;
    for (const std::string& name : names) {
        const int at = loopIndex(nest, name);
        if (at < 0) return noLoop(nest, name);
        if (std::find(from.begin(), from.end(), at) != from.end()) return "'" + name + "' is named twice";
        from.push_back(at);
    }
    std::vector<int> to = from;
    std::sort(to.begin(), to.end());
    const Nest before = nest;
    for (size_t i = 0; i < from.size(); ++i) {
        if (from[i] != to[i] && std::min(from[i], to[i]) < fixedLoops(nest))
            return "parallel or shared loops cannot move";
        nest.loops[static_cast<size_t>(to[i])] = before.loops[static_cast<size_t>(from[i])];
    }
    return {};
}

Reason setKind(LoopProgram& program, const std::string& stageName, const std::string& name, LoopKind kind) {
    const int stage = program.stageIndex(stageName);
    if (stage < 0) return noStage(program, stageName);
    Nest& nest = program.nests[static_cast<size_t>(stage)];
    const int at = loopIndex(nest, name);
    if (at < 0) return noLoop(nest, name);
    if (at < fixedLoops(nest)) return "'" + name + "' is parallel or shared";
    if (kind == LoopKind::Vectorized && at + 1 != static_cast<int>(nest.loops.size()))
        return "'" + name + "' is not the innermost loop";
    nest.loops[static_cast<size_t>(at)].kind = kind;
    return {};
}

Reason parallel(LoopProgram& program, const Parallel& p) {
    const int stage = program.stageIndex(p.stage);
    if (stage < 0) return noStage(program, p.stage);
    Nest& nest = program.nests[static_cast<size_t>(stage)];
    if (nest.attachStage >= 0) return "the stage is computed inside another";
    if (p.loops.size() > nest.loops.size()) return "more loops named than there are";
    for (size_t i = 0; i < p.loops.size(); ++i) {
        const int at = loopIndex(nest, p.loops[i]);
        if (at < 0) return noLoop(nest, p.loops[i]);
        if (at != static_cast<int>(i)) return "'" + p.loops[i] + "' is not among the outermost loops, in this order";
        const Loop& loop = nest.loops[i];
        const loop::Axis& axis = program.stages[static_cast<size_t>(stage)].axes[static_cast<size_t>(loop.axis)];
        if (axis.kind != loop::AxisKind::Space) return "'" + loop.name + "' is a reduce loop";
        if (loop.kind != LoopKind::Serial) return "'" + loop.name + "' is unrolled or vectorised";
    }
    nest.parallelLoops = static_cast<int>(p.loops.size());
    return {};
}

Reason microkernel(LoopProgram& program, const Microkernel& p) {
    const int stage = program.stageIndex(p.stage);
    if (stage < 0) return noStage(program, p.stage);
    Nest& nest = program.nests[static_cast<size_t>(stage)];
    std::vector<std::string> order;
    for (const Loop& loop : nest.loops)
        if (std::find(p.loops.begin(), p.loops.end(), loop.name) == p.loops.end()) order.push_back(loop.name);
    order.insert(order.end(), p.loops.begin(), p.loops.end());
    if (Reason reason = reorder(program, p.stage, order)) return reason;
    for (size_t i = 0; i < p.loops.size(); ++i)
        if (Reason reason = setKind(program, p.stage, p.loops[i],
                                    i + 1 == p.loops.size() ? LoopKind::Vectorized : LoopKind::Unrolled))
            return reason;
    return {};
}

Reason computeAt(LoopProgram& program, const ComputeAt& p) {
    const int producer = program.stageIndex(p.producer), consumer = program.stageIndex(p.consumer);
    if (producer < 0) return noStage(program, p.producer);
    if (consumer < 0) return noStage(program, p.consumer);
    if (producer >= consumer) return "the consumer must come after the producer";
    Nest& nest = program.nests[static_cast<size_t>(producer)];
    const int at = loopIndex(program.nests[static_cast<size_t>(consumer)], p.loop);
    if (at < 0) return noLoop(program.nests[static_cast<size_t>(consumer)], p.loop);
    if (nest.attachStage >= 0) return "the stage is already computed inside another";
    if (nest.parallelLoops != 0) return "the stage already has parallel loops of its own";
    nest.attachStage = consumer;
    nest.attachDepth = at + 1;
    return {};
}

}  // namespace fettle::schedule
