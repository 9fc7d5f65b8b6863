// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a scheduled program for this machine, loads it into this process and runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codegen/codegen.h"
#include "core/graph/tensor.h"
#include "core/loop/program.h"
#include "core/runtime/fettle_abi.h"

namespace fettle::codegen::testing {

class LoadedTask {
public:
    // Null and a failed expectation when it cannot be loaded.
    static std::unique_ptr<LoadedTask> load(const std::vector<std::byte>& sharedObject);
    ~LoadedTask();
    fettle_task_fn function() const { return function_; }
    void* symbol(const char* name) const;

private:
    void* handle_ = nullptr;
    fettle_task_fn function_ = nullptr;
};

// 64-byte aligned memory for every tensor of a program, with room behind that must keep its pattern.
class Buffers {
public:
    Buffers(const loop::LoopProgram& program, uint64_t seed);  // inputs and constants random, others filled with NaN
    std::vector<std::byte*> pointers() const { return pointers_; }
    std::vector<void*> voidPointers() const { return {pointers_.begin(), pointers_.end()}; }
    void set(const loop::LoopProgram& program, size_t tensor, const graph::Tensor& value);
    graph::Tensor tensor(const loop::LoopProgram& program, size_t index) const;  // a copy
    std::string overrun(const loop::LoopProgram& program) const;  // names a tensor that was written past its end

private:
    std::vector<std::unique_ptr<std::byte[], void (*)(void*)>> memory_;
    std::vector<std::byte*> pointers_;
};

// Replays the schedule over the program, builds, runs, compares every output with loop::interpret on the program.
// Returns what went wrong, or "" when all is well. `parallel` runs it through a parallel_for of three pieces.
std::string checkSchedule(const loop::LoopProgram& program, const std::string& schedule, double tolerance = 2e-5,
                          bool parallel = false);
std::string checkProgram(const loop::LoopProgram& reference, const loop::LoopProgram& scheduled,
                         double tolerance = 2e-5, bool parallel = false);

}  // namespace fettle::codegen::testing
