// SPDX-License-Identifier: GPL-3.0-or-later
// Builder and runner processes behind pipes. Nothing generated runs in the calling process, nor is compiled there.
// Builder: `fettle-worker --builder` (LLVM). Runner: `fettle-runner --stdio` (no LLVM; one .so after another).
// Either is re-spawned when it dies or hangs; the trial that did it fails with its class.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/codegen/codegen.h"
#include "core/graph/tensor.h"
#include "core/measure/trial.h"
#include "core/support/cancel.h"

namespace fettle::measure {

struct WorkerOptions {
    std::string programDir;  // where fettle-worker and fettle-runner are; empty: beside this program
    std::chrono::milliseconds buildTimeout{10000};
    std::chrono::milliseconds runTimeout{10000};  // check and timing of one candidate
    int runnerCpu = -1;                           // pin; -1: the last CPU of the affinity mask
};

// Inputs and the reference outputs of one task, in the order of its program's tensors (Input, Constant, then Output).
struct TaskData {
    uint64_t key = 0;                     // the task's structural hash; the runner keeps the data under it
    std::vector<graph::Tensor> inputs;    // Role::Input and Role::Constant, physical layout
    std::vector<graph::Tensor> expected;  // Role::Output, physical layout
    double tolerance = 1e-4;              // max|difference| / max|expected|
};

struct Job {
    loop::LoopProgram scheduled;
    const TaskData* data = nullptr;  // outlives the call
    int64_t bestNs = 0;              // for racing; 0: none yet
};

struct ModelTimings {
    std::vector<int64_t> runNs;                // whole runs
    std::vector<std::vector<int64_t>> stepNs;  // [run][step], when asked for
    double loadMs = 0;
    int64_t peakBytes = 0;
};

class Evaluator {
public:
    static Result<std::unique_ptr<Evaluator>> start(const target::Target& target, const WorkerOptions& options = {});
    virtual ~Evaluator() = default;

    // Builds and measures; building overlaps with measuring. Calls done(i, result) in order of the jobs, on the
    // calling thread. Returns early with Cancelled results when the token is set.
    virtual Status measure(std::span<const Job> jobs, const EvaluatorConfig& config, const CancelToken& cancel,
                           const std::function<void(size_t, TrialResult)>& done) = 0;

    // IR, assembly or MCA of one schedule, for the Code page.
    virtual Result<codegen::Built> build(const loop::LoopProgram& scheduled, const codegen::Artefacts& artefacts) = 0;
    virtual Result<codegen::Built> buildModel(const codegen::ModelPlan& plan) = 0;

    // Runs a model .so (bytes) in the runner process. Tensors in plain layout.
    virtual Result<std::vector<graph::Tensor>> runModel(std::span<const std::byte> sharedObject,
                                                        const std::string& name,
                                                        const std::vector<graph::Tensor>& inputs,
                                                        const std::vector<graph::TensorType>& outputs, int threads) = 0;
    // Until `runs` runs and `minSeconds` are both reached. perStep: also each step's time.
    virtual Result<ModelTimings> timeModel(std::span<const std::byte> sharedObject, const std::string& name,
                                           const std::vector<graph::Tensor>& inputs, int threads, int runs,
                                           double minSeconds, bool perStep, const CancelToken& cancel) = 0;
    // Measured in the runner process; takes about 0.3 s. The caller keeps it.
    virtual Result<Roofline> measureRoofline(int threads) = 0;
};

}  // namespace fettle::measure
