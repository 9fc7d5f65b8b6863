// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluator without processes: a latency is a hash of the scheduled program, so that equal programs are equally
// fast in every test. It remembers what it measured.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/measure/evaluator.h"
#include "core/session/tuning_session.h"
#include "core/support/hash.h"

namespace fettle::test {

struct FakeLog {
    std::mutex mutex;
    std::vector<std::string> measured;  // printed programs in order, those that gave a result
    std::atomic<int> delayMs{0};        // per trial
    std::atomic<int> failEvery{0};      // every nth program (by hash) crashes; 0: none
    std::atomic<bool> broken{false};    // measure() fails as a whole
    // Ceilings in flop/s: the first `quietAfter` probes meet a busy machine. 0: unknown.
    std::atomic<double> busyFlops{0}, quietFlops{0};
    std::atomic<int> probes{0}, quietAfter{0};

    std::vector<std::string> take() {
        std::lock_guard guard(mutex);
        return std::exchange(measured, {});
    }
};

class FakeEvaluator : public measure::Evaluator {
public:
    explicit FakeEvaluator(std::shared_ptr<FakeLog> log) : log_(std::move(log)) {}

    Status measure(std::span<const measure::Job> jobs, const measure::EvaluatorConfig&, const CancelToken& cancel,
                   const std::function<void(size_t, measure::TrialResult)>& done) override {
        if (log_->broken) return fail(ErrorCode::MissingTarget, "cannot measure", "fettle-runner", "it is not there");
        for (size_t k = 0; k < jobs.size(); ++k) {
            measure::TrialResult result;
            if (log_->delayMs > 0) std::this_thread::sleep_for(std::chrono::milliseconds(log_->delayMs));
            if (cancel.cancelled()) {
                result.status = measure::TrialStatus::Cancelled;
            } else {
                const std::string text = loop::print(jobs[k].scheduled);
                const uint64_t hash = hash64(text);
                if (log_->failEvery > 0 && hash % static_cast<uint64_t>(log_->failEvery) == 0) {
                    result.status = measure::TrialStatus::Crash;
                    result.error = "crash: SIGSEGV";
                } else {
                    result.minNs = 1000 + static_cast<int64_t>(hash % 9000);
                    result.samplesNs = {result.minNs + 20, result.minNs, result.minNs + 10};
                    result.medianNs = result.minNs + 10;
                }
                std::lock_guard guard(log_->mutex);
                log_->measured.push_back(text);
            }
            done(k, result);
        }
        return {};
    }
    Result<codegen::Built> build(const loop::LoopProgram& scheduled, const codegen::Artefacts& artefacts) override {
        codegen::Built built;
        if (artefacts.llvmIr) built.llvmIr = "; IR of " + scheduled.name;
        if (artefacts.assembly) built.assembly = "# assembly of " + scheduled.name;
        return built;
    }
    Result<codegen::Built> buildModel(const codegen::ModelPlan&) override {
        codegen::Built built;
        built.sharedObject.assign(16, std::byte{0});
        return built;
    }
    Result<std::vector<graph::Tensor>> runModel(std::span<const std::byte>, const std::string&,
                                                const std::vector<graph::Tensor>&,
                                                const std::vector<graph::TensorType>&, int) override {
        return fail(ErrorCode::Failed, "cannot run the model", {}, "this evaluator runs nothing");
    }
    Result<measure::ModelTimings> timeModel(std::span<const std::byte>, const std::string&,
                                            const std::vector<graph::Tensor>&, int, int, double, bool,
                                            const CancelToken&) override {
        return fail(ErrorCode::Failed, "cannot time the model", {}, "this evaluator times nothing");
    }
    Result<measure::Roofline> measureRoofline(int) override {
        const int probe = log_->probes++;
        return measure::Roofline{probe < log_->quietAfter ? log_->busyFlops : log_->quietFlops, 0};
    }

private:
    std::shared_ptr<FakeLog> log_;
};

inline session::OpenOptions withFake(std::shared_ptr<FakeLog> log) {
    session::OpenOptions options;
    options.makeEvaluator = [log](const target::Target&, const measure::WorkerOptions&) {
        return Result<std::unique_ptr<measure::Evaluator>>(std::make_unique<FakeEvaluator>(log));
    };
    return options;
}

}  // namespace fettle::test
