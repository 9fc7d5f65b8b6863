// SPDX-License-Identifier: GPL-3.0-or-later
// Our end of `fettle-worker --builder`. Not thread-safe; an evaluator has one per building thread.
#pragma once

#include "core/measure/child.h"
#include "core/measure/evaluator.h"

namespace fettle::measure {

class BuilderClient {
public:
    BuilderClient(const target::Target& target, const WorkerOptions& options, std::shared_ptr<SpawnThread> spawner);

    // A builder that dies or hangs over a program gives an error that says so, and is replaced.
    Result<codegen::Built> build(const loop::LoopProgram& scheduled, const codegen::Artefacts& artefacts,
                                 const CancelToken* cancel);
    Result<codegen::Built> buildModel(const codegen::ModelPlan& plan, const CancelToken* cancel);
    Status start() { return child_.start(); }

private:
    Result<codegen::Built> ask(const MessageView& message, std::chrono::milliseconds timeout,
                               const CancelToken* cancel);
    std::string target_;  // as JSON
    WorkerOptions options_;
    Child child_;
};

}  // namespace fettle::measure
