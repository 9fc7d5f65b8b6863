// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/machine.h"

#include <map>
#include <memory>
#include <mutex>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Pass.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

namespace fettle::codegen {

namespace {

void initializeTargets() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeAllTargetInfos();
        llvm::InitializeAllTargets();
        llvm::InitializeAllTargetMCs();
        llvm::InitializeAllAsmPrinters();
        llvm::InitializeAllAsmParsers();
        llvm::InitializeAllDisassemblers();
    });
}

Result<std::unique_ptr<llvm::TargetMachine>> create(const target::Target& target) {
    initializeTargets();
    const llvm::Triple triple(target.triple);
    std::string message;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, message);
    if (!found) return fail(ErrorCode::MissingTarget, "cannot generate code", target.triple, message);
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget(found->createMCSubtargetInfo(triple, "", ""));
    if (subtarget && !target.cpu.empty() && !subtarget->isCPUStringValid(target.cpu))
        return fail(ErrorCode::MissingTarget, "cannot generate code", target.triple,
                    "LLVM knows no CPU \"" + target.cpu + "\" of this kind", "See `fettle-cli targets`.");
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
    options.FunctionSections = false;
    options.NoTrapAfterNoreturn = true;
    std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
        triple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
    if (!machine) return fail(ErrorCode::MissingTarget, "cannot generate code", target.triple, "LLVM has no backend");
    return machine;
}

}  // namespace

Result<llvm::TargetMachine*> targetMachine(const target::Target& target) {
    thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> cache;
    auto& slot = cache[target.triple + " " + target.cpu + " " + target.features];
    if (!slot) {
        FETTLE_TRY(slot, create(target));
    }
    return slot.get();
}

bool hasFeature(const llvm::TargetMachine& machine, const char* feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + feature);
}

void prepare(llvm::Module& module, llvm::TargetMachine& machine, const target::Target& target) {
    module.setTargetTriple(machine.getTargetTriple());
    module.setDataLayout(machine.createDataLayout());
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr(llvm::Attribute::NoUnwind);
        function.addFnAttr("target-cpu", target.cpu);
        if (!target.features.empty()) function.addFnAttr("target-features", target.features);
        if (machine.getTargetTriple().isX86())
            function.addFnAttr("prefer-vector-width", std::to_string(std::max(target.vectorBits, 128)));
        function.addFnAttr("frame-pointer", "none");
        function.addFnAttr("no-builtins");
    }
}

void optimize(llvm::Module& module, llvm::TargetMachine&) {
    llvm::legacy::FunctionPassManager passes(&module);
    passes.add(llvm::createSROAPass());
    passes.add(llvm::createEarlyCSEPass(true));
    passes.doInitialization();
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) passes.run(function);
    passes.doFinalization();
}

Result<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
        return fail(ErrorCode::Failed, "cannot generate code", module.getName().str(),
                    "the backend of " + machine.getTargetTriple().str() + " cannot write this kind of file");
    passes.run(module);
    return std::string(bytes.begin(), bytes.end());
}

}  // namespace fettle::codegen
