// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/emitter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fettle::codegen {

using loop::Reduction;
using loop::ScalarOp;

void Emitter::point(Frame& frame) {
    const StageCode& code = *frame.code;
    if (frame.tile) return accumulate(frame);
    hoistBudget_ = facts_.vectorRegisters / 2;
    Known value = scalarRoot(frame, code.body, nullptr);
    loop::DType dtype = code.body->dtype;
    if (code.epilogue) {
        value = scalarRoot(frame, code.epilogue, &value);
        dtype = code.epilogue->dtype;
    }
    store(frame, value, dtype);
}

// Visits every output point of the tile (a vector of them when the lanes are along space), counters set.
void Emitter::forEachPoint(Frame& frame, int depth, const std::function<void()>& visit) {
    const StageCode& code = *frame.code;
    if (depth == static_cast<int>(code.nest.loops.size())) return visit();
    const auto i = static_cast<size_t>(depth);
    const loop::Loop& one = code.nest.loops[i];
    frame.counters[i] = {};
    if (!code.isSpace(depth)) return forEachPoint(frame, depth + 1, visit);
    int64_t& limit = frame.limits[static_cast<size_t>(one.axis)];
    const int64_t saved = limit;
    if (one.kind == loop::LoopKind::Vectorized) {
        frame.lanes = code.lanes;
        frame.activeLanes = code.lanes;
        if (code.ordered[static_cast<size_t>(one.axis)])
            frame.activeLanes = static_cast<int>(std::min<int64_t>(code.lanes, (limit + one.step - 1) / one.step));
        if (frame.activeLanes > 0) forEachPoint(frame, depth + 1, visit);
    } else {
        const Trip range = trip(frame, depth);
        for (int64_t k = 0; k < range.full + (range.rest > 0); ++k) {
            frame.counters[i].constant = k;
            limit = k < range.full ? range.limit : range.rest;
            forEachPoint(frame, depth + 1, visit);
        }
    }
    limit = saved;
}

std::vector<int64_t> Emitter::pointKey(const Frame& frame) const {
    std::vector<int64_t> key;
    for (int i = frame.code->tileStart; i < static_cast<int>(frame.counters.size()); ++i)
        if (frame.code->isSpace(i)) key.push_back(frame.counters[static_cast<size_t>(i)].constant);
    return key;
}

// A reduction whose accumulators live in registers: set them up, run the loops inside, write the results.
void Emitter::tile(Frame& frame, int depth) {
    const StageCode& code = *frame.code;
    Tile tile;
    frame.lanes = frame.activeLanes = 1;
    for (int i = code.firstReduce; code.partialInMemory() && i < depth; ++i) {
        if (code.isSpace(i)) continue;
        llvm::Value *first = frame.firsts[static_cast<size_t>(i)], *last = frame.lasts[static_cast<size_t>(i)];
        tile.first = tile.first ? builder_.CreateAnd(tile.first, first) : first;
        tile.last = tile.last ? builder_.CreateAnd(tile.last, last) : last;
    }
    hoistBudget_ = std::max(0, facts_.vectorRegisters - 4 - code.tilePoints * code.partials);
    llvm::Type* element = computeType(code.body->dtype);
    const auto slotType = [&] { return widened(element, code.lanesReduce ? code.lanes : frame.lanes); };
    forEachPoint(frame, depth, [&] {
        Point point{{}, frame.counters, frame.activeLanes};
        for (int i = 0; i < code.partials; ++i) {
            llvm::BasicBlock& entry = function_->getEntryBlock();
            llvm::IRBuilder<> slots(&entry, entry.begin());
            point.slots.push_back(slots.CreateAlloca(slotType()));
            llvm::Value* start = identity(code, slotType());
            if (i == 0 && tile.first) {
                llvm::Value* soFar = loadOutput(frame);
                if (code.lanesReduce) soFar = builder_.CreateInsertElement(start, soFar, uint64_t{0});
                start = builder_.CreateSelect(tile.first, start, soFar);
            }
            builder_.CreateStore(start, point.slots.back());
        }
        tile.index[pointKey(frame)] = tile.points.size();
        tile.points.push_back(std::move(point));
    });
    frame.tile = &tile;
    const bool empty = std::any_of(code.stage->axes.begin(), code.stage->axes.end(),
                                   [](const loop::Axis& axis) { return axis.extent == 0; });
    if (!empty) level(frame, depth);
    frame.tile = nullptr;
    if (!tile.last) {
        frame.tile = &tile;
        openScope(true);
        finish(frame, true);
        closeScope();
    } else {
        frame.tile = &tile;
        branch(
            tile.last, [&] { finish(frame, true); }, [&] { finish(frame, false); });
    }
    frame.tile = nullptr;
}

void Emitter::accumulate(Frame& frame) {
    const StageCode& code = *frame.code;
    Tile& tile = *frame.tile;
    const Point& point = tile.points[tile.index.at(pointKey(frame))];
    int64_t reduceNumber = 0;
    for (int i = code.tileStart; i < static_cast<int>(code.nest.loops.size()); ++i)
        if (!code.isSpace(i) && code.nest.loops[static_cast<size_t>(i)].kind == loop::LoopKind::Unrolled)
            reduceNumber = reduceNumber * code.nest.loops[static_cast<size_t>(i)].extent +
                           frame.counters[static_cast<size_t>(i)].constant;
    llvm::AllocaInst* slot = point.slots[static_cast<size_t>(reduceNumber % code.partials)];
    llvm::Value* before = builder_.CreateLoad(slot->getAllocatedType(), slot);
    const bool masked = code.lanesReduce && frame.activeLanes < frame.lanes;
    llvm::Value* after = nullptr;
    const loop::ScalarNode& body = *code.body;
    if (code.stage->reduction == Reduction::Sum && body.op == ScalarOp::Mul && graph::isFloat(body.dtype) && !masked &&
        body.operands[0]->dtype == body.dtype && body.operands[1]->dtype == body.dtype) {
        pointMemo_.clear();
        const Known a = scalar(frame, body.operands[0], nullptr), b = scalar(frame, body.operands[1], nullptr);
        after = fma(spread(a, frame.lanes).value, spread(b, frame.lanes).value, before);
    } else {
        llvm::Value* value = spread(scalarRoot(frame, code.body, nullptr), frame.lanes).value;
        if (masked)
            value = builder_.CreateSelect(laneMask(frame.activeLanes, frame.lanes), value,
                                          identity(code, value->getType()));
        after = combine(code, before, value);
    }
    builder_.CreateStore(after, slot);
}

// Writes the tile's results: through the epilogue, or as partial results when reduce loops outside go on.
void Emitter::finish(Frame& frame, bool epilogue) {
    const StageCode& code = *frame.code;
    for (const Point& point : frame.tile->points) {
        frame.counters = point.counters;
        frame.activeLanes = point.activeLanes;
        frame.lanes = code.lanesReduce ? 1 : code.lanes;
        Known result{total(frame, point), frame.lanes == 1, innermost()};
        loop::DType dtype = code.body->dtype;
        if (epilogue && code.epilogue) {
            result = scalarRoot(frame, code.epilogue, &result);
            dtype = code.epilogue->dtype;
        }
        store(frame, result, dtype);
    }
}

llvm::Value* Emitter::total(Frame& frame, const Point& point) {
    const StageCode& code = *frame.code;
    std::vector<llvm::Value*> values;
    for (llvm::AllocaInst* slot : point.slots) values.push_back(builder_.CreateLoad(slot->getAllocatedType(), slot));
    while (values.size() > 1) {
        std::vector<llvm::Value*> halved;
        for (size_t i = 0; i + 1 < values.size(); i += 2) halved.push_back(combine(code, values[i], values[i + 1]));
        if (values.size() % 2) halved.push_back(values.back());
        values = std::move(halved);
    }
    return code.lanesReduce ? acrossLanes(code, values[0]) : values[0];
}

llvm::Value* Emitter::combine(const StageCode& code, llvm::Value* a, llvm::Value* b) {
    constexpr ScalarOp kOp[] = {ScalarOp::Add, ScalarOp::Add, ScalarOp::Max, ScalarOp::Min, ScalarOp::Mul};
    return binaryOp(kOp[static_cast<size_t>(code.stage->reduction)], code.body->dtype, a, b);
}

llvm::Value* Emitter::identity(const StageCode& code, llvm::Type* type) {
    const loop::DType dtype = code.body->dtype;
    const bool highest = code.stage->reduction == Reduction::Min;
    if (code.stage->reduction == Reduction::Sum || code.stage->reduction == Reduction::Product) {
        const int value = code.stage->reduction == Reduction::Product;
        if (type->isFPOrFPVectorTy()) return llvm::ConstantFP::get(type, value);
        return llvm::ConstantInt::get(type, static_cast<uint64_t>(value));
    }
    if (type->isFPOrFPVectorTy()) return llvm::ConstantFP::getInfinity(type, !highest);
    const unsigned bits = type->getScalarSizeInBits();
    const llvm::APInt value =
        graph::isUnsigned(dtype)
            ? (highest ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getMinValue(bits))
            : (highest ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getSignedMinValue(bits));
    return llvm::ConstantInt::get(type, value);
}

llvm::Value* Emitter::acrossLanes(const StageCode& code, llvm::Value* vector) {
    int lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
    while (lanes > 1 && lanes % 2 == 0) {
        lanes /= 2;
        std::vector<int> low, high;
        for (int i = 0; i < lanes; ++i) low.push_back(i), high.push_back(i + lanes);
        vector = combine(code, builder_.CreateShuffleVector(vector, low), builder_.CreateShuffleVector(vector, high));
    }
    llvm::Value* result = builder_.CreateExtractElement(vector, uint64_t{0});
    for (int i = 1; i < lanes; ++i)
        result = combine(code, result, builder_.CreateExtractElement(vector, static_cast<uint64_t>(i)));
    return result;
}

}  // namespace fettle::codegen
