// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: LLVM target machines and what they make of a module.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include "core/support/error.h"
#include "core/target/target.h"

namespace fettle::codegen {

// Cached per thread; lives until the thread ends. Unknown triples and CPUs are errors.
Result<llvm::TargetMachine*> targetMachine(const target::Target& target);

bool hasFeature(const llvm::TargetMachine& machine, const char* feature);  // "fma"

// Sets triple and data layout of the module, and the CPU, features and vector width of its functions.
void prepare(llvm::Module& module, llvm::TargetMachine& machine, const target::Target& target);

// Promotes the emitter's slots to SSA values and merges repeated address arithmetic; nothing else, on purpose:
// heavier passes (even loop-invariant code motion alone) make register tiles spill.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

// Object file or assembly text. The module is consumed: codegen rewrites it.
Result<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type);

}  // namespace fettle::codegen
