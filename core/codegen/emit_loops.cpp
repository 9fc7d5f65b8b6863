// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/emitter.h"

#include <algorithm>

namespace fettle::codegen {

using loop::Loop;
using loop::LoopKind;

Emitter::Emitter(llvm::Module& module, const loop::LoopProgram& program, const MachineFacts& facts)
    : module_(module), context_(module.getContext()), program_(program), facts_(facts), builder_(context_) {
    llvm::FastMathFlags flags;
    flags.setAllowContract(true);
    builder_.setFastMathFlags(flags);
}

namespace {

// A stage attached to an attached stage, but outside what that one has of its own, is attached to the outer one.
std::vector<std::pair<int, int>> resolveAttachments(const std::vector<StageCode>& stages) {
    std::vector<std::pair<int, int>> result;
    for (const StageCode& code : stages) result.emplace_back(code.nest.attachStage, code.nest.attachDepth);
    for (auto& [stage, depth] : result)
        while (stage >= 0 && result[static_cast<size_t>(stage)].first >= 0 &&
               depth < result[static_cast<size_t>(stage)].second)
            stage = result[static_cast<size_t>(stage)].first;
    return result;
}

}  // namespace

llvm::Function* Emitter::nest(const std::vector<StageCode>& stages, int root, const std::string& name) {
    stages_ = &stages;
    attachments_ = resolveAttachments(stages);
    const StageCode& code = stages[static_cast<size_t>(root)];
    const bool parallel = code.nest.parallelLoops > 0;
    std::vector<llvm::Type*> types(program_.tensors.size(), builder_.getPtrTy());
    if (parallel) types.insert(types.end(), 2, builder_.getInt64Ty());
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
    function_->addFnAttr(llvm::Attribute::NoInline);
    tensors_.clear();
    for (size_t i = 0; i < program_.tensors.size(); ++i) {
        llvm::Argument* argument = function_->getArg(static_cast<unsigned>(i));
        argument->setName(program_.tensors[i].name);
        argument->addAttr(llvm::Attribute::NoAlias);
        argument->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
        tensors_.push_back(argument);
    }
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
    auto* start = llvm::BasicBlock::Create(context_, "start", function_);  // entry keeps the slots
    builder_.CreateBr(start);
    builder_.SetInsertPoint(start);
    scopes_.assign(1, Scope{start, false, 0, {}});

    Frame frame;
    frame.code = &code;
    frame.counters.resize(code.nest.loops.size());
    frame.limitAfter.resize(code.nest.loops.size());
    frame.firsts.assign(code.nest.loops.size(), nullptr);
    frame.lasts = frame.firsts;
    for (const loop::Axis& axis : code.stage->axes) frame.limits.push_back(axis.extent);
    const bool empty = std::any_of(frame.limits.begin(), frame.limits.end(), [](int64_t n) { return n == 0; });
    if (empty && !code.reduces()) {
        // nothing to compute
    } else if (parallel) {
        llvm::Value* begin = function_->getArg(static_cast<unsigned>(program_.tensors.size()));
        llvm::Value* end = function_->getArg(static_cast<unsigned>(program_.tensors.size()) + 1);
        branch(
            builder_.CreateICmpSLT(begin, end),
            [&] {
                runtimeLoop(begin, end, "parallel", [&](llvm::Value* counter) {
                    parallelCounters_.assign(static_cast<size_t>(code.nest.parallelLoops), nullptr);
                    const std::vector<int64_t> extents = code.parallelExtents();
                    llvm::Value* rest = counter;
                    for (int i = code.nest.parallelLoops; i-- > 0;) {
                        llvm::Value* extent = builder_.getInt64(static_cast<uint64_t>(extents[static_cast<size_t>(i)]));
                        parallelCounters_[static_cast<size_t>(i)] = i == 0 ? rest : builder_.CreateURem(rest, extent);
                        if (i > 0) rest = builder_.CreateUDiv(rest, extent);
                    }
                    level(frame, 0);
                });
            },
            [] {});
    } else {
        level(frame, 0);
    }
    builder_.CreateRetVoid();
    scopes_.clear();
    return function_;
}

void Emitter::openScope(bool barrier) {
    scopes_.back().hoist = builder_.GetInsertBlock();
    auto* next = llvm::BasicBlock::Create(context_, "", function_);
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
    scopes_.push_back(Scope{next, barrier, 0, {}});
}

template <class Body>
void Emitter::runtimeLoop(llvm::Value* from, llvm::Value* to, const std::string& name, Body&& body) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    scopes_.back().hoist = before;
    auto* header = llvm::BasicBlock::Create(context_, name, function_);
    builder_.CreateBr(header);
    builder_.SetInsertPoint(header);
    llvm::PHINode* counter = builder_.CreatePHI(builder_.getInt64Ty(), 2, name);
    counter->addIncoming(from, before);
    scopes_.push_back(Scope{header, false, 0, {}});
    body(counter);
    llvm::Value* next = builder_.CreateAdd(counter, builder_.getInt64(1), "", true, true);
    counter->addIncoming(next, builder_.GetInsertBlock());
    auto* after = llvm::BasicBlock::Create(context_, "", function_);
    builder_.CreateCondBr(builder_.CreateICmpULT(next, to), header, after);
    scopes_.pop_back();
    builder_.SetInsertPoint(after);
}

void Emitter::branch(llvm::Value* condition, const std::function<void()>& then,
                     const std::function<void()>& otherwise) {
    scopes_.back().hoist = builder_.GetInsertBlock();
    auto* yes = llvm::BasicBlock::Create(context_, "", function_);
    auto* no = llvm::BasicBlock::Create(context_, "", function_);
    auto* join = llvm::BasicBlock::Create(context_, "", function_);
    builder_.CreateCondBr(condition, yes, no);
    const auto side = [&](llvm::BasicBlock* block, const std::function<void()>& emit) {
        builder_.SetInsertPoint(block);
        scopes_.push_back(Scope{block, true, 0, {}});
        emit();
        scopes_.pop_back();
        builder_.CreateBr(join);
    };
    side(yes, then);
    side(no, otherwise);
    builder_.SetInsertPoint(join);
}

void Emitter::level(Frame& frame, int depth) {
    const StageCode& code = *frame.code;
    const bool inTile = frame.tile != nullptr;
    const bool opened = !inTile && attached(frame, depth);
    if (code.reduces() && !inTile && depth == code.tileStart)
        tile(frame, depth);
    else if (depth == static_cast<int>(code.nest.loops.size()))
        point(frame);
    else
        oneLoop(frame, depth);
    if (opened) closeScope();
}

// Emits the stages attached at this depth. Afterwards a scope is open so that nothing of the reader is placed before
// what it reads was written.
bool Emitter::attached(Frame& frame, int depth) {
    bool any = false;
    for (const StageCode& code : *stages_) {
        const auto [stage, at] = attachments_[static_cast<size_t>(code.number)];
        if (stage != frame.code->number || at != depth) continue;
        any = true;
        openScope(true);
        Frame child;
        child.code = &code;
        child.counters.assign(frame.counters.begin(), frame.counters.begin() + depth);
        child.limitAfter.assign(frame.limitAfter.begin(), frame.limitAfter.begin() + depth);
        child.counters.resize(code.nest.loops.size());
        child.limitAfter.resize(code.nest.loops.size());
        child.firsts.assign(code.nest.loops.size(), nullptr);
        child.lasts = child.firsts;
        for (const loop::Axis& axis : code.stage->axes) child.limits.push_back(axis.extent);
        for (int i = 0; i < depth; ++i)
            child.limits[static_cast<size_t>(code.nest.loops[static_cast<size_t>(i)].axis)] =
                frame.limitAfter[static_cast<size_t>(i)];
        level(child, depth);
        closeScope();
    }
    if (any) openScope(true);
    return any;
}

Emitter::Trip Emitter::trip(const Frame& frame, int depth) const {
    const Loop& one = frame.code->nest.loops[static_cast<size_t>(depth)];
    const auto axis = static_cast<size_t>(one.axis);
    const int64_t limit = frame.limits[axis];
    if (!frame.code->ordered[axis]) return {one.extent, 0, limit};
    if (one.extent == 1) return {limit > 0, 0, limit};
    const int64_t full = std::min(one.extent, limit / one.step);
    return {full, full < one.extent ? limit - full * one.step : 0, one.step};
}

void Emitter::withCounter(Frame& frame, int depth, Counter counter, int64_t limit, llvm::Value* first,
                          llvm::Value* last) {
    const auto i = static_cast<size_t>(depth);
    int64_t& ofAxis = frame.limits[static_cast<size_t>(frame.code->nest.loops[i].axis)];
    const int64_t saved = ofAxis;
    frame.counters[i] = counter;
    frame.limitAfter[i] = ofAxis = limit;
    frame.firsts[i] = first;
    frame.lasts[i] = last;
    level(frame, depth + 1);
    ofAxis = saved;
}

void Emitter::oneLoop(Frame& frame, int depth) {
    const Loop& one = frame.code->nest.loops[static_cast<size_t>(depth)];
    const bool isParallel = frame.code->nest.attachStage < 0 && depth < frame.code->nest.parallelLoops;
    if (isParallel) return parallelLoop(frame, depth);
    if (one.kind == LoopKind::Vectorized) return vectorLoop(frame, depth);
    if (one.kind == LoopKind::Serial) return serialLoop(frame, depth);
    const Trip range = trip(frame, depth);
    for (int64_t i = 0; i < range.full; ++i)
        withCounter(frame, depth, {nullptr, i, 0}, range.limit, builder_.getInt1(i == 0),
                    builder_.getInt1(i + 1 == range.full && range.rest == 0));
    if (range.rest > 0)
        withCounter(frame, depth, {nullptr, range.full, 0}, range.rest, builder_.getInt1(range.full == 0),
                    builder_.getTrue());
}

// Whole iterations first, then the partial one as code of its own.
void Emitter::serialLoop(Frame& frame, int depth) {
    const Loop& one = frame.code->nest.loops[static_cast<size_t>(depth)];
    const Trip range = trip(frame, depth);
    const bool flags = frame.code->partialInMemory() && depth < frame.code->tileStart && !frame.code->isSpace(depth);
    if (range.full == 1) {
        withCounter(frame, depth, {nullptr, 0, 0}, range.limit, builder_.getTrue(), builder_.getInt1(range.rest == 0));
    } else if (range.full > 1) {
        const auto count = static_cast<uint64_t>(range.full);
        runtimeLoop(builder_.getInt64(0), builder_.getInt64(count), one.name, [&](llvm::Value* counter) {
            llvm::Value *first = nullptr, *last = nullptr;
            if (flags) {
                first = builder_.CreateICmpEQ(counter, builder_.getInt64(0));
                last = builder_.getFalse();
                if (range.rest == 0) last = builder_.CreateICmpEQ(counter, builder_.getInt64(count - 1));
            }
            withCounter(frame, depth, {counter, 0, innermost()}, range.limit, first, last);
        });
    }
    if (range.rest == 0) return;
    openScope(true);
    withCounter(frame, depth, {nullptr, range.full, 0}, range.rest, builder_.getInt1(range.full == 0),
                builder_.getTrue());
    closeScope();
}

void Emitter::parallelLoop(Frame& frame, int depth) {
    const Trip range = trip(frame, depth);
    llvm::Value* counter = parallelCounters_[static_cast<size_t>(depth)];
    const auto whole = [&] {
        if (range.full == 1 && range.rest == 0)
            withCounter(frame, depth, {nullptr, 0, 0}, range.limit, nullptr, nullptr);
        else
            withCounter(frame, depth, {counter, 0, innermost()}, range.limit, nullptr, nullptr);
    };
    const auto partial = [&] { withCounter(frame, depth, {nullptr, range.full, 0}, range.rest, nullptr, nullptr); };
    const auto inside = [&] {
        if (range.rest == 0) return whole();
        if (range.full == 0) return partial();
        branch(builder_.CreateICmpSLT(counter, builder_.getInt64(static_cast<uint64_t>(range.full))), whole, partial);
    };
    // within a partial iteration of an outer parallel loop there are fewer trips
    const int64_t trips = range.full + (range.rest > 0);
    if (trips == frame.code->parallelExtents()[static_cast<size_t>(depth)]) return inside();
    branch(builder_.CreateICmpSLT(counter, builder_.getInt64(static_cast<uint64_t>(trips))), inside, [] {});
}

void Emitter::vectorLoop(Frame& frame, int depth) {
    const Loop& one = frame.code->nest.loops[static_cast<size_t>(depth)];
    const auto axis = static_cast<size_t>(one.axis);
    int64_t active = one.extent;
    if (frame.code->ordered[axis]) active = std::min(active, (frame.limits[axis] + one.step - 1) / one.step);
    frame.lanes = frame.code->lanes;
    frame.activeLanes = static_cast<int>(active);
    if (active > 0) withCounter(frame, depth, {nullptr, 0, 0}, 1, nullptr, nullptr);
}

}  // namespace fettle::codegen
