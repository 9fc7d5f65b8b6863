// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/emit_task.h"

#include "core/codegen/emitter.h"
#include "core/codegen/machine.h"

namespace fettle::codegen {

namespace {

using Builder = llvm::IRBuilder<>;

// for (i = 0; i < count; ++i) body(i)
template <class Body>
void countedLoop(Builder& builder, int64_t count, Body&& body) {
    if (count <= 0) return;
    if (count == 1) return body(builder.getInt64(0));
    llvm::BasicBlock* before = builder.GetInsertBlock();
    llvm::Function* function = before->getParent();
    auto* header = llvm::BasicBlock::Create(builder.getContext(), "zero", function);
    auto* after = llvm::BasicBlock::Create(builder.getContext(), "", function);
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    llvm::PHINode* counter = builder.CreatePHI(builder.getInt64Ty(), 2);
    counter->addIncoming(builder.getInt64(0), before);
    body(counter);
    llvm::Value* next = builder.CreateAdd(counter, builder.getInt64(1), "", true, true);
    counter->addIncoming(next, builder.GetInsertBlock());
    builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(static_cast<uint64_t>(count))), header, after);
    builder.SetInsertPoint(after);
}

llvm::Value* offset(Builder& builder, llvm::Value* pointer, int64_t bytes) {
    return bytes == 0 ? pointer
                      : builder.CreateGEP(builder.getInt8Ty(), pointer, builder.getInt64(static_cast<uint64_t>(bytes)));
}

void zeroBytes(Builder& builder, llvm::Value* pointer, int64_t bytes, int64_t vectorBytes) {
    auto* vector = llvm::FixedVectorType::get(builder.getInt8Ty(), static_cast<unsigned>(vectorBytes));
    const int64_t whole = bytes / vectorBytes;
    const auto clear = [&](llvm::Type* type, llvm::Value* place) {
        builder.CreateAlignedStore(llvm::Constant::getNullValue(type), place, llvm::Align(1));
    };
    if (whole <= 4) {
        for (int64_t i = 0; i < whole; ++i) clear(vector, offset(builder, pointer, i * vectorBytes));
    } else {
        countedLoop(builder, whole, [&](llvm::Value* i) {
            llvm::Value* distance = builder.CreateMul(i, builder.getInt64(static_cast<uint64_t>(vectorBytes)));
            clear(vector, builder.CreateGEP(builder.getInt8Ty(), pointer, distance));
        });
    }
    int64_t done = whole * vectorBytes;
    for (int64_t size = 8; size > 0; size /= 2)
        for (; bytes - done >= size; done += size)
            clear(builder.getIntNTy(static_cast<unsigned>(size) * 8), offset(builder, pointer, done));
}

// Zeroes the borders only: from physical dimension `dimension` inward.
void zeroHalo(Builder& builder, const graph::TensorType& type, llvm::Value* pointer, size_t dimension,
              int64_t vectorBytes) {
    const graph::Layout& layout = type.layout;
    const size_t rank = type.shape.size();
    const auto axisOf = [&](size_t d) { return layout.order.empty() ? d : static_cast<size_t>(layout.order[d]); };
    const auto border = [&](const std::vector<int64_t>& of, size_t d) {
        return d < rank && !of.empty() ? of[axisOf(d)] : 0;
    };
    bool inside = false;
    for (size_t d = dimension; d < rank; ++d) inside |= border(layout.haloBefore, d) || border(layout.haloAfter, d);
    if (!inside) return;
    const graph::Shape shape = physicalShape(type);
    int64_t stride = graph::dtypeBytes(type.dtype);
    for (size_t d = dimension + 1; d < shape.size(); ++d) stride *= shape[d];
    const int64_t before = border(layout.haloBefore, dimension), after = border(layout.haloAfter, dimension);
    const int64_t middle = shape[dimension] - before - after;
    if (before) zeroBytes(builder, pointer, before * stride, vectorBytes);
    countedLoop(builder, middle, [&](llvm::Value* i) {
        llvm::Value* row = builder.CreateGEP(builder.getInt8Ty(), offset(builder, pointer, before * stride),
                                             builder.CreateMul(i, builder.getInt64(static_cast<uint64_t>(stride))));
        zeroHalo(builder, type, row, dimension + 1, vectorBytes);
    });
    if (after) zeroBytes(builder, offset(builder, pointer, (before + middle) * stride), after * stride, vectorBytes);
}

Status checkAttachment(const std::vector<StageCode>& stages, const StageCode& code) {
    if (code.nest.attachStage < 0) return {};
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name, why);
    };
    if (code.nest.attachStage >= static_cast<int>(stages.size()) || code.nest.attachStage <= code.number)
        return refuse("it is attached to no later stage");
    const StageCode& at = stages[static_cast<size_t>(code.nest.attachStage)];
    const auto depth = static_cast<size_t>(code.nest.attachDepth);
    if (depth > code.nest.loops.size() ||
        depth > static_cast<size_t>(at.reduces() ? at.tileStart : at.nest.loops.size()) ||
        (at.vectorLoop >= 0 && static_cast<int>(depth) > at.vectorLoop))
        return refuse("it is attached inside the register tile of " + at.stage->name);
    if (code.nest.attachDepth < at.nest.parallelLoops)
        return refuse("it is attached between the parallel loops of " + at.stage->name);
    for (size_t i = 0; i < depth; ++i) {
        const loop::Loop &mine = code.nest.loops[i], &theirs = at.nest.loops[i];
        if (mine.extent != theirs.extent || mine.step != theirs.step)
            return refuse("its loop " + mine.name + " differs from " + theirs.name + " of " + at.stage->name);
    }
    return {};
}

Status checkPlan(const std::vector<StageCode>& stages) {
    for (const StageCode& code : stages) {
        FETTLE_CHECK(checkAttachment(stages, code));
        if (code.nest.parallelLoops > code.tileStart || (code.nest.parallelLoops > 0 && code.nest.attachStage >= 0))
            return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name,
                        "a loop that cannot run in parallel does");
        const loop::DType stored = code.program->tensors[static_cast<size_t>(code.output.tensor)].type.dtype;
        if (code.partialInMemory() && stored != loop::DType::Float32 && stored != code.body->dtype)
            return fail(ErrorCode::Failed, "illegal loop nest", code.stage->name,
                        "partial sums do not fit the output's element type");
    }
    return {};
}

int64_t parallelCount(const StageCode& code) {
    int64_t count = 1;
    for (const int64_t extent : code.parallelExtents()) count *= extent;
    return count;
}

class TaskEmitter {
public:
    TaskEmitter(llvm::Module& module, const loop::LoopProgram& program, const MachineFacts& facts)
        : module_(module),
          program_(program),
          facts_(facts),
          emitter_(module, program, facts),
          builder_(module.getContext()) {}

    llvm::Function* emit(const std::vector<StageCode>& stages, const std::string& name) {
        llvm::Type* pointer = builder_.getPtrTy();
        auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer, pointer}, false);
        auto* task = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
        builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", task));
        const std::vector<llvm::Value*> tensors = loadTensors(builder_, task->getArg(0));
        for (size_t i = 0; i < tensors.size(); ++i)
            if (program_.tensors[i].role == loop::Role::Output || program_.tensors[i].role == loop::Role::Temp)
                zeroHalo(builder_, program_.tensors[i].type, tensors[i], 0, facts_.lanes * 4);
        for (const StageCode& code : stages) {
            if (code.nest.attachStage >= 0) continue;
            const std::string nestName = name + "." + code.stage->name;
            llvm::Function* nest = emitter_.nest(stages, code.number, nestName);
            if (code.nest.parallelLoops > 0)
                callParallel(task, nest, tensors, parallelCount(code));
            else
                builder_.CreateCall(nest, tensors);
        }
        builder_.CreateRet(builder_.getInt32(0));
        return task;
    }

private:
    std::vector<llvm::Value*> loadTensors(Builder& builder, llvm::Value* buffers) {
        std::vector<llvm::Value*> tensors;
        for (size_t i = 0; i < program_.tensors.size(); ++i)
            tensors.push_back(builder.CreateLoad(builder.getPtrTy(),
                                                 builder.CreateConstGEP1_64(builder.getPtrTy(), buffers, i),
                                                 program_.tensors[i].name));
        return tensors;
    }

    // void body(void* buffers, int64_t begin, int64_t end), for the caller's parallel_for
    llvm::Function* body(llvm::Function* nest) {
        auto* type = llvm::FunctionType::get(
            builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getInt64Ty(), builder_.getInt64Ty()}, false);
        auto* function =
            llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, nest->getName() + ".body", module_);
        Builder builder(llvm::BasicBlock::Create(module_.getContext(), "entry", function));
        std::vector<llvm::Value*> arguments = loadTensors(builder, function->getArg(0));
        arguments.push_back(function->getArg(1));
        arguments.push_back(function->getArg(2));
        builder.CreateCall(nest, arguments);
        builder.CreateRetVoid();
        return function;
    }

    void callParallel(llvm::Function* task, llvm::Function* nest, std::vector<llvm::Value*> arguments, int64_t count) {
        llvm::LLVMContext& context = module_.getContext();
        auto* alone = llvm::BasicBlock::Create(context, "", task);
        auto* together = llvm::BasicBlock::Create(context, "", task);
        auto* after = llvm::BasicBlock::Create(context, "", task);
        builder_.CreateCondBr(builder_.CreateIsNull(task->getArg(2)), alone, together);
        builder_.SetInsertPoint(alone);
        llvm::Value* extent = builder_.getInt64(static_cast<uint64_t>(count));
        arguments.push_back(builder_.getInt64(0));
        arguments.push_back(extent);
        builder_.CreateCall(nest, arguments);
        builder_.CreateBr(after);
        builder_.SetInsertPoint(together);
        llvm::Type* pointer = builder_.getPtrTy();
        auto* type =
            llvm::FunctionType::get(builder_.getVoidTy(), {pointer, builder_.getInt64Ty(), pointer, pointer}, false);
        builder_.CreateCall(type, task->getArg(2), {task->getArg(1), extent, body(nest), task->getArg(0)});
        builder_.CreateBr(after);
        builder_.SetInsertPoint(after);
    }

    llvm::Module& module_;
    const loop::LoopProgram& program_;
    const MachineFacts& facts_;
    Emitter emitter_;
    Builder builder_;
};

MachineFacts factsOf(const target::Target& target, const llvm::TargetMachine& machine) {
    MachineFacts facts;
    const bool x86 = machine.getTargetTriple().isX86();
    facts.fma = !x86 || hasFeature(machine, "fma");
    facts.roundInstr = !x86 || hasFeature(machine, "sse4.1");
    facts.lanes = std::max(1, target.lanes());
    facts.vectorRegisters = target.vectorRegisters;
    return facts;
}

}  // namespace

Result<llvm::Function*> emitTask(llvm::Module& module, const loop::LoopProgram& program, const target::Target& target,
                                 const llvm::TargetMachine& machine, const std::string& name) {
    const MachineFacts facts = factsOf(target, machine);
    std::vector<StageCode> stages;
    for (size_t i = 0; i < program.stages.size(); ++i) {
        FETTLE_TRY(StageCode code, prepareStage(program, static_cast<int>(i), facts.lanes));
        stages.push_back(std::move(code));
    }
    FETTLE_CHECK(checkPlan(stages));
    return TaskEmitter(module, program, facts).emit(stages, name);
}

}  // namespace fettle::codegen
