// SPDX-License-Identifier: GPL-3.0-or-later
// A whole model as one module: task functions, constants, and the tables of core/runtime/model_table.h.
#include <chrono>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "core/codegen/codegen.h"
#include "core/codegen/emit_task.h"
#include "core/codegen/link.h"
#include "core/codegen/machine.h"
#include "core/codegen/runtime_object.h"
#include "core/runtime/model_table.h"

namespace fettle::codegen {

namespace {

static_assert(sizeof(fettle_buffer_ref) == 16 && sizeof(fettle_step) == 24, "the structs below mirror model_table.h");

constexpr uint64_t kAlignment = 64;

// Constant data in the shape of the ABI's C structs. LLVM lays literal structs out as C does.
class Tables {
public:
    explicit Tables(llvm::Module& module) : module_(module), context_(module.getContext()) {}

    llvm::Constant* u32(uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), value); }
    llvm::Constant* u64(uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value); }
    llvm::Constant* real(double value) { return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context_), value); }
    llvm::Constant* null() { return llvm::ConstantPointerNull::get(llvm::PointerType::get(context_, 0)); }
    llvm::Constant* text(const std::string& value) {
        return place(llvm::ConstantDataArray::getString(context_, value), "text", 1);
    }
    llvm::Constant* structure(llvm::ArrayRef<llvm::Constant*> fields) {
        return llvm::ConstantStruct::getAnon(context_, fields);
    }
    llvm::Constant* array(llvm::ArrayRef<llvm::Constant*> elements, const char* name) {
        if (elements.empty()) return null();
        auto* type = llvm::ArrayType::get(elements.front()->getType(), elements.size());
        return place(llvm::ConstantArray::get(type, elements), name, 8);
    }
    llvm::Constant* bytes(std::span<const std::byte> data) {
        if (data.empty()) return null();
        const llvm::StringRef raw(reinterpret_cast<const char*>(data.data()), data.size());
        return place(llvm::ConstantDataArray::getRaw(raw, raw.size(), llvm::Type::getInt8Ty(context_)), "constants",
                     kAlignment);
    }
    llvm::GlobalVariable* place(llvm::Constant* value, const char* name, uint64_t alignment) {
        auto* global = new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                value, std::string("fettle.") + name);
        global->setAlignment(llvm::Align(alignment));
        return global;
    }
    llvm::Constant* tensors(const std::vector<TensorInfo>& infos, const char* name) {
        std::vector<llvm::Constant*> rows;
        for (const TensorInfo& info : infos) {
            std::vector<llvm::Constant*> dims;
            for (const int64_t dim : info.type.shape) dims.push_back(u64(static_cast<uint64_t>(dim)));
            rows.push_back(structure({text(info.name), u32(static_cast<uint64_t>(info.type.dtype)), u32(dims.size()),
                                      array(dims, "dims"), u64(static_cast<uint64_t>(physicalBytes(info.type))),
                                      u64(kAlignment)}));
        }
        return array(rows, name);
    }

private:
    llvm::Module& module_;
    llvm::LLVMContext& context_;
};

llvm::Constant* modelInfo(Tables& tables, const ModelPlan& plan, const target::Target& target) {
    std::vector<llvm::Constant*> names;
    for (const Step& step : plan.steps) names.push_back(tables.text(step.name));
    const uint64_t vlenb = static_cast<uint64_t>(target.minVlenBits) / 8;
    return tables.place(tables.structure({tables.u32(FETTLE_MAGIC),
                                          tables.u32(FETTLE_ABI_MAJOR),
                                          tables.u32(FETTLE_ABI_MINOR),
                                          tables.u32(sizeof(fettle_info)),
                                          tables.text(plan.name),
                                          tables.text(plan.modelSha256),
                                          tables.text(target.triple),
                                          tables.text(target.cpu),
                                          tables.text(target.features),
                                          tables.u32(vlenb),
                                          tables.u32(0),
                                          tables.u32(plan.inputs.size()),
                                          tables.u32(plan.outputs.size()),
                                          tables.tensors(plan.inputs, "inputs"),
                                          tables.tensors(plan.outputs, "outputs"),
                                          tables.u64(static_cast<uint64_t>(plan.arenaBytes)),
                                          tables.u64(kAlignment),
                                          tables.real(plan.tolerance),
                                          tables.u32(0),
                                          tables.u32(static_cast<uint64_t>(plan.threads)),
                                          tables.u32(plan.steps.size()),
                                          tables.array(names, "step_names")}),
                        "info", 8);
}

llvm::Constant* modelTable(Tables& tables, const ModelPlan& plan, const target::Target& target,
                           const std::vector<llvm::Function*>& tasks) {
    std::vector<llvm::Constant*> steps;
    size_t widest = 0;
    for (const Step& step : plan.steps) {
        std::vector<llvm::Constant*> refs;
        for (const BufferRef& ref : step.buffers)
            refs.push_back(tables.structure({tables.u32(static_cast<uint64_t>(ref.space)),
                                             tables.u32(static_cast<uint64_t>(ref.index)),
                                             tables.u64(static_cast<uint64_t>(ref.offset))}));
        widest = std::max(widest, refs.size());
        steps.push_back(tables.structure({tasks[static_cast<size_t>(step.task)], tables.u32(refs.size()), tables.u32(0),
                                          tables.array(refs, "refs")}));
    }
    return tables.place(tables.structure({modelInfo(tables, plan, target), tables.array(steps, "steps"),
                                          tables.bytes(plan.constants), tables.u32(widest), tables.u32(0)}),
                        "table", 8);
}

// Result name(argument) { return runtime(table, argument); }
void addEntry(llvm::Module& module, const std::string& name, const char* runtime, llvm::Constant* table,
              llvm::Type* result, llvm::Type* argument) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* type = llvm::FunctionType::get(result, {argument}, false);
    auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", entry));
    auto* callee = llvm::Function::Create(llvm::FunctionType::get(result, {pointer, argument}, false),
                                          llvm::GlobalValue::ExternalLinkage, runtime, module);
    callee->setVisibility(llvm::GlobalValue::HiddenVisibility);
    builder.CreateRet(builder.CreateCall(callee, {table, entry->getArg(0)}));
}

Status checkPlan(const ModelPlan& plan, const target::Target& target) {
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::Failed, "cannot build the model", plan.name, why);
    };
    if (!target.triple.starts_with(runtimeObjectTriple()))
        return fail(ErrorCode::MissingTarget, "cannot build the model", plan.name,
                    "this build of Fettle has no runtime for " + target.triple);
    for (const Step& step : plan.steps) {
        if (step.task < 0 || static_cast<size_t>(step.task) >= plan.tasks.size())
            return refuse("step " + step.name + " has no task");
        if (step.buffers.size() != plan.tasks[static_cast<size_t>(step.task)].tensors.size())
            return refuse("step " + step.name + " has " + std::to_string(step.buffers.size()) + " buffers for " +
                          std::to_string(plan.tasks[static_cast<size_t>(step.task)].tensors.size()) + " tensors");
    }
    return {};
}

}  // namespace

Result<Built> buildModel(const ModelPlan& plan, const target::Target& target) {
    const auto start = std::chrono::steady_clock::now();
    FETTLE_CHECK(checkPlan(plan, target));
    FETTLE_TRY(llvm::TargetMachine * machine, targetMachine(target));
    llvm::LLVMContext context;
    llvm::Module module(plan.name, context);
    module.setDataLayout(machine->createDataLayout());
    std::vector<llvm::Function*> tasks;
    for (size_t i = 0; i < plan.tasks.size(); ++i) {
        FETTLE_TRY(llvm::Function * task,
                   emitTask(module, plan.tasks[i], target, *machine, "task" + std::to_string(i)));
        task->setLinkage(llvm::GlobalValue::InternalLinkage);
        tasks.push_back(task);
    }
    Tables tables(module);
    llvm::Constant* table = modelTable(tables, plan, target, tasks);
    llvm::Type *pointer = llvm::PointerType::get(context, 0), *i32 = llvm::Type::getInt32Ty(context);
    const std::string query = "fettle_" + plan.name + "_query", run = "fettle_" + plan.name + "_run";
    addEntry(module, query, "fettle_runtime_query", table, pointer, i32);
    addEntry(module, run, "fettle_runtime_run", table, i32, pointer);
    prepare(module, *machine, target);
    std::string broken;
    llvm::raw_string_ostream stream(broken);
    if (llvm::verifyModule(module, &stream))
        return fail(ErrorCode::Failed, "cannot build the model", plan.name, "the emitted IR is invalid: " + broken,
                    "Please report this as a bug of Fettle.");
    optimize(module, *machine);
    FETTLE_TRY(const std::string object, emit(module, *machine, llvm::CodeGenFileType::ObjectFile));
    const std::string_view objects[] = {object, runtimeObject()};
    const std::string exports[] = {query, run};
    Built built;
    FETTLE_TRY(built.sharedObject, linkShared(objects, exports, true));
    built.stats.compileMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return built;
}

}  // namespace fettle::codegen
