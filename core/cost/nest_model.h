// SPDX-License-Identifier: GPL-3.0-or-later
// One scheduled stage in numbers: its loops, its register tile, what the tile loads, and the bytes touched inside
// every loop. Both the closed form and the features read it.
#pragma once

#include <memory>
#include <vector>

#include "core/cost/cpu_figures.h"
#include "core/loop/access.h"
#include "core/loop/program.h"
#include "core/target/target.h"

namespace fettle::cost {

// Operations of one evaluation of an expression, shared subtrees once.
struct OpCounts {
    double fma = 0, simple = 0, divide = 0, special = 0, integer = 0;
    double weighted() const { return fma + simple + integer + 10 * divide + 16 * special; }  // in simple operations
};

// What does not depend on the nest; made once per stage and kept.
struct StageFacts {
    std::vector<loop::Access> accesses;  // loads of the body, of the epilogue, the store last
    OpCounts body, epilogue;             // body with its reduction: a product that is summed counts as one fma
    loop::Scalar bodyKey, epilogueKey;   // identity of the stage in the cache
};
StageFacts stageFacts(const loop::LoopProgram& program, const loop::Stage& stage);

struct LoopView {
    int axis = 0;
    double trips = 1;  // executed iterations on average; the last tile of an imperfect split counts in part
    int64_t step = 1, extent = 1;
    loop::LoopKind kind = loop::LoopKind::Serial;
    bool reduce = false;
};

struct NestModel {
    const StageFacts* facts = nullptr;
    std::vector<LoopView> loops;
    int parallelLoops = 0, attachDepth = 0;
    bool reduction = false, registers = false;  // accumulators stay in registers
    int tileFirst = 0;                          // loops[tileFirst..] are the tile
    double vectorLanes = 1;                     // elements per vector operation that do work; 1: scalar code
    double machineLanes = 1;
    bool laneIsReduce = false;
    double rows = 1, vectors = 1, unroll = 1;  // of the tile: outputs per lane axis, vector registers, reduce steps
    double vectorLoads = 0, broadcasts = 0, gathers = 0, guards = 0;  // per execution of the body
    double sharedLoads = 0;  // values that several bodies of one execution use and the compiler keeps in registers
    double bodyRuns = 1, tileRuns = 1;           // executions of the body, of the stores
    std::vector<std::vector<double>> footprint;  // [depth][access]: bytes touched inside loops[depth..], in whole lines
    std::vector<double> footprintTotal;          // [depth]
    // [access]: bytes that the stages sharing these loops touch between this access and another stage's to the same
    // tensor; a cache of that size still holds it. 0: no such stage.
    std::vector<double> sharedBytes;

    double accumulators() const { return rows * vectors; }
    double operations() const { return accumulators() * unroll; }  // bodies emitted
};
NestModel nestModel(const loop::LoopProgram& program, int stage, const StageFacts& facts, const target::Target& target);

// The nests of all stages, with what stages computed inside others find in the cache.
std::vector<NestModel> nestModels(const loop::LoopProgram& program, const std::vector<const StageFacts*>& facts,
                                  const target::Target& target);

// Bytes that come from beyond a cache of `capacity` bytes, per access.
std::vector<double> traffic(const NestModel& nest, double capacity);

struct Bound {  // of one stage, in cycles on one core unless said otherwise
    double compute = 0, loads = 0, stores = 0, issue = 0, latency = 0, spill = 0;  // of one body
    double loop = 0, tile = 0;                        // overheads of all loops; epilogues and stores of all tiles
    double l1Misses = 0, l2Misses = 0, l3Misses = 0;  // cycles of traffic
    double parallel = 1;                              // threads that really work
    double cycles = 0;                                // all together, after threads
    double seconds = 0;
};
Bound bound(const NestModel& nest, const target::Target& target, int threads);

}  // namespace fettle::cost
