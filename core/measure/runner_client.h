// SPDX-License-Identifier: GPL-3.0-or-later
// Our end of fettle-runner: what it was sent is remembered and sent again after it was replaced. Every way in which a
// kernel can end becomes a TrialResult. Not thread-safe.
#pragma once

#include <list>
#include <map>

#include "core/measure/child.h"
#include "core/measure/evaluator.h"

namespace fettle::measure {

class RunnerClient {
public:
    RunnerClient(const WorkerOptions& options, std::shared_ptr<SpawnThread> spawner);

    // Checks and times one built kernel. compileMs and vectorSpills are the caller's to fill in.
    TrialResult measure(std::span<const std::byte> sharedObject, const std::vector<loop::TensorDecl>& tensors,
                        const TaskData& data, const EvaluatorConfig& config, int64_t bestNs, const CancelToken& cancel);

    struct ModelHandle {
        std::string key;
        double loadMs = 0;
        int64_t bytes = 0;
    };
    Result<ModelHandle> loadModel(std::span<const std::byte> sharedObject, const std::string& name,
                                  const std::vector<graph::Tensor>& inputs);
    Result<std::vector<graph::Tensor>> runModel(const ModelHandle& model, const std::vector<graph::TensorType>& outputs,
                                                int threads);
    // Asks for slices of half a second, so that a cancel is answered soon.
    Result<ModelTimings> timeModel(const ModelHandle& model, int threads, int runs, double minSeconds, bool perStep,
                                   const CancelToken& cancel);
    Result<Roofline> measureRoofline(int threads);
    Status start() { return child_.start(); }

private:
    Result<Message> ask(const MessageView& message, std::chrono::milliseconds timeout, const CancelToken* cancel);
    tl::expected<void, CallFailure> sendData(const TaskData& data, const CancelToken& cancel);
    void forgetOldest();
    void noticeRestart();

    WorkerOptions options_;
    Child child_;
    uint64_t generation_ = 0;                      // of the child that the two below are about
    std::list<std::pair<uint64_t, size_t>> kept_;  // keys and bytes of task data it has, least recently used first
    std::map<std::string, ModelHandle> models_;
};

}  // namespace fettle::measure
