// SPDX-License-Identifier: GPL-3.0-or-later
// A whole model as plain data: scheduled tasks, the order to run them in, where every buffer lies.
// compile/ makes it; codegen/ turns it into a .so. No LLVM here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/graph/types.h"
#include "core/loop/program.h"

namespace fettle::codegen {

struct BufferRef {
    enum class Space : uint8_t { Input, Output, Constant, Arena } space = Space::Arena;
    int index = 0;       // Input, Output: which; else 0
    int64_t offset = 0;  // bytes into the constants or the arena (64-byte aligned)
};

struct Step {
    int task = 0;                    // index into ModelPlan::tasks
    std::string name;                // of the fused operator: "Conv_12 + Clip_13"
    std::vector<BufferRef> buffers;  // one per tensor of the task's program, in order
    int group = 0;                   // which group of the fused graph; groups that became views have no step
};

struct TensorInfo {
    std::string name;
    graph::TensorType type;
};  // plain layout at the boundary

struct ModelPlan {
    std::string name;  // a C identifier, made from the model's name
    std::string modelSha256;
    std::vector<TensorInfo> inputs, outputs;
    std::vector<loop::LoopProgram> tasks;  // scheduled
    std::vector<Step> steps;
    std::vector<std::byte> constants;  // packed, each 64-byte aligned
    int64_t arenaBytes = 0;            // the workspace the caller supplies
    int threads = 1;                   // the thread count the schedules were tuned for
    double tolerance = 1e-4;           // max|difference| / max|expected| that verification promised
};

}  // namespace fettle::codegen
