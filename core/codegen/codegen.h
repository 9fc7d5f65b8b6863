// SPDX-License-Identifier: GPL-3.0-or-later
// LoopProgram -> LLVM module -> shared object. The only room that knows LLVM and lld, and only fettle-worker links
// it. Thread-safe: one LLVMContext per call, TargetMachines cached per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/codegen/model_plan.h"
#include "core/loop/program.h"
#include "core/support/error.h"
#include "core/target/target.h"

namespace fettle::codegen {

struct Artefacts {
    bool sharedObject = true, llvmIr = false, assembly = false, mca = false;
};

struct BuildStats {
    double compileMs = 0;
    int instructions = 0;  // of the hottest block
    int hotFmas = 0;
    int vectorSpills = 0;  // vector stores to the stack in the hottest block
};

struct Built {
    std::vector<std::byte> sharedObject;  // ELF .so, exports what core/runtime/fettle_abi.h says
    std::string llvmIr, assembly, mca;    // when asked for
    BuildStats stats;
};

// One scheduled task. Exports `fettle_task` (fettle_task_fn). Refuses (ErrorCode::Failed): more than 512
// multiply-adds unrolled in one body, illegal nests; and says which rule.
Result<Built> buildTask(const loop::LoopProgram& scheduled, const target::Target& target, const Artefacts& artefacts);

// A whole model. Exports `fettle_<name>_query` and `fettle_<name>_run`; the runtime is linked in.
Result<Built> buildModel(const ModelPlan& plan, const target::Target& target);

}  // namespace fettle::codegen
