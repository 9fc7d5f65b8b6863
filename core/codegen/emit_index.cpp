// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <limits>

#include "core/codegen/emitter.h"

namespace fettle::codegen {

using loop::Index;
using loop::Range;

namespace {

// First elements of the keys of values placed in scopes; emit_scalar.cpp uses ScalarOp numbers, all below these.
enum Tag : int { kSum = 1000, kTimes, kDiv, kMod, kSpread64 };

bool fitsInt32(Range range) {
    return range.low >= 0 && range.high <= std::numeric_limits<int32_t>::max();
}

}  // namespace

Known Emitter::sum(const Known& a, const Known& b) {
    if (auto* zero = llvm::dyn_cast<llvm::Constant>(a.value); zero && zero->isNullValue() && a.uniform) return b;
    if (auto* zero = llvm::dyn_cast<llvm::Constant>(b.value); zero && zero->isNullValue() && b.uniform) return a;
    const bool uniform = a.uniform && b.uniform;
    return placed(std::max(a.scope, b.scope), Key{kSum, a.value, b.value, nullptr, 0}, uniform, false, [&] {
        llvm::Value *x = a.value, *y = b.value;
        if (!uniform && a.uniform)
            x = builder_.CreateVectorSplat(llvm::cast<llvm::VectorType>(y->getType())->getElementCount(), x);
        if (!uniform && b.uniform)
            y = builder_.CreateVectorSplat(llvm::cast<llvm::VectorType>(x->getType())->getElementCount(), y);
        return builder_.CreateAdd(x, y);
    });
}

Known Emitter::times(const Known& a, int64_t factor) {
    if (factor == 1) return a;
    return placed(a.scope, Key{kTimes, a.value, nullptr, nullptr, factor}, a.uniform, false, [&] {
        return builder_.CreateMul(a.value, llvm::ConstantInt::getSigned(a.value->getType(), factor));
    });
}

// Floor division and modulo by a constant. `range` is that of the value.
Known Emitter::divided(const Known& value, int64_t divisor, bool quotient, Range range) {
    const Key key{quotient ? kDiv : kMod, value.value, nullptr, nullptr, divisor};
    return placed(value.scope, key, value.uniform, false, [&]() -> llvm::Value* {
        llvm::Type* type = value.value->getType();
        const auto number = [&](llvm::Type* of, int64_t n) { return llvm::ConstantInt::getSigned(of, n); };
        if (std::has_single_bit(static_cast<uint64_t>(divisor))) {
            if (quotient)
                return builder_.CreateAShr(value.value, number(type, std::countr_zero(static_cast<uint64_t>(divisor))));
            return builder_.CreateAnd(value.value, number(type, divisor - 1));
        }
        // made non-negative by whole divisors, so that unsigned division floors
        const int64_t lift = range.low >= 0 ? 0 : (-range.low + divisor - 1) / divisor;
        llvm::Value* lifted = builder_.CreateAdd(value.value, number(type, lift * divisor));
        const bool narrow = fitsInt32({0, range.high + lift * divisor});
        llvm::Type* used = narrow ? type->getWithNewBitWidth(32) : type;
        lifted = builder_.CreateTrunc(lifted, used);
        llvm::Value* result = quotient ? builder_.CreateUDiv(lifted, number(used, divisor))
                                       : builder_.CreateURem(lifted, number(used, divisor));
        result = builder_.CreateZExt(result, type);
        return quotient ? builder_.CreateSub(result, number(type, lift)) : result;
    });
}

Known Emitter::indexTree(Frame& frame, const Index& index, std::span<const Range> ranges) {
    switch (index.kind()) {
        case Index::Kind::Constant:
            return {llvm::ConstantInt::getSigned(builder_.getInt64Ty(), index.constant()), true, 0};
        case Index::Kind::Axis: {
            const int number = index.axisNumber();
            if (number == frame.code->vectorLoop && frame.lanes > 1)
                return {laneNumbers(builder_.getInt64Ty(), 1, frame.lanes), false, 0};
            const Counter& counter = frame.counters[static_cast<size_t>(number)];
            if (counter.value) return {counter.value, true, counter.scope};
            return {llvm::ConstantInt::getSigned(builder_.getInt64Ty(), counter.constant), true, 0};
        }
        case Index::Kind::Add:
            return sum(indexTree(frame, index.left(), ranges), indexTree(frame, index.right(), ranges));
        case Index::Kind::Mul:
            return times(indexTree(frame, index.left(), ranges), index.constant());
        case Index::Kind::FloorDiv:
        case Index::Kind::Mod:
            return divided(indexTree(frame, index.left(), ranges), index.constant(),
                           index.kind() == Index::Kind::FloorDiv, rangeOf(index.left(), ranges));
        case Index::Kind::Loaded: {
            Known loaded = scalar(frame, index.loadedValue(), nullptr);
            const loop::DType dtype = index.loadedValue()->dtype;
            return placed(loaded.scope, Key{kSpread64, loaded.value, nullptr, nullptr, static_cast<int64_t>(dtype)},
                          loaded.uniform, false, [&] { return convert(loaded.value, dtype, loop::DType::Int64); });
        }
    }
    return {};
}

// What is not affine, with the counters that are numbers right now put in first: that often resolves it.
Known Emitter::atomValue(Frame& frame, const Index& atom) {
    if (atom.kind() == Index::Kind::Loaded) return indexTree(frame, atom, {});
    std::vector<Index> values;
    std::vector<Range> ranges = frame.code->ranges;
    for (size_t i = 0; i < frame.counters.size(); ++i) {
        const bool isLane = static_cast<int>(i) == frame.code->vectorLoop && frame.lanes > 1;
        const bool number = !isLane && !frame.counters[i].value;
        values.push_back(number ? Index(frame.counters[i].constant) : Index::axis(static_cast<int>(i)));
        if (number) ranges[i] = {frame.counters[i].constant, frame.counters[i].constant};
    }
    return indexTree(frame, simplify(loop::substituteAffinePart(atom, values), ranges), ranges);
}

Known Emitter::indexValue(Frame& frame, const Linear& linear) {
    Known result{builder_.getInt64(0), true, 0};
    int64_t constant = linear.constant, stride = 0;
    for (size_t i = 0; i < linear.coefficients.size(); ++i) {
        const int64_t factor = linear.coefficients[i];
        if (factor == 0) continue;
        if (static_cast<int>(i) == frame.code->vectorLoop && frame.lanes > 1) {
            stride = factor;
        } else if (frame.counters[i].value) {
            result = sum(result, times({frame.counters[i].value, true, frame.counters[i].scope}, factor));
        } else {
            constant += factor * frame.counters[i].constant;
        }
    }
    for (const auto& [atom, factor] : linear.atoms) result = sum(result, times(atomValue(frame, atom), factor));
    result = sum(result, {llvm::ConstantInt::getSigned(builder_.getInt64Ty(), constant), true, 0});
    if (stride != 0) result = sum(result, {laneNumbers(builder_.getInt64Ty(), stride, frame.lanes), false, 0});
    return result;
}

}  // namespace fettle::codegen
