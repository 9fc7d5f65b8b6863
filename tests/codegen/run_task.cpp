// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/codegen/run_task.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/schedule/trace.h"

namespace fettle::codegen::testing {

namespace {

constexpr size_t kBehind = 256;  // bytes after each tensor that must not change
constexpr std::byte kPattern{0xa5};

// parallel_for in three pieces, out of order, on this thread.
void inPieces(void*, int64_t count, fettle_body body, void* context) {
    const int64_t a = count / 3, b = count - count / 3;
    if (b < count) body(context, b, count);
    if (a > 0) body(context, 0, a);
    if (a < b) body(context, a, b);
}

}  // namespace

std::unique_ptr<LoadedTask> LoadedTask::load(const std::vector<std::byte>& sharedObject) {
    const int descriptor = ::memfd_create("task", 0);
    if (::write(descriptor, sharedObject.data(), sharedObject.size()) != static_cast<ssize_t>(sharedObject.size())) {
        ADD_FAILURE() << "cannot write the object";
        return nullptr;
    }
    auto task = std::make_unique<LoadedTask>();
    task->handle_ = ::dlopen(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), RTLD_NOW | RTLD_LOCAL);
    ::close(descriptor);
    if (!task->handle_) {
        ADD_FAILURE() << ::dlerror();
        return nullptr;
    }
    task->function_ = reinterpret_cast<fettle_task_fn>(::dlsym(task->handle_, "fettle_task"));
    return task;
}

LoadedTask::~LoadedTask() {
    if (handle_) ::dlclose(handle_);
}

void* LoadedTask::symbol(const char* name) const {
    return ::dlsym(handle_, name);
}

Buffers::Buffers(const loop::LoopProgram& program, uint64_t seed) {
    for (const loop::TensorDecl& decl : program.tensors) {
        const auto bytes = static_cast<size_t>(physicalBytes(decl.type));
        const size_t size = (bytes + kBehind + 63) / 64 * 64;
        memory_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(64, size)), std::free);
        pointers_.push_back(memory_.back().get());
        std::memset(pointers_.back(), 0xff, bytes);  // NaN
        std::memset(pointers_.back() + bytes, static_cast<int>(kPattern), size - bytes);
        if (decl.role == loop::Role::Input || decl.role == loop::Role::Constant)
            set(program, pointers_.size() - 1, graph::randomTensor(decl.type, seed + pointers_.size()));
    }
}

void Buffers::set(const loop::LoopProgram&, size_t tensor, const graph::Tensor& value) {
    std::memcpy(pointers_[tensor], value.data().data(), value.data().size());
}

graph::Tensor Buffers::tensor(const loop::LoopProgram& program, size_t index) const {
    const graph::TensorType& type = program.tensors[index].type;
    graph::Tensor result;
    result.type = type;
    result.bytes =
        std::make_shared<const std::vector<std::byte>>(pointers_[index], pointers_[index] + physicalBytes(type));
    return result;
}

std::string Buffers::overrun(const loop::LoopProgram& program) const {
    for (size_t i = 0; i < pointers_.size(); ++i)
        for (size_t k = 0; k < kBehind; ++k)
            if (pointers_[i][static_cast<size_t>(physicalBytes(program.tensors[i].type)) + k] != kPattern)
                return program.tensors[i].name + " was written " + std::to_string(k) + " bytes past its end";
    return "";
}

std::string checkProgram(const loop::LoopProgram& reference, const loop::LoopProgram& scheduled, double tolerance,
                         bool parallel) {
    const Result<Built> built = buildTask(scheduled, target::detectHost(), {});
    if (!built) return built.error().message();
    const auto task = LoadedTask::load(built->sharedObject);
    if (!task) return "not loaded";
    Buffers expected(reference, 7), actual(scheduled, 7);
    for (size_t i = 0; i < scheduled.tensors.size() && i < reference.tensors.size(); ++i)
        if (scheduled.tensors[i].role == loop::Role::Input || scheduled.tensors[i].role == loop::Role::Constant)
            actual.set(scheduled, i, expected.tensor(reference, i));
    loop::interpret(reference, expected.pointers());
    const std::vector<void*> pointers = actual.voidPointers();
    if (task->function()(pointers.data(), nullptr, parallel ? inPieces : nullptr) != 0) return "the task failed";
    if (const std::string text = actual.overrun(scheduled); !text.empty()) return text;
    for (size_t i = 0; i < reference.tensors.size(); ++i) {
        if (reference.tensors[i].role != loop::Role::Output) continue;
        const graph::Difference d = compareTensors(actual.tensor(scheduled, i), expected.tensor(reference, i));
        if (d.finiteMismatch || !(d.maxRel <= tolerance))
            return reference.tensors[i].name + " differs by " + std::to_string(d.maxRel) + " at " +
                   std::to_string(d.at) + "\n" + loop::print(scheduled);
    }
    return "";
}

std::string checkSchedule(const loop::LoopProgram& program, const std::string& schedule, double tolerance,
                          bool parallel) {
    if (const Status valid = loop::validate(program); !valid) return valid.error().message();
    const Result<schedule::Trace> trace = schedule::parse(schedule);
    if (!trace) return trace.error().message();
    const Result<loop::LoopProgram> scheduled = schedule::replay(program, *trace);
    if (!scheduled) return scheduled.error().message();
    return checkProgram(program, *scheduled, tolerance, parallel);
}

}  // namespace fettle::codegen::testing
