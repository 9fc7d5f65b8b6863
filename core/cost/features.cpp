// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/features.h"

#include <algorithm>
#include <cmath>

#include "core/cost/nest_model.h"

namespace fettle::cost {
namespace {

using loop::LoopKind;

struct View {
    const NestModel& nest;
    const Bound& bound;
    const target::Target& target;
    double points;  // of the iteration domain
    double extent(LoopKind kind) const {
        double product = 1;
        for (const LoopView& loop : nest.loops)
            if (loop.kind == kind) product *= static_cast<double>(loop.extent);
        return product;
    }
    double total(size_t depth) const { return nest.footprintTotal[std::min(depth, nest.footprintTotal.size() - 1)]; }
    double body() const { return std::max(1e-9, bound.cycles); }
};

double lg(double value) {
    return std::log2(std::max(value, 0.0) + 1);
}
double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

struct Row {
    const char* words;
    double (*value)(const View&);
};

constexpr Row kRows[] = {
    // arithmetic and loop annotations
    {"log2 multiply-adds in all", [](const View& v) { return lg(v.nest.facts->body.fma * v.points); }},
    {"log2 other float operations in all", [](const View& v) { return lg(v.nest.facts->body.simple * v.points); }},
    {"log2 divisions and roots in all", [](const View& v) { return lg(v.nest.facts->body.divide * v.points); }},
    {"log2 exp, tanh and the like in all", [](const View& v) { return lg(v.nest.facts->body.special * v.points); }},
    {"log2 integer operations in all", [](const View& v) { return lg(v.nest.facts->body.integer * v.points); }},
    {"operations of the epilogue per output", [](const View& v) { return v.nest.facts->epilogue.weighted(); }},
    {"is a reduction", [](const View& v) { return v.nest.reduction ? 1.0 : 0.0; }},
    {"extent of the vectorised loop", [](const View& v) { return v.extent(LoopKind::Vectorized); }},
    {"the vectorised loop is a reduction", [](const View& v) { return v.nest.laneIsReduce ? 1.0 : 0.0; }},
    {"share of working lanes", [](const View& v) { return v.nest.vectorLanes / v.nest.machineLanes; }},
    {"log2 product of unrolled loops", [](const View& v) { return lg(v.extent(LoopKind::Unrolled)); }},
    {"number of parallel loops", [](const View& v) { return double(v.nest.parallelLoops); }},
    {"threads that work", [](const View& v) { return v.bound.parallel; }},
    // register tile
    {"rows of the register tile", [](const View& v) { return v.nest.rows; }},
    {"vectors of the register tile", [](const View& v) { return v.nest.vectors; }},
    {"accumulators", [](const View& v) { return v.nest.accumulators(); }},
    {"reduce steps unrolled in the tile", [](const View& v) { return v.nest.unroll; }},
    {"accumulators stay in registers", [](const View& v) { return v.nest.registers ? 1.0 : 0.0; }},
    {"registers needed over registers there are",
     [](const View& v) {
         return (v.nest.accumulators() + v.nest.vectors + 1) / std::max(1, v.target.vectorRegisters);
     }},
    {"log2 bodies emitted", [](const View& v) { return lg(v.nest.operations()); }},
    {"vector loads per body emitted", [](const View& v) { return ratio(v.nest.vectorLoads, v.nest.operations()); }},
    {"broadcasts per body emitted", [](const View& v) { return ratio(v.nest.broadcasts, v.nest.operations()); }},
    {"gathered elements per body emitted", [](const View& v) { return ratio(v.nest.gathers, v.nest.operations()); }},
    {"guarded loads per body emitted", [](const View& v) { return ratio(v.nest.guards, v.nest.operations()); }},
    {"log2 executions of the body", [](const View& v) { return lg(v.nest.bodyRuns); }},
    {"log2 executions of the stores", [](const View& v) { return lg(v.nest.tileRuns); }},
    {"log2 bodies between stores", [](const View& v) { return lg(ratio(v.nest.bodyRuns, v.nest.tileRuns)); }},
    {"lanes and tails computed in vain",
     [](const View& v) { return ratio(v.nest.bodyRuns * v.nest.operations() * v.nest.machineLanes, v.points); }},
    // the closed form and its parts, as shares
    {"log2 bound in cycles", [](const View& v) { return lg(v.bound.cycles); }},
    {"bound in cycles per point", [](const View& v) { return ratio(v.bound.cycles, v.points) * v.nest.machineLanes; }},
    {"arithmetic share of the bound", [](const View& v) { return v.bound.compute * v.nest.bodyRuns / v.body(); }},
    {"load share of the bound", [](const View& v) { return v.bound.loads * v.nest.bodyRuns / v.body(); }},
    {"issue share of the bound", [](const View& v) { return v.bound.issue * v.nest.bodyRuns / v.body(); }},
    {"latency share of the bound", [](const View& v) { return v.bound.latency * v.nest.bodyRuns / v.body(); }},
    {"spill share of the bound", [](const View& v) { return v.bound.spill * v.nest.bodyRuns / v.body(); }},
    {"loop overhead share of the bound", [](const View& v) { return v.bound.loop / v.body(); }},
    {"store share of the bound", [](const View& v) { return v.bound.tile / v.body(); }},
    {"L1 miss share of the bound", [](const View& v) { return v.bound.l1Misses / v.body(); }},
    {"L2 miss share of the bound", [](const View& v) { return v.bound.l2Misses / v.body(); }},
    {"L3 miss share of the bound", [](const View& v) { return v.bound.l3Misses / v.body(); }},
    // footprints against caches
    {"log2 bytes touched in all", [](const View& v) { return lg(v.total(0)); }},
    {"bytes inside the reduce loops over L1",
     [](const View& v) {
         size_t depth = 0;
         while (depth < v.nest.loops.size() && !v.nest.loops[depth].reduce) ++depth;
         return std::min(16.0, v.total(depth) / double(std::max<int64_t>(v.target.l1Bytes, 1)));
     }},
    {"bytes inside the outermost loop over L2",
     [](const View& v) { return std::min(16.0, v.total(1) / double(std::max<int64_t>(v.target.l2Bytes, 1))); }},
    {"bytes inside the second loop over L2",
     [](const View& v) { return std::min(16.0, v.total(2) / double(std::max<int64_t>(v.target.l2Bytes, 1))); }},
    // outer scope and allocation
    {"number of loops", [](const View& v) { return double(v.nest.loops.size()); }},
    {"loops shared with the reader", [](const View& v) { return double(v.nest.attachDepth); }},
    {"log2 trips of the innermost serial loop",
     [](const View& v) { return v.nest.tileFirst > 0 ? lg(v.nest.loops[size_t(v.nest.tileFirst - 1)].trips) : 0.0; }},
    {"log2 trips of the outermost loop",
     [](const View& v) { return v.nest.loops.empty() ? 0.0 : lg(v.nest.loops[0].trips); }},
    {"log2 bytes of the output", [](const View& v) { return lg(v.nest.footprint[0].back()); }},
};

constexpr int kBuffers = 4;  // the store and up to three loads, largest first
constexpr int kCurve = 6;    // samples of the arithmetic-intensity curve

struct BufferRow {
    const char* words;
    double (*value)(const View&, size_t access);
};

constexpr BufferRow kBufferRows[] = {
    {"log2 bytes", [](const View& v, size_t a) { return lg(v.nest.footprint[0][a]); }},
    {"log2 bytes inside the tile",
     [](const View& v, size_t a) { return lg(v.nest.footprint[size_t(v.nest.tileFirst)][a]); }},
    {"log2 stride of the innermost loop",
     [](const View& v, size_t a) {
         if (v.nest.loops.empty()) return 0.0;
         const LoopView& inner = v.nest.loops.back();
         return lg(std::abs(double(v.nest.facts->accesses[a].byteStep(inner.axis, inner.step))));
     }},
    {"log2 stride of the innermost serial loop",
     [](const View& v, size_t a) {
         if (v.nest.tileFirst == 0) return 0.0;
         const LoopView& inner = v.nest.loops[size_t(v.nest.tileFirst - 1)];
         return lg(std::abs(double(v.nest.facts->accesses[a].byteStep(inner.axis, inner.step))));
     }},
    {"depth of the innermost loop that reuses it",
     [](const View& v, size_t a) {
         const int depth = int(v.nest.loops.size());
         for (int k = v.nest.tileFirst - 1; k >= 0; --k) {
             const LoopView& loop = v.nest.loops[size_t(k)];
             if (loop.extent > 1 && !v.nest.facts->accesses[a].moves(loop.axis, loop.step)) return double(depth - k);
         }
         return 0.0;
     }},
    {"log2 bytes touched between its reuses",
     [](const View& v, size_t a) {
         for (int k = v.nest.tileFirst - 1; k >= 0; --k) {
             const LoopView& loop = v.nest.loops[size_t(k)];
             if (loop.extent > 1 && !v.nest.facts->accesses[a].moves(loop.axis, loop.step))
                 return lg(v.total(size_t(k) + 1));
         }
         return lg(v.total(0));
     }},
    {"log2 bytes from beyond L1",
     [](const View& v, size_t a) { return lg(traffic(v.nest, 0.75 * double(v.target.l1Bytes))[a]); }},
    {"log2 bytes from beyond L2",
     [](const View& v, size_t a) { return lg(traffic(v.nest, 0.75 * double(v.target.l2Bytes))[a]); }},
};

// Arithmetic intensity inside ever more loops, sampled evenly over the depth: log2 operations per byte.
void addCurve(const View& view, std::vector<float>& row) {
    const size_t depth = view.nest.loops.size();
    std::vector<double> intensity(depth + 1);
    double operations = std::max(1.0, view.nest.facts->body.weighted());
    intensity[depth] = operations / std::max(1.0, view.nest.footprintTotal[depth]);
    for (size_t k = depth; k-- > 0;) {
        operations *= view.nest.loops[k].trips;
        intensity[k] = operations / std::max(1.0, view.nest.footprintTotal[k]);
    }
    for (int k = 0; k < kCurve; ++k) {
        const double at = double(depth) * (kCurve - 1 - k) / (kCurve - 1);
        row.push_back(static_cast<float>(lg(intensity[static_cast<size_t>(std::lround(at))])));
    }
}

std::vector<size_t> largestBuffers(const NestModel& nest) {
    std::vector<size_t> loads(nest.facts->accesses.size() - 1);
    for (size_t k = 0; k < loads.size(); ++k) loads[k] = k;
    std::stable_sort(loads.begin(), loads.end(),
                     [&](size_t a, size_t b) { return nest.footprint[0][a] > nest.footprint[0][b]; });
    loads.insert(loads.begin(), nest.facts->accesses.size() - 1);
    if (loads.size() > kBuffers) loads.resize(kBuffers);
    return loads;
}

std::vector<float> rowOf(const View& view) {
    std::vector<float> row;
    row.reserve(featureNames().size());
    for (const Row& feature : kRows) row.push_back(static_cast<float>(feature.value(view)));
    const std::vector<size_t> buffers = largestBuffers(view.nest);
    for (size_t slot = 0; slot < kBuffers; ++slot)
        for (const BufferRow& feature : kBufferRows)
            row.push_back(slot < buffers.size() ? static_cast<float>(feature.value(view, buffers[slot])) : 0.0F);
    addCurve(view, row);
    for (float& value : row)
        if (!std::isfinite(value)) value = 0;
    return row;
}

}  // namespace

const std::vector<std::string>& featureNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const Row& feature : kRows) result.emplace_back(feature.words);
        for (int slot = 0; slot < kBuffers; ++slot)
            for (const BufferRow& feature : kBufferRows)
                result.push_back((slot == 0 ? "output: " : "input " + std::to_string(slot) + ": ") + feature.words);
        for (int k = 0; k < kCurve; ++k)
            result.push_back("log2 operations per byte, inner " + std::to_string(k * 100 / (kCurve - 1)) +
                             " % of the loops");
        return result;
    }();
    return names;
}

struct Analyser::State {
    State(const target::Target& ofTarget, int count) : target(ofTarget), threads(count) {}

    target::Target target;
    int threads;

    std::vector<NestModel> nests(const loop::LoopProgram& program) {
        held_.clear();
        std::vector<const StageFacts*> each;
        for (const loop::Stage& stage : program.stages) {
            held_.push_back(facts(program, stage));
            each.push_back(held_.back().get());
        }
        return nestModels(program, each, target);
    }

private:
    // Schedules of one task share the expressions of their stages; a copy in another layout makes new ones.
    std::shared_ptr<const StageFacts> facts(const loop::LoopProgram& program, const loop::Stage& stage) {
        constexpr size_t kKept = 64;
        for (const auto& facts : known_)
            if (facts->bodyKey == stage.body && facts->epilogueKey == stage.epilogue &&
                facts->accesses.back().tensor == stage.output)
                return facts;
        if (known_.size() >= kKept) known_.clear();
        known_.push_back(std::make_shared<const StageFacts>(stageFacts(program, stage)));
        return known_.back();
    }

    std::vector<std::shared_ptr<const StageFacts>> known_, held_;  // held: what the nests made last point to
};

Analyser::Analyser(const target::Target& target, int threads) : state_(new State(target, threads)) {}
Analyser::~Analyser() = default;

FeatureRows Analyser::features(const loop::LoopProgram& scheduled) {
    FeatureRows rows;
    const std::vector<NestModel> nests = state_->nests(scheduled);
    for (size_t k = 0; k < nests.size(); ++k) {
        const Bound limit = bound(nests[k], state_->target, state_->threads);
        double points = 1;
        for (const loop::Axis& axis : scheduled.stages[k].axes)
            points *= static_cast<double>(std::max<int64_t>(axis.extent, 1));
        rows.push_back(rowOf({nests[k], limit, state_->target, points}));
    }
    return rows;
}

double Analyser::analyticSeconds(const loop::LoopProgram& scheduled) {
    double seconds = 0;
    for (const NestModel& nest : state_->nests(scheduled))
        seconds += bound(nest, state_->target, state_->threads).seconds;
    return seconds;
}

FeatureRows features(const loop::LoopProgram& scheduled, const target::Target& target, int threads) {
    return Analyser(target, threads).features(scheduled);
}

double analyticSeconds(const loop::LoopProgram& scheduled, const target::Target& target, int threads) {
    return Analyser(target, threads).analyticSeconds(scheduled);
}

}  // namespace fettle::cost
