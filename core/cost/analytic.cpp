// SPDX-License-Identifier: GPL-3.0-or-later
// The closed form: cycles of one body from port figures, times its runs, plus epilogues, loop overhead and cache
// traffic. It needs no training and ranks the first candidates.
#include <algorithm>
#include <cmath>

#include "core/cost/features.h"
#include "core/cost/nest_model.h"

namespace fettle::cost {
namespace {

constexpr double kLoopCycles = 1.5;    // counter, compare, branch, address updates of one iteration
constexpr double kLoopExitCycles = 5;  // a mispredicted exit, shared among exits that are predicted
constexpr double kOverlap = 0.35;      // share of the smaller of compute and traffic that does not hide
constexpr double kCacheShare = 0.75;   // share of a cache that a working set can use
constexpr double kForkCycles = 12000;  // waking the threads and waiting for the last
constexpr double kChains = 8;          // accumulation chains that codegen makes where the tile has fewer points
constexpr double kComfortable = 112;   // bodies emitted at once that decode and allocate well; measured
constexpr double kLongBody = 0.2;      // share more for every doubling of that
constexpr double kBodyLimit = 512;     // bodies emitted at once; more is refused by codegen

double perCycle(int bits, int vectorBits, double limit) {
    if (vectorBits <= 0) return std::min(limit, bits / 128.0 + 1);  // scalar code: one operation a pipe
    return std::min(limit, static_cast<double>(bits) / vectorBits);
}

void setBody(const NestModel& nest, const target::Target& target, const CpuFigures& cpu, Bound& result) {
    const int width = nest.vectorLanes > 1 ? target.vectorBits : 0;
    const OpCounts& ops = nest.facts->body;
    const double bodies = nest.operations();
    const double fmaRate = perCycle(cpu.fmaBits, width, 2), loadRate = perCycle(cpu.loadBits, width, 3);
    const double storeRate = perCycle(cpu.storeBits, width, 2);
    double arithmetic = bodies * ops.weighted() + nest.guards * 3;
    double loads = nest.vectorLoads / loadRate + nest.broadcasts / cpu.broadcasts + nest.gathers / cpu.broadcasts;
    double instructions =
        bodies * ops.weighted() + nest.vectorLoads + 0.5 * nest.broadcasts + 2 * nest.gathers + 3 * nest.guards + 3;
    double stores = 0;
    if (nest.reduction && !nest.registers) {  // partial results go through memory
        const double touched = nest.accumulators();
        loads += touched / loadRate;
        stores += touched / storeRate;
        instructions += 2 * touched;
    }
    const double registers = nest.accumulators() + nest.vectors + 1 + nest.sharedLoads;
    const double available = std::max(4, target.vectorRegisters - 1);
    if (nest.registers && registers > available) {
        const double spilled = registers - available;
        const double times = nest.sharedLoads > 0 ? 2 : nest.unroll;
        result.spill = spilled * times * (1 / loadRate + 1 / storeRate);
    }
    result.compute = arithmetic / fmaRate;
    result.loads = loads;
    result.stores = stores;
    result.issue = instructions / cpu.issue;
    if (nest.reduction) {  // unrolled reduce steps of a small tile go to chains of their own
        const double chains = std::clamp(std::floor(kChains / nest.accumulators()), 1.0, nest.unroll);
        result.latency = cpu.latency * std::ceil(nest.unroll / chains);
    }
    if (nest.reduction && !nest.registers) result.latency *= 2.5;  // through the store buffer
}

void setTileCost(const NestModel& nest, const target::Target& target, const CpuFigures& cpu, Bound& result) {
    const int width = nest.vectorLanes > 1 ? target.vectorBits : 0;
    const double fmaRate = perCycle(cpu.fmaBits, width, 2), storeRate = perCycle(cpu.storeBits, width, 2);
    double outputs = nest.laneIsReduce ? nest.rows : nest.accumulators();
    const loop::Access& store = nest.facts->accesses.back();
    double storeCycles = outputs / storeRate;
    if (!nest.loops.empty() && nest.loops.back().kind == loop::LoopKind::Vectorized && !nest.laneIsReduce &&
        store.byteStep(nest.loops.back().axis, nest.loops.back().step) != store.elementBytes)
        storeCycles *= 2 * nest.vectorLanes;  // a scatter
    if (!nest.reduction) outputs *= nest.unroll;
    double cycles = outputs * nest.facts->epilogue.weighted() / fmaRate + storeCycles;
    for (const loop::Access& access : nest.facts->accesses)
        if (access.epilogue && !access.store && nest.reduction) cycles += outputs / cpu.broadcasts;
    if (nest.registers) cycles += nest.accumulators() / cpu.issue + cpu.latency;
    if (nest.laneIsReduce) cycles += nest.rows * (2 * cpu.latency + std::log2(std::max(2.0, nest.machineLanes)) * 3);
    result.tile = cycles * nest.tileRuns;
}

double loopOverhead(const NestModel& nest) {
    double cycles = 0, runs = 1;
    for (int k = 0; k < nest.tileFirst; ++k) {
        const LoopView& loop = nest.loops[static_cast<size_t>(k)];
        if (loop.extent > 1) cycles += runs * kLoopExitCycles;
        runs *= loop.trips;
        if (loop.extent > 1) cycles += runs * kLoopCycles;
    }
    return cycles;
}

double missCycles(const NestModel& nest, int64_t capacity, double bytesPerCycle) {
    if (capacity <= 0) return 0;
    double bytes = 0;
    const std::vector<double> each = traffic(nest, static_cast<double>(capacity) * kCacheShare);
    for (size_t a = 0; a < each.size(); ++a) bytes += each[a] * (nest.facts->accesses[a].store ? 2 : 1);
    return bytes / bytesPerCycle;
}

}  // namespace

Bound bound(const NestModel& nest, const target::Target& target, int threads) {
    const CpuFigures& cpu = figuresOf(target);
    Bound result;
    setBody(nest, target, cpu, result);
    setTileCost(nest, target, cpu, result);
    result.loop = loopOverhead(nest);
    result.l1Misses = missCycles(nest, target.l1Bytes, cpu.l2Bytes);
    result.l2Misses = missCycles(nest, target.l2Bytes, cpu.l3Bytes);
    result.l3Misses = missCycles(nest, target.l3Bytes, cpu.memoryBytes);
    const double body = std::max({result.compute, result.loads, result.stores, result.issue, result.latency}) +
                        result.stores / 2 + result.spill;
    const double work = body * nest.bodyRuns + result.tile + result.loop;
    const double memory = std::max({result.l1Misses, result.l2Misses, result.l3Misses});
    double cycles = std::max(work, memory) + kOverlap * std::min(work, memory);
    if (nest.operations() > kBodyLimit) cycles *= 8;
    cycles *= 1 + kLongBody * std::max(0.0, std::log2(nest.operations() / kComfortable));
    double jobs = 1;
    for (int k = 0; k < nest.parallelLoops && k < static_cast<int>(nest.loops.size()); ++k)
        jobs *= static_cast<double>(nest.loops[static_cast<size_t>(k)].extent);
    if (threads > 1 && nest.parallelLoops > 0) {
        result.parallel = jobs / std::ceil(jobs / threads);
        cycles = cycles / std::max(1.0, result.parallel) + kForkCycles;
    }
    result.cycles = cycles;
    result.seconds = cycles / (cpu.gigahertz * 1e9);
    return result;
}

}  // namespace fettle::cost
