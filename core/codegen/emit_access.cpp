// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>
#include <functional>
#include <numeric>

#include "core/codegen/emitter.h"

namespace fettle::codegen {

namespace {

enum Tag : int { kStep = 2000, kLoad, kLoadLanes, kGuard, kGuardAnd, kGuardSpread };

constexpr int64_t kMaxShuffledStride = 4;  // beyond: a gather

int64_t alignmentOf(const Linear& offset, int lane, int64_t elementBytes) {
    int64_t result = std::gcd(int64_t{64}, offset.constant * elementBytes);
    for (size_t i = 0; i < offset.coefficients.size(); ++i)
        if (static_cast<int>(i) != lane) result = std::gcd(result, offset.coefficients[i] * elementBytes);
    for (const auto& [atom, factor] : offset.atoms) result = std::gcd(result, factor * elementBytes);
    return result;
}

}  // namespace

llvm::Value* Emitter::at(llvm::Value* pointer, int64_t displacement) {
    if (displacement == 0) return pointer;
    return builder_.CreateGEP(builder_.getInt8Ty(), pointer,
                              llvm::ConstantInt::getSigned(builder_.getInt64Ty(), displacement));
}

llvm::Constant* Emitter::laneMask(int active, int lanes) {
    std::vector<llvm::Constant*> bits;
    for (int i = 0; i < lanes; ++i) bits.push_back(builder_.getInt1(i < active));
    return llvm::ConstantVector::get(bits);
}

llvm::Constant* Emitter::laneNumbers(llvm::Type* element, int64_t stride, int lanes) {
    std::vector<llvm::Constant*> numbers;
    for (int i = 0; i < lanes; ++i) numbers.push_back(llvm::ConstantInt::getSigned(element, i * stride));
    return llvm::ConstantVector::get(numbers);
}

// The running sum of counters times coefficients, each step placed in the scope where its counter is known.
Emitter::Address Emitter::address(Frame& frame, const Access& access, int64_t elementBytes) {
    Address result;
    result.pointer = {tensors_[static_cast<size_t>(access.tensor)], true, 0};
    result.displacement = access.offset.constant * elementBytes;
    result.alignment = alignmentOf(access.offset, frame.code->vectorLoop, elementBytes);
    const auto advance = [&](const Known& by, int64_t bytes) {
        if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(by.value)) {
            result.displacement += number->getSExtValue() * bytes;
            return;
        }
        const Known from = result.pointer;
        result.pointer =
            placed(std::max(from.scope, by.scope), Key{kStep, from.value, by.value, nullptr, bytes}, true, false, [&] {
                llvm::Value* distance =
                    builder_.CreateMul(by.value, llvm::ConstantInt::getSigned(builder_.getInt64Ty(), bytes));
                return builder_.CreateGEP(builder_.getInt8Ty(), from.value, distance);
            });
    };
    for (size_t i = 0; i < access.offset.coefficients.size(); ++i) {
        const int64_t bytes = access.offset.coefficients[i] * elementBytes;
        if (bytes == 0) continue;
        const Counter& counter = frame.counters[i];
        if (static_cast<int>(i) == frame.code->vectorLoop && frame.lanes > 1)
            result.laneStride = bytes;
        else if (counter.value)
            advance({counter.value, true, counter.scope}, bytes);
        else
            result.displacement += counter.constant * bytes;
    }
    for (const auto& [atom, factor] : access.offset.atoms) {
        const Known value = atomValue(frame, atom);
        if (value.uniform)
            advance(value, factor * elementBytes);
        else
            result.laneTerms.emplace_back(value, factor * elementBytes);
    }
    return result;
}

// True where the guarded load is inside; value null when it always is.
Known Emitter::guardMask(Frame& frame, const Access& access) {
    Known result;
    for (const Access::Guard& guard : access.guards) {
        const Known index = indexValue(frame, guard.index);
        const Known inside =
            placed(index.scope, Key{kGuard, index.value, nullptr, nullptr, guard.extent}, index.uniform, false,
                   [&]() -> llvm::Value* {
                       return builder_.CreateICmpULT(
                           index.value, llvm::ConstantInt::getSigned(index.value->getType(), guard.extent));
                   });
        if (!result.value) {
            result = inside;
            continue;
        }
        const Known before = result;
        const int lanes = before.uniform && inside.uniform ? 1 : frame.lanes;
        result = placed(std::max(before.scope, inside.scope), Key{kGuardAnd, before.value, inside.value, nullptr, 0},
                        lanes == 1, false, [&] {
                            const auto wide = [&](const Known& known) {
                                return known.uniform && lanes > 1
                                           ? builder_.CreateVectorSplat(static_cast<unsigned>(lanes), known.value)
                                           : known.value;
                            };
                            return builder_.CreateAnd(wide(before), wide(inside));
                        });
    }
    if (auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(result.value); known && known->isOne())
        result.value = nullptr;
    return result;
}

llvm::Value* Emitter::guardPlace(double outside, loop::DType dtype) {
    auto* element = llvm::cast<llvm::Constant>(toMemory(constantValue(outside, dtype).value, dtype));
    auto* filled = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(64), element);
    for (llvm::GlobalVariable& global : module_.globals())
        if (global.hasInitializer() && global.getInitializer() == filled) return &global;
    auto* global = new llvm::GlobalVariable(module_, filled->getType(), true, llvm::GlobalValue::PrivateLinkage, filled,
                                            "outside");
    global->setAlignment(llvm::Align(64));
    return global;
}

Known Emitter::load(Frame& frame, const loop::ScalarNode& node) {
    const Access& access = frame.code->accesses.at(&node);
    const loop::DType dtype = program_.tensors[static_cast<size_t>(node.tensor)].type.dtype;
    const Known mask = guardMask(frame, access);
    const Address from = address(frame, access, graph::dtypeBytes(dtype));
    Known value = from.uniform() && (!mask.value || mask.uniform)
                      ? uniformLoad(from, memoryType(dtype), dtype, mask, node.guardValue)
                      : vectorLoad(frame, from, dtype, access.lanesInside, mask, node.guardValue);
    if (dtype == node.dtype) return value;
    return placed(value.scope, Key{kLoad, value.value, nullptr, nullptr, static_cast<int64_t>(node.dtype)},
                  value.uniform, true, [&] { return convert(value.value, dtype, node.dtype); });
}

Known Emitter::uniformLoad(const Address& from, llvm::Type* type, loop::DType dtype, const Known& mask,
                           double outside) {
    const int scope = mask.value ? std::max(from.pointer.scope, mask.scope) : from.pointer.scope;
    int64_t bits = 0;
    std::memcpy(&bits, &outside, sizeof bits);
    return placed(scope,
                  Key{kLoad, from.pointer.value, mask.value, mask.value ? reinterpret_cast<void*>(bits) : nullptr,
                      from.displacement},
                  true, true, [&] {
                      llvm::Value* place = at(from.pointer.value, from.displacement);
                      if (mask.value) place = builder_.CreateSelect(mask.value, place, guardPlace(outside, dtype));
                      const llvm::Align align(static_cast<uint64_t>(graph::dtypeBytes(dtype)));
                      return fromMemory(builder_.CreateAlignedLoad(type, place, align), dtype);
                  });
}

llvm::Value* Emitter::lanePointers(const Address& from, int lanes) {
    llvm::Type* i64 = builder_.getInt64Ty();
    llvm::Value* offsets = laneNumbers(i64, from.laneStride, lanes);
    for (const auto& [term, bytes] : from.laneTerms)
        offsets = builder_.CreateAdd(
            offsets, builder_.CreateMul(term.value, llvm::ConstantInt::getSigned(term.value->getType(), bytes)));
    return builder_.CreateGEP(builder_.getInt8Ty(), at(from.pointer.value, from.displacement), offsets);
}

Known Emitter::vectorLoad(Frame& frame, const Address& from, loop::DType dtype, bool lanesInside, const Known& mask,
                          double outside) {
    const int lanes = frame.lanes;
    const int64_t bytes = graph::dtypeBytes(dtype);
    const bool partial = frame.activeLanes < lanes && !lanesInside;
    int scope = mask.value ? std::max(from.pointer.scope, mask.scope) : from.pointer.scope;
    const void* term = nullptr;
    for (const auto& [value, factor] : from.laneTerms) scope = std::max(scope, value.scope), term = value.value;
    const bool memo = from.laneTerms.size() < 2;  // the key holds one term
    int64_t key = from.displacement * 2 + partial;
    if (mask.value) key ^= static_cast<int64_t>(std::hash<double>{}(outside) << 40);
    if (!memo) term = &from;  // never found again: stack addresses are not values
    const auto make = [&]() -> llvm::Value* {
        llvm::Type* type = memoryType(dtype);
        llvm::Type* vector = widened(type, lanes);
        llvm::Value* place = at(from.pointer.value, from.displacement);
        const llvm::Align elementAlign(static_cast<uint64_t>(bytes));
        const bool contiguous = from.laneTerms.empty() && from.laneStride == bytes;
        if (contiguous && mask.value && mask.uniform && !partial && lanes <= 64) {
            place = builder_.CreateSelect(mask.value, place, guardPlace(outside, dtype));
            return fromMemory(builder_.CreateAlignedLoad(vector, place, elementAlign), dtype);
        }
        const int64_t align = std::max(bytes, std::min(from.alignment, int64_t{64}));
        if (contiguous && !mask.value && !partial)
            return fromMemory(builder_.CreateAlignedLoad(vector, place, llvm::Align(static_cast<uint64_t>(align))),
                              dtype);
        if (from.laneTerms.empty() && !mask.value && !partial && from.laneStride > 0 && from.laneStride % bytes == 0 &&
            from.laneStride / bytes <= kMaxShuffledStride)
            return fromMemory(stridedLoad(place, type, from.laneStride / bytes, lanes), dtype);
        llvm::Value* chosen = partial ? laneMask(frame.activeLanes, lanes) : nullptr;
        if (mask.value) {
            llvm::Value* guard =
                mask.uniform ? builder_.CreateVectorSplat(static_cast<unsigned>(lanes), mask.value) : mask.value;
            chosen = chosen ? builder_.CreateAnd(chosen, guard) : guard;
        }
        if (!chosen) chosen = laneMask(lanes, lanes);
        llvm::Value* through = builder_.CreateVectorSplat(
            static_cast<unsigned>(lanes), toMemory(constantValue(mask.value ? outside : 0, dtype).value, dtype));
        if (contiguous)
            return fromMemory(builder_.CreateMaskedLoad(vector, place, elementAlign, chosen, through), dtype);
        return fromMemory(builder_.CreateMaskedGather(vector, lanePointers(from, lanes), elementAlign, chosen, through),
                          dtype);
    };
    if (!memo) return {make(), false, innermost()};
    return placed(scope, Key{kLoadLanes + static_cast<int>(from.laneStride), from.pointer.value, mask.value, term, key},
                  false, true, make);
}

// Whole vectors and a shuffle; reads nothing beyond the last lane.
llvm::Value* Emitter::stridedLoad(llvm::Value* pointer, llvm::Type* element, int64_t stride, int lanes) {
    const int64_t bytes = element->getScalarSizeInBits() / 8;
    const llvm::Align align(static_cast<uint64_t>(bytes));
    llvm::Type* vector = widened(element, lanes);
    llvm::Value* result = nullptr;
    for (int64_t piece = 0; piece < stride; ++piece) {
        const int64_t first = piece + 1 == stride ? (lanes - 1) * stride + 1 - lanes : piece * lanes;
        std::vector<int> picks;
        llvm::Value* loaded = builder_.CreateAlignedLoad(vector, at(pointer, first * bytes), align);
        for (int i = 0; i < lanes; ++i) {
            const int64_t wanted = i * stride - first;
            const bool here = wanted >= 0 && wanted < lanes && (result == nullptr || i * stride >= piece * lanes);
            picks.push_back(here ? static_cast<int>(wanted) + (result ? lanes : 0) : (result ? i : -1));
        }
        result =
            result ? builder_.CreateShuffleVector(result, loaded, picks) : builder_.CreateShuffleVector(loaded, picks);
    }
    return result;
}

void Emitter::store(Frame& frame, const Known& value, loop::DType from) {
    const Access& access = frame.code->output;
    const loop::DType dtype = program_.tensors[static_cast<size_t>(access.tensor)].type.dtype;
    const int64_t bytes = graph::dtypeBytes(dtype);
    const Address to = address(frame, access, bytes);
    const Known wide = spread(value, frame.lanes);
    llvm::Value* stored = toMemory(convert(wide.value, from, dtype), dtype);
    llvm::Value* place = at(to.pointer.value, to.displacement);
    const llvm::Align elementAlign(static_cast<uint64_t>(bytes));
    if (frame.lanes == 1) {
        builder_.CreateAlignedStore(stored, place, elementAlign);
        return;
    }
    const bool partial = frame.activeLanes < frame.lanes && !access.lanesInside;
    if (to.laneTerms.empty() && to.laneStride == bytes) {
        const int64_t align = std::max(bytes, std::min(to.alignment, int64_t{64}));
        if (partial)
            builder_.CreateMaskedStore(stored, place, elementAlign, laneMask(frame.activeLanes, frame.lanes));
        else
            builder_.CreateAlignedStore(stored, place, llvm::Align(static_cast<uint64_t>(align)));
        return;
    }
    const int active = partial ? frame.activeLanes : frame.lanes;
    builder_.CreateMaskedScatter(stored, lanePointers(to, frame.lanes), elementAlign, laneMask(active, frame.lanes));
}

// The partial result that an earlier iteration of an outer reduce loop left in the output.
llvm::Value* Emitter::loadOutput(Frame& frame) {
    const Access& access = frame.code->output;
    const loop::DType dtype = program_.tensors[static_cast<size_t>(access.tensor)].type.dtype;
    const int64_t bytes = graph::dtypeBytes(dtype);
    const Address from = address(frame, access, bytes);
    llvm::Type* type = widened(memoryType(dtype), frame.lanes);
    llvm::Value* place = at(from.pointer.value, from.displacement);
    const llvm::Align align(static_cast<uint64_t>(bytes));
    llvm::Value* value = nullptr;
    const bool partial = frame.activeLanes < frame.lanes && !access.lanesInside;
    llvm::Constant* mask = frame.lanes > 1 ? laneMask(partial ? frame.activeLanes : frame.lanes, frame.lanes) : nullptr;
    if (frame.lanes > 1 && (!from.laneTerms.empty() || from.laneStride != bytes))
        value = builder_.CreateMaskedGather(type, lanePointers(from, frame.lanes), align, mask);
    else if (partial)
        value = builder_.CreateMaskedLoad(type, place, align, mask);
    else
        value = builder_.CreateAlignedLoad(type, place, align);
    return convert(fromMemory(value, dtype), dtype, frame.code->body->dtype);
}

}  // namespace fettle::codegen
