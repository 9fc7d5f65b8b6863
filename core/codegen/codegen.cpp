// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/codegen.h"

#include <chrono>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "core/codegen/emit_task.h"
#include "core/codegen/hot_block.h"
#include "core/codegen/link.h"
#include "core/codegen/machine.h"
#include "core/codegen/mca.h"

namespace fettle::codegen {

Result<Built> buildTask(const loop::LoopProgram& scheduled, const target::Target& target, const Artefacts& artefacts) {
    const auto start = std::chrono::steady_clock::now();
    FETTLE_TRY(llvm::TargetMachine * machine, targetMachine(target));
    llvm::LLVMContext context;
    llvm::Module module(scheduled.name.empty() ? "task" : scheduled.name, context);
    module.setDataLayout(machine->createDataLayout());
    FETTLE_CHECK(emitTask(module, scheduled, target, *machine, "fettle_task"));
    prepare(module, *machine, target);
    std::string broken;
    llvm::raw_string_ostream stream(broken);
    if (llvm::verifyModule(module, &stream))
        return fail(ErrorCode::Failed, "cannot generate code", scheduled.name, "the emitted IR is invalid: " + broken,
                    "Please report this as a bug of Fettle.");
    optimize(module, *machine);
    Built built;
    if (artefacts.llvmIr) {
        llvm::raw_string_ostream text(built.llvmIr);
        module.print(text, nullptr);
    }
    if (artefacts.assembly) {
        const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
        FETTLE_TRY(built.assembly, emit(*copy, *machine, llvm::CodeGenFileType::AssemblyFile));
    }
    if (artefacts.sharedObject || artefacts.mca) {
        FETTLE_TRY(const std::string object, emit(module, *machine, llvm::CodeGenFileType::ObjectFile));
        const HotBlock hot = findHotBlock(object, *machine);
        built.stats.instructions = hot.instructions;
        built.stats.hotFmas = hot.fmas;
        built.stats.vectorSpills = hot.vectorSpills;
        if (artefacts.mca) {
            FETTLE_TRY(built.mca, analyseBlock(hot.text, target));
        }
        const std::string_view objects[] = {object};
        const std::string exports[] = {"fettle_task"};
        if (artefacts.sharedObject) {
            FETTLE_TRY(built.sharedObject, linkShared(objects, exports, false));
        }
    }
    built.stats.compileMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return built;
}

}  // namespace fettle::codegen
