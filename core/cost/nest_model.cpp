// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/nest_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace fettle::cost {
namespace {

using loop::Access;
using loop::LoopKind;
using loop::ScalarNode;
using loop::ScalarOp;

constexpr double kLine = 64;
constexpr double kTailFloor = 0.35;  // a tail tile never costs less than this share of a full one

bool isSpecial(ScalarOp op) {
    switch (op) {
        case ScalarOp::Exp:
        case ScalarOp::Log:
        case ScalarOp::Tanh:
        case ScalarOp::Erf:
        case ScalarOp::Sigmoid:
        case ScalarOp::Sin:
        case ScalarOp::Cos:
        case ScalarOp::Pow:
            return true;
        default:
            return false;
    }
}

bool isDivision(ScalarOp op) {
    switch (op) {
        case ScalarOp::Div:
        case ScalarOp::Sqrt:
        case ScalarOp::Rsqrt:
        case ScalarOp::Reciprocal:
        case ScalarOp::Mod:
            return true;
        default:
            return false;
    }
}

void count(const ScalarNode& node, std::unordered_set<const ScalarNode*>& seen, OpCounts& counts) {
    if (!seen.insert(&node).second) return;
    for (const loop::Scalar& operand : node.operands) count(*operand, seen, counts);
    if (node.op == ScalarOp::Constant || node.op == ScalarOp::Load || node.op == ScalarOp::Accumulator) return;
    if (isSpecial(node.op))
        counts.special += 1;
    else if (isDivision(node.op))
        counts.divide += 1;
    else if (graph::isFloat(node.dtype))
        counts.simple += 1;
    else
        counts.integer += 1;
}

OpCounts countOps(const loop::Scalar& scalar) {
    OpCounts counts;
    std::unordered_set<const ScalarNode*> seen;
    if (scalar) count(*scalar, seen, counts);
    return counts;
}

// Trips of every loop: the inner loops of an axis run in full, the outer ones as often as the extent asks for.
void setTrips(const loop::Stage& stage, NestModel& nest, double machineLanes) {
    std::vector<double> rest(stage.axes.size());
    for (size_t k = 0; k < rest.size(); ++k) rest[k] = static_cast<double>(std::max<int64_t>(stage.axes[k].extent, 1));
    for (const LoopView& loop : nest.loops)
        if (loop.kind == LoopKind::Vectorized) {  // masked lanes cost as much as working ones
            const double width = std::min(machineLanes, static_cast<double>(loop.extent));
            double& extent = rest[static_cast<size_t>(loop.axis)];
            nest.vectorLanes = std::min(extent, width);
            extent = std::ceil(extent / width) * width;
        }
    for (LoopView& loop : nest.loops) {
        double& left = rest[static_cast<size_t>(loop.axis)];
        const auto step = static_cast<double>(loop.step);
        double trips = std::clamp(left / step, 1.0, static_cast<double>(loop.extent));
        const double whole = std::floor(trips + 1e-9);
        if (trips - whole > 1e-9) trips = whole + std::max(trips - whole, kTailFloor);
        loop.trips = trips;
        left = std::min(left, step);
    }
}

void setTile(NestModel& nest) {
    const int count = static_cast<int>(nest.loops.size());
    nest.tileFirst = count;
    while (nest.tileFirst > 0 && nest.loops[static_cast<size_t>(nest.tileFirst - 1)].kind != LoopKind::Serial)
        --nest.tileFirst;
    int laneAxis = -1;
    for (const LoopView& loop : nest.loops)
        if (loop.kind == LoopKind::Vectorized) {
            laneAxis = loop.axis;
            nest.laneIsReduce = loop.reduce;
        }
    int firstReduce = count;
    for (int k = count - 1; k >= 0; --k)
        if (nest.loops[static_cast<size_t>(k)].reduce) firstReduce = k;
    nest.registers = nest.reduction;
    for (int k = firstReduce; k < count; ++k)
        if (!nest.loops[static_cast<size_t>(k)].reduce && nest.loops[static_cast<size_t>(k)].kind == LoopKind::Serial)
            nest.registers = false;
    for (int k = 0; k < count; ++k) {
        const LoopView& loop = nest.loops[static_cast<size_t>(k)];
        if (k < nest.tileFirst) {
            nest.bodyRuns *= loop.trips;
            if (k < firstReduce) nest.tileRuns *= loop.trips;
        } else if (loop.kind == LoopKind::Vectorized) {
            nest.vectors *= std::ceil(loop.trips / nest.machineLanes);
        } else if (loop.reduce) {
            nest.unroll *= loop.trips;
        } else if (loop.axis == laneAxis) {
            nest.vectors *= loop.trips;
        } else {
            nest.rows *= loop.trips;
        }
    }
}

// Distinct places that the unrolled loops make an access visit: fewer than their product when steps overlap.
double distinctPlaces(const NestModel& nest, const Access& access) {
    double places = 1;
    for (const loop::DimAccess& dim : access.dims) {
        double span = 1;
        for (size_t k = static_cast<size_t>(nest.tileFirst); k < nest.loops.size(); ++k) {
            const LoopView& loop = nest.loops[k];
            if (loop.kind == LoopKind::Vectorized) continue;
            const auto reach = static_cast<int64_t>(loop.trips - 1) * loop.step;
            if (dim.delta(loop.axis, reach) != 0) span += static_cast<double>(reach / loop.step);
        }
        places *= span;
    }
    return places;
}

// Loads of one execution of the body, by what they cost.
void setLoads(NestModel& nest) {
    const LoopView* lane = nullptr;
    if (!nest.loops.empty() && nest.loops.back().kind == LoopKind::Vectorized) lane = &nest.loops.back();
    for (const Access& access : nest.facts->accesses) {
        if (access.store || (access.epilogue && nest.reduction)) continue;
        double distinct = 1;
        for (size_t k = static_cast<size_t>(nest.tileFirst); k < nest.loops.size(); ++k) {
            const LoopView& loop = nest.loops[k];
            if (loop.kind == LoopKind::Vectorized || !access.moves(loop.axis, loop.step)) continue;
            distinct *= loop.trips;
        }
        if (const double places = distinctPlaces(nest, access); nest.unroll > 1 && places < 0.99 * distinct) {
            nest.sharedLoads += places;  // loaded once
            distinct = places;
        }
        if (access.guarded) nest.guards += distinct;
        if (!lane || !access.moves(lane->axis, lane->step)) {
            nest.broadcasts += distinct;
            continue;
        }
        const double registersEach = std::ceil(lane->trips / nest.machineLanes);
        if (!access.gathered && access.byteStep(lane->axis, lane->step) == access.elementBytes)
            nest.vectorLoads += distinct * registersEach;
        else
            nest.gathers += distinct * lane->trips;
    }
}

// Bytes of one access that spans so much of every dimension, in whole lines along the contiguous one.
double linesOf(const Access& access, const std::vector<double>& span) {
    double elements = 1, run = 1;
    bool wholeRun = true;
    for (size_t k = 0; k < access.dims.size(); ++k) {
        const loop::DimAccess& dim = access.dims[k];
        const auto extent = static_cast<double>(std::max<int64_t>(dim.extent, 1));
        const double clipped = std::min(span[k], extent);
        elements *= clipped;
        const int64_t unit = dim.block > 1 ? dim.innerStride : dim.outerStride;
        if (unit != access.elementBytes) continue;
        const double limit = dim.block > 1 ? std::min(static_cast<double>(dim.block), extent) : extent;
        run = std::min(clipped, limit);
        wholeRun = run >= limit;
    }
    const double bytes = elements * static_cast<double>(access.elementBytes);
    if (wholeRun && run > 1) return std::max(bytes, kLine);
    const double runBytes = run * static_cast<double>(access.elementBytes);
    return std::max(1.0, elements / run) * std::ceil(runBytes / kLine) * kLine;
}

void setFootprints(NestModel& nest) {
    const std::vector<Access>& accesses = nest.facts->accesses;
    const size_t depth = nest.loops.size();
    nest.footprint.assign(depth + 1, std::vector<double>(accesses.size(), 0));
    nest.footprintTotal.assign(depth + 1, 0);
    std::vector<double> span;
    for (size_t a = 0; a < accesses.size(); ++a) {
        const Access& access = accesses[a];
        span.assign(access.dims.size(), 1.0);
        for (size_t d = depth + 1; d-- > 0;) {
            if (d < depth) {
                const LoopView& loop = nest.loops[d];
                for (size_t k = 0; k < access.dims.size(); ++k) {
                    const double reach = (loop.trips - 1) * static_cast<double>(loop.step);
                    const loop::DimAccess& dim = access.dims[k];
                    const double moved =
                        dim.affine ? static_cast<double>(dim.coefficients[static_cast<size_t>(loop.axis)]) * reach
                                   : static_cast<double>(dim.delta(loop.axis, std::llround(reach)));
                    span[k] += std::abs(moved);
                }
                if (access.gathered) span.assign(span.size(), 1e18);
            }
            nest.footprint[d][a] = linesOf(access, span);
            nest.footprintTotal[d] += nest.footprint[d][a];
        }
    }
}

// What `later` accesses of the tensors that `earlier` has touched is still near, and so is what earlier stored for it.
void shareTensors(NestModel& earlier, NestModel& later, double bytesBetween) {
    for (size_t a = 0; a < later.facts->accesses.size(); ++a)
        for (size_t b = 0; b < earlier.facts->accesses.size(); ++b) {
            if (later.facts->accesses[a].tensor != earlier.facts->accesses[b].tensor) continue;
            later.sharedBytes[a] = bytesBetween;
            if (earlier.facts->accesses[b].store) earlier.sharedBytes[b] = bytesBetween;
        }
}

}  // namespace

StageFacts stageFacts(const loop::LoopProgram& program, const loop::Stage& stage) {
    StageFacts facts;
    facts.accesses = loop::accesses(program, stage);
    facts.body = countOps(stage.body);
    facts.epilogue = countOps(stage.epilogue);
    facts.bodyKey = stage.body;
    facts.epilogueKey = stage.epilogue;
    if (stage.reduction != loop::Reduction::None) {
        if (stage.reduction == loop::Reduction::Sum && stage.body && stage.body->op == ScalarOp::Mul &&
            facts.body.simple >= 1) {
            facts.body.simple -= 1;
            facts.body.fma += 1;
        } else {
            facts.body.simple += 1;
        }
    }
    return facts;
}

NestModel nestModel(const loop::LoopProgram& program, int stageIndex, const StageFacts& facts,
                    const target::Target& target) {
    const loop::Stage& stage = program.stages[static_cast<size_t>(stageIndex)];
    const loop::Nest& source = program.nests[static_cast<size_t>(stageIndex)];
    NestModel nest;
    nest.facts = &facts;
    nest.parallelLoops = source.parallelLoops;
    nest.attachDepth = source.attachStage >= 0 ? source.attachDepth : 0;
    nest.reduction = stage.reduction != loop::Reduction::None;
    const int64_t bytes = std::max<int64_t>(facts.accesses.back().elementBytes, 4);
    nest.machineLanes = std::max(1, target.lanes(static_cast<int>(bytes)));
    for (const loop::Loop& loop : source.loops) {
        LoopView view;
        view.axis = loop.axis;
        view.step = loop.step;
        view.extent = loop.extent;
        view.kind = loop.kind;
        view.reduce = stage.axes[static_cast<size_t>(loop.axis)].kind == loop::AxisKind::Reduce;
        nest.loops.push_back(view);
    }
    setTrips(stage, nest, nest.machineLanes);
    setTile(nest);
    setLoads(nest);
    setFootprints(nest);
    nest.sharedBytes.assign(facts.accesses.size(), 0);
    return nest;
}

std::vector<NestModel> nestModels(const loop::LoopProgram& program, const std::vector<const StageFacts*>& facts,
                                  const target::Target& target) {
    std::vector<NestModel> nests;
    for (size_t k = 0; k < facts.size(); ++k)
        nests.push_back(nestModel(program, static_cast<int>(k), *facts[k], target));
    for (size_t k = 0; k < nests.size(); ++k) {
        if (program.nests[k].attachStage < 0) continue;
        const auto host = static_cast<size_t>(program.nests[k].attachStage);
        const auto depth = static_cast<size_t>(nests[k].attachDepth);
        const auto inGroup = [&](size_t stage) {
            return stage == host || program.nests[stage].attachStage == static_cast<int>(host);
        };
        double together = 0;  // of the whole group, inside the shared loops
        for (size_t other = 0; other < nests.size(); ++other)
            if (inGroup(other)) together += nests[other].footprintTotal[std::min(depth, nests[other].loops.size())];
        for (size_t other = k + 1; other <= host; ++other)
            if (inGroup(other)) shareTensors(nests[k], nests[other], together);
    }
    return nests;
}

std::vector<double> traffic(const NestModel& nest, double capacity) {
    const size_t depth = nest.loops.size();
    size_t inside = 0;
    while (inside < depth && nest.footprintTotal[inside] > capacity) ++inside;
    std::vector<double> bytes(nest.facts->accesses.size(), 0);
    if (inside == 0) return bytes;  // all of it stays in this cache from run to run
    for (size_t a = 0; a < bytes.size(); ++a) {
        const loop::Access& access = nest.facts->accesses[a];
        if (nest.sharedBytes[a] > 0 && nest.sharedBytes[a] <= capacity) continue;
        double times = 1;
        bool moved = false;
        for (size_t k = inside; k-- > 0;) {
            moved = moved || access.moves(nest.loops[k].axis, nest.loops[k].step);
            if (moved) times *= nest.loops[k].trips;
        }
        bytes[a] = nest.footprint[inside][a] * times;
    }
    return bytes;
}

}  // namespace fettle::cost
