// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/stage_code.h"

#include <algorithm>
#include <numeric>

namespace fettle::codegen {

using loop::Index;
using loop::Loop;
using loop::LoopKind;
using loop::Range;

namespace {

constexpr int kMaxBodies = 512;       // multiply-adds unrolled in one body
constexpr int kMaxVectors = 4;        // registers that one vectorised loop may span
constexpr int kChainsForLatency = 8;  // independent accumulation chains that keep two FMA pipes of latency 4 busy

void collect(const Index& index, int64_t factor, Linear& sum) {
    switch (index.kind()) {
        case Index::Kind::Constant:
            sum.constant += index.constant() * factor;
            return;
        case Index::Kind::Axis:
            sum.coefficients[static_cast<size_t>(index.axisNumber())] += factor;
            return;
        case Index::Kind::Add:
            collect(index.left(), factor, sum);
            collect(index.right(), factor, sum);
            return;
        case Index::Kind::Mul:
            collect(index.left(), factor * index.constant(), sum);
            return;
        default:
            sum.atoms.emplace_back(index, factor);
    }
}

bool usesLoop(const Index& index, int loopNumber) {
    switch (index.kind()) {
        case Index::Kind::Constant:
            return false;
        case Index::Kind::Axis:
            return index.axisNumber() == loopNumber;
        case Index::Kind::Add:
            return usesLoop(index.left(), loopNumber) || usesLoop(index.right(), loopNumber);
        case Index::Kind::Loaded:
            return true;
        default:
            return usesLoop(index.left(), loopNumber);
    }
}

// The physical dimensions of a tensor as index expressions; see graph::Layout.
std::vector<Index> physicalIndices(const graph::TensorType& type, const std::vector<Index>& logical) {
    const size_t rank = type.shape.size();
    std::vector<Index> outer = logical, blocks;
    for (auto block = type.layout.blocks.rbegin(); block != type.layout.blocks.rend(); ++block) {
        Index& dimension = outer[static_cast<size_t>(block->axis)];
        blocks.insert(blocks.begin(), mod(dimension, block->size));
        dimension = floorDiv(dimension, block->size);
    }
    std::vector<Index> result;
    for (size_t i = 0; i < rank; ++i) {
        const size_t from = type.layout.order.empty() ? i : static_cast<size_t>(type.layout.order[i]);
        const int64_t halo = type.layout.haloBefore.empty() ? 0 : type.layout.haloBefore[from];
        result.push_back(outer[from] + Index(halo));
    }
    result.insert(result.end(), blocks.begin(), blocks.end());
    return result;
}

Access makeAccess(const StageCode& code, int tensor, const std::vector<Index>& logical, bool guarded) {
    Access access;
    access.tensor = tensor;
    const graph::TensorType& type = code.program->tensors[static_cast<size_t>(tensor)].type;
    const int loops = static_cast<int>(code.nest.loops.size());
    const graph::Shape shape = physicalShape(type);
    const std::vector<Index> physical = physicalIndices(type, logical);
    Index offset(0);
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        const Index dimension = simplify(physical[i], code.ranges);
        offset = dimension * stride + offset;
        stride *= shape[i];
        if (code.vectorLoop >= 0 && usesLoop(dimension, code.vectorLoop)) {
            const Range range = rangeOf(dimension, code.ranges);
            access.lanesInside &= range.low >= 0 && range.high < shape[i];
        }
    }
    access.offset = linearize(simplify(offset, code.ranges), loops);
    for (size_t i = 0; guarded && i < logical.size(); ++i) {
        const Index index = simplify(logical[i], code.ranges);
        const Range range = rangeOf(index, code.ranges);
        if (range.low < 0 || range.high >= type.shape[i])
            access.guards.push_back({linearize(index, loops), type.shape[i]});
    }
    return access;
}

void addLoads(StageCode& code, const loop::Scalar& scalar);

void addLoads(StageCode& code, const Index& index) {
    if (index.kind() == Index::Kind::Loaded) return addLoads(code, index.loadedValue());
    if (index.kind() == Index::Kind::Constant || index.kind() == Index::Kind::Axis) return;
    addLoads(code, index.left());
    if (index.kind() == Index::Kind::Add) addLoads(code, index.right());
}

void addLoads(StageCode& code, const loop::Scalar& scalar) {
    if (!scalar) return;
    for (const Index& index : scalar->indices) addLoads(code, index);
    for (const loop::Scalar& operand : scalar->operands) addLoads(code, operand);
    if (scalar->op == loop::ScalarOp::Load && !code.accesses.contains(scalar.get()))
        code.accesses.emplace(scalar.get(), makeAccess(code, scalar->tensor, scalar->indices, scalar->guarded));
}

// A vectorised loop much wider than the registers becomes a serial loop over vectors.
void narrowVectors(loop::Nest& nest, int lanes) {
    if (nest.loops.empty() || nest.loops.back().kind != LoopKind::Vectorized) return;
    Loop& inner = nest.loops.back();
    if (inner.extent <= lanes * kMaxVectors || lanes < 2) return;
    Loop outer = inner;
    outer.name += ".vectors";
    outer.kind = LoopKind::Serial;
    outer.extent = (inner.extent + lanes - 1) / lanes;
    outer.step = inner.step * lanes;
    inner.extent = lanes;
    nest.loops.insert(nest.loops.end() - 1, outer);
}

// Whether the loops of an axis nest by falling step (then partial tiles are cut off as they appear); if not, they
// must cover the axis exactly.
Result<bool> isOrdered(const StageCode& code, int axis) {
    std::vector<Loop> loops;
    for (const Loop& candidate : code.nest.loops)
        if (candidate.axis == axis) loops.push_back(candidate);
    const auto falling = [](const Loop& a, const Loop& b) { return a.step > b.step; };
    const bool ordered = std::is_sorted(loops.begin(), loops.end(), falling);
    std::stable_sort(loops.begin(), loops.end(), falling);
    int64_t step = 1;
    bool exact = true, covered = true;
    for (auto one = loops.rbegin(); one != loops.rend(); ++one) {
        exact &= one->step == step || one->extent == 1;
        covered &= one->step <= step || one->extent == 1;
        step = std::max(step, one->step * one->extent);
    }
    const loop::Axis& declared = code.stage->axes[static_cast<size_t>(axis)];
    exact &= step == declared.extent;
    covered &= step >= declared.extent;
    if (!covered)
        return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name,
                    "the loops of axis " + declared.name + " do not cover it");
    if (!ordered && !exact)
        return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name,
                    "axis " + declared.name + " is split unevenly and its inner loop is outside its outer loop");
    return ordered;
}

void placeTile(StageCode& code) {
    const auto& loops = code.nest.loops;
    const int count = static_cast<int>(loops.size());
    code.firstReduce = count;
    for (int i = count; i-- > 0;)
        if (!code.isSpace(i)) code.firstReduce = i;
    code.tileStart = code.firstReduce;
    for (int i = code.firstReduce; i < count; ++i)
        if (code.isSpace(i) && loops[static_cast<size_t>(i)].kind == LoopKind::Serial &&
            loops[static_cast<size_t>(i)].extent > 1)
            code.tileStart = i + 1;
}

Status sizeTile(StageCode& code, int lanes) {
    int64_t space = 1, reduce = 1, all = 1;
    for (int i = 0; i < static_cast<int>(code.nest.loops.size()); ++i) {
        const Loop& one = code.nest.loops[static_cast<size_t>(i)];
        if (one.kind == LoopKind::Serial) continue;
        const int64_t copies =
            one.kind == LoopKind::Vectorized ? (one.extent + lanes - 1) / std::max(lanes, 1) : one.extent;
        all *= copies;
        if (all > kMaxBodies)
            return fail(ErrorCode::Failed, "schedule too large", code.stage->name,
                        "more than " + std::to_string(kMaxBodies) + " copies of the body are unrolled",
                        "Unroll fewer loops.");
        if (i < code.tileStart) continue;
        (code.isSpace(i) ? space : reduce) *= copies;
    }
    code.tilePoints = static_cast<int>(space);
    code.bodiesUnrolled = static_cast<int>(all);
    if (!code.reduces()) return {};
    code.partials = static_cast<int>(std::clamp<int64_t>(kChainsForLatency / space, 1, reduce));
    return {};
}

}  // namespace

bool StageCode::isSpace(int loopNumber) const {
    const auto axis = static_cast<size_t>(nest.loops[static_cast<size_t>(loopNumber)].axis);
    return stage->axes[axis].kind == loop::AxisKind::Space;
}

std::vector<int64_t> StageCode::parallelExtents() const {
    std::vector<int64_t> extents;
    std::vector<bool> seen(stage->axes.size(), false);
    for (int i = 0; i < nest.parallelLoops; ++i) {
        const Loop& one = nest.loops[static_cast<size_t>(i)];
        const auto axis = static_cast<size_t>(one.axis);
        const int64_t needed = (stage->axes[axis].extent + one.step - 1) / one.step;
        extents.push_back(ordered[axis] && !seen[axis] ? std::min(one.extent, needed) : one.extent);
        seen[axis] = true;
    }
    return extents;
}

Linear linearize(const Index& index, int loops) {
    Linear result;
    result.coefficients.assign(static_cast<size_t>(loops), 0);
    collect(index, 1, result);
    return result;
}

Result<StageCode> prepareStage(const loop::LoopProgram& program, int number, int lanes) {
    StageCode code;
    code.program = &program;
    code.number = number;
    code.stage = &program.stages[static_cast<size_t>(number)];
    code.nest = program.nests[static_cast<size_t>(number)];
    narrowVectors(code.nest, lanes);
    std::vector<Index> axisValues(code.stage->axes.size(), Index(0));
    for (size_t i = 0; i < code.nest.loops.size(); ++i) {
        const Loop& one = code.nest.loops[i];
        code.ranges.push_back({0, std::max<int64_t>(one.extent - 1, 0)});
        Index& value = axisValues[static_cast<size_t>(one.axis)];
        value = value + Index::axis(static_cast<int>(i)) * one.step;
        if (one.kind != LoopKind::Vectorized) continue;
        if (i + 1 != code.nest.loops.size())
            return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name,
                        "loop " + one.name + " is vectorised but not the innermost");
        code.vectorLoop = static_cast<int>(i);
        code.lanes = static_cast<int>(one.extent);
        code.lanesReduce = !code.isSpace(code.vectorLoop);
    }
    if (code.lanes == 1) code.vectorLoop = -1, code.lanesReduce = false;
    for (size_t axis = 0; axis < code.stage->axes.size(); ++axis) {
        FETTLE_TRY(const bool ordered, isOrdered(code, static_cast<int>(axis)));
        code.ordered.push_back(ordered);
    }
    placeTile(code);
    FETTLE_CHECK(sizeTile(code, lanes));
    code.body = loop::substituteAxes(code.stage->body, axisValues);
    code.epilogue = code.stage->epilogue ? loop::substituteAxes(code.stage->epilogue, axisValues) : nullptr;
    std::vector<Index> outputIndices;
    for (const Index& index : code.stage->outputIndices) outputIndices.push_back(substitute(index, axisValues));
    code.output = makeAccess(code, code.stage->output, outputIndices, false);
    addLoads(code, code.body);
    addLoads(code, code.epilogue);
    return code;
}

}  // namespace fettle::codegen
