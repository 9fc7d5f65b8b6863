// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: loop nests -> LLVM IR, one function per outermost nest. The register tile is unrolled here,
// not by LLVM; addresses and invariant values are placed at the outermost loop where they are known.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/codegen/stage_code.h"

namespace fettle::codegen {

struct MachineFacts {
    bool fma = true;           // a fused multiply-add exists
    bool roundInstr = true;    // floor, ceil, rint are instructions
    int vectorRegisters = 16;  // for hoisting decisions
    int lanes = 4;             // float32 per register
};

// A value and where it is known: the index of the scope it was placed in. Uniform: the same in all lanes (a scalar).
struct Known {
    llvm::Value* value = nullptr;
    bool uniform = true;
    int scope = 0;
};

// The counter of a loop right now: a number (unrolled, tail) or a value known in a scope.
struct Counter {
    llvm::Value* value = nullptr;
    int64_t constant = 0;
    int scope = 0;
};

class Emitter {
public:
    Emitter(llvm::Module& module, const loop::LoopProgram& program, const MachineFacts& facts);

    // Emits the nest of an outermost stage, with what is attached to it, as one internal function
    //   void name(ptr tensor..., i64 begin, i64 end)      (begin, end: only when it has parallel loops)
    // with a pointer per tensor of the program.
    llvm::Function* nest(const std::vector<StageCode>& stages, int root, const std::string& name);

private:
    using Key = std::tuple<int, const void*, const void*, const void*, int64_t>;

    // A region of code that starts with a block where what its inside needs can be placed.
    struct Scope {
        llvm::BasicBlock* hoist;
        bool barrier;     // nothing new is placed further out
        int hoisted = 0;  // float values placed here from inside
        std::map<Key, Known> known;
    };

    struct Point {
        std::vector<llvm::AllocaInst*> slots;  // one per partial
        std::vector<Counter> counters;
        int activeLanes;
    };
    // The accumulators of the tile that is being emitted, by output point, then by partial.
    struct Tile {
        std::map<std::vector<int64_t>, size_t> index;  // counters of the space loops in the tile -> point
        std::vector<Point> points;
        llvm::Value *first = nullptr, *last = nullptr;  // i1: of the reduce loops outside the tile; null: true
    };

    struct Frame {
        const StageCode* code;
        std::vector<Counter> counters;            // per loop
        std::vector<int64_t> limits;              // per axis: points left from here inward
        std::vector<int64_t> limitAfter;          // per loop
        std::vector<llvm::Value*> firsts, lasts;  // per loop: i1, only reduce loops outside the tile
        int lanes = 1;        // of the code being emitted: 1 in the epilogue of a vectorised reduction
        int activeLanes = 1;  // fewer than `lanes` in a tail
        Tile* tile = nullptr;
    };

    // emit_loops.cpp: the structure
    void level(Frame& frame, int depth);
    bool attached(Frame& frame, int depth);
    void oneLoop(Frame& frame, int depth);
    void serialLoop(Frame& frame, int depth);
    void parallelLoop(Frame& frame, int depth);
    void vectorLoop(Frame& frame, int depth);
    struct Trip {
        int64_t full = 0, rest = 0;  // whole iterations; points of the partial one after them
        int64_t limit = 0;           // points of the axis inside a whole iteration
    };
    Trip trip(const Frame& frame, int depth) const;
    void withCounter(Frame& frame, int depth, Counter counter, int64_t limit, llvm::Value* first, llvm::Value* last);
    template <class Body>
    void runtimeLoop(llvm::Value* from, llvm::Value* to, const std::string& name, Body&& body);
    void openScope(bool barrier);
    void closeScope() { scopes_.pop_back(); }
    void branch(llvm::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise);

    // emit_tile.cpp: what happens at the innermost level
    void point(Frame& frame);
    void tile(Frame& frame, int depth);
    void forEachPoint(Frame& frame, int depth, const std::function<void()>& visit);
    void accumulate(Frame& frame);
    void finish(Frame& frame, bool epilogue);
    std::vector<int64_t> pointKey(const Frame& frame) const;
    llvm::Value* total(Frame& frame, const Point& point);
    llvm::Value* combine(const StageCode& code, llvm::Value* a, llvm::Value* b);
    llvm::Value* identity(const StageCode& code, llvm::Type* type);
    llvm::Value* acrossLanes(const StageCode& code, llvm::Value* vector);

    // emit_access.cpp: addresses, loads, stores
    struct Address {
        Known pointer;
        int64_t displacement = 0;                          // bytes
        int64_t laneStride = 0;                            // bytes from lane to lane
        std::vector<std::pair<Known, int64_t>> laneTerms;  // further vector of i64, times bytes
        int64_t alignment = 1;
        bool uniform() const { return laneStride == 0 && laneTerms.empty(); }
    };
    Address address(Frame& frame, const Access& access, int64_t elementBytes);
    Known load(Frame& frame, const loop::ScalarNode& node);
    Known uniformLoad(const Address& from, llvm::Type* type, loop::DType dtype, const Known& mask, double outside);
    Known vectorLoad(Frame& frame, const Address& from, loop::DType dtype, bool lanesInside, const Known& mask,
                     double outside);
    void store(Frame& frame, const Known& value, loop::DType from);
    llvm::Value* loadOutput(Frame& frame);
    Known guardMask(Frame& frame, const Access& access);
    llvm::Value* at(llvm::Value* pointer, int64_t displacement);
    llvm::Value* lanePointers(const Address& from, int lanes);
    llvm::Value* stridedLoad(llvm::Value* pointer, llvm::Type* element, int64_t stride, int lanes);
    llvm::Value* guardPlace(double outside, loop::DType dtype);  // memory full of the value
    llvm::Constant* laneMask(int active, int lanes);
    llvm::Constant* laneNumbers(llvm::Type* element, int64_t stride, int lanes);

    // emit_index.cpp: integer code
    Known indexValue(Frame& frame, const Linear& linear);  // i64, or a vector of them
    Known atomValue(Frame& frame, const loop::Index& atom);
    Known indexTree(Frame& frame, const loop::Index& index, std::span<const loop::Range> ranges);
    Known divided(const Known& value, int64_t divisor, bool quotient, loop::Range range);
    Known sum(const Known& a, const Known& b);
    Known times(const Known& a, int64_t factor);

    // emit_scalar.cpp: expressions
    Known scalar(Frame& frame, const loop::Scalar& node, const Known* accumulator);
    Known scalarRoot(Frame& frame, const loop::Scalar& node, const Known* accumulator);
    Known applied(const loop::ScalarNode& node, std::span<Known> operands, int lanes);
    llvm::Value* unaryOp(const loop::ScalarNode& node, llvm::Value* a);
    llvm::Value* binaryOp(loop::ScalarOp op, loop::DType type, llvm::Value* a, llvm::Value* b);
    llvm::Value* convert(llvm::Value* value, loop::DType from, loop::DType to);
    llvm::Value* toMemory(llvm::Value* value, loop::DType dtype);
    llvm::Value* fromMemory(llvm::Value* value, loop::DType dtype);
    Known constantValue(double value, loop::DType dtype);
    llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
    Known spread(const Known& value, int lanes);  // a vector of `lanes`; as it is when lanes is 1

    llvm::Type* computeType(loop::DType dtype) const;  // of one element in registers
    llvm::Type* memoryType(loop::DType dtype) const;
    llvm::Type* widened(llvm::Type* element, int lanes) const;

    // Places what `make` emits in scope `scope` (or further in, at a barrier), once per key.
    template <class Make>
    Known placed(int scope, const Key& key, bool uniform, bool costsRegister, Make&& make);
    int innermost() const { return static_cast<int>(scopes_.size()) - 1; }

    llvm::Module& module_;
    llvm::LLVMContext& context_;
    const loop::LoopProgram& program_;
    MachineFacts facts_;
    llvm::IRBuilder<> builder_;
    llvm::Function* function_ = nullptr;
    const std::vector<StageCode>* stages_ = nullptr;
    std::vector<Scope> scopes_;
    std::vector<llvm::Value*> tensors_;
    std::vector<std::pair<int, int>> attachments_;  // per stage: attachStage, attachDepth, nested ones resolved
    std::vector<llvm::Value*> parallelCounters_;
    std::unordered_map<const loop::ScalarNode*, Known> pointMemo_;  // shared subtrees of the point being emitted
    int hoistBudget_ = 0;                                           // values that may be kept in registers across loops
};

template <class Make>
Known Emitter::placed(int scope, const Key& key, bool uniform, bool costsRegister, Make&& make) {
    for (int i = innermost(); i >= scope; --i)
        if (auto found = scopes_[static_cast<size_t>(i)].known.find(key);
            found != scopes_[static_cast<size_t>(i)].known.end())
            return found->second;
    int place = scope;
    for (int i = innermost(); i > place; --i)
        if (scopes_[static_cast<size_t>(i)].barrier) place = i;
    if (place < innermost() && costsRegister) {
        int live = 0;
        for (const Scope& one : scopes_) live += one.hoisted;
        if (live >= hoistBudget_)
            place = innermost();
        else
            ++scopes_[static_cast<size_t>(place)].hoisted;
    }
    Known known{nullptr, uniform, place};
    if (place == innermost()) {
        known.value = make();
    } else {
        const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
        builder_.SetInsertPoint(scopes_[static_cast<size_t>(place)].hoist->getTerminator());
        known.value = make();
    }
    scopes_[static_cast<size_t>(place)].known[key] = known;
    return known;
}

}  // namespace fettle::codegen
