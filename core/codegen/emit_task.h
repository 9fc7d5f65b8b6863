// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: a whole task as one function of the ABI's type fettle_task_fn.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "core/loop/program.h"
#include "core/support/error.h"
#include "core/target/target.h"

namespace fettle::codegen {

// Adds `int32_t name(void* const* buffers, void* pool, fettle_parallel_for parallel_for)` to the module.
Result<llvm::Function*> emitTask(llvm::Module& module, const loop::LoopProgram& program, const target::Target& target,
                                 const llvm::TargetMachine& machine, const std::string& name);

}  // namespace fettle::codegen
