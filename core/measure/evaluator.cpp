// SPDX-License-Identifier: GPL-3.0-or-later
// Builders on threads of their own fill slots; the calling thread takes them in order and measures.
#include "core/measure/evaluator.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "core/measure/builder_client.h"
#include "core/measure/runner_client.h"

namespace fettle::measure {

namespace {

constexpr size_t kQueue = 8;  // built and not yet measured, at most

// What builders and the measuring thread share during one call of measure().
class BuildQueue {
public:
    BuildQueue(size_t jobs, const CancelToken& cancel) : slots_(jobs), cancel_(cancel) {}

    // The next job for a builder; none when all are taken or the work was cancelled. Waits while the queue is full.
    std::optional<size_t> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || next_ >= slots_.size() || next_ < consumed_ + kQueue; });
        if (stop_ || cancel_.cancelled() || next_ >= slots_.size()) return std::nullopt;
        return next_++;
    }
    void put(size_t job, Result<codegen::Built> built) {
        {
            const std::lock_guard lock(mutex_);
            slots_[job] = std::move(built);
        }
        changed_.notify_all();
    }
    // None when cancelled before it was built.
    std::optional<Result<codegen::Built>> wait(size_t job) {
        std::unique_lock lock(mutex_);
        while (!slots_[job]) {
            if (cancel_.cancelled()) return std::nullopt;
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
        consumed_ = job + 1;
        auto built = std::move(slots_[job]);
        lock.unlock();
        changed_.notify_all();
        return built;
    }
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::optional<Result<codegen::Built>>> slots_;
    size_t next_ = 0, consumed_ = 0;
    bool stop_ = false;
    const CancelToken& cancel_;
};

struct StopOnLeave {
    BuildQueue& queue;
    ~StopOnLeave() { queue.stop(); }
};

TrialResult buildFailure(const Error& error) {
    TrialResult result;
    const bool cancelled = error.code == ErrorCode::Cancelled;
    result.status = cancelled ? TrialStatus::Cancelled : TrialStatus::BuildError;
    result.error = cancelled ? "cancelled" : "build error: " + error.message();
    return result;
}

class ProcessEvaluator : public Evaluator {
public:
    ProcessEvaluator(const target::Target& target, const WorkerOptions& options)
        : spawner_(std::make_shared<SpawnThread>()),
          runner_(options, spawner_),
          pageBuilder_(target, options, spawner_) {
        // the measuring core stays quiet where there are more than two
        const int builders = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 1, 1, 8);
        for (int i = 0; i < builders; ++i)
            builders_.push_back(std::make_unique<BuilderClient>(target, options, spawner_));
    }

    Status startFirst() {
        FETTLE_CHECK(builders_.front()->start());
        return runner_.start();
    }

    Status measure(std::span<const Job> jobs, const EvaluatorConfig& config, const CancelToken& cancel,
                   const std::function<void(size_t, TrialResult)>& done) override {
        const std::lock_guard lock(mutex_);
        BuildQueue queue(jobs.size(), cancel);
        std::map<uint64_t, int64_t> best;  // by task: what this call has found counts for racing too
        std::vector<std::jthread> threads;
        const StopOnLeave stopOnLeave{queue};
        for (size_t i = 0; i < std::min(builders_.size(), jobs.size()); ++i)
            threads.emplace_back([&, builder = builders_[i].get()] { buildAll(*builder, jobs, queue, cancel); });
        for (size_t i = 0; i < jobs.size(); ++i) {
            int64_t& bestNs = best.try_emplace(jobs[i].data->key, jobs[i].bestNs).first->second;
            TrialResult result = measureOne(jobs[i], bestNs, config, cancel, queue.wait(i));
            if (result.minNs > 0 && (bestNs == 0 || result.minNs < bestNs)) bestNs = result.minNs;
            done(i, std::move(result));
        }
        return {};
    }

    Result<codegen::Built> build(const loop::LoopProgram& scheduled, const codegen::Artefacts& artefacts) override {
        const std::lock_guard lock(pageMutex_);
        return pageBuilder_.build(scheduled, artefacts, nullptr);
    }

    Result<codegen::Built> buildModel(const codegen::ModelPlan& plan) override {
        const std::lock_guard lock(mutex_);
        return builders_.front()->buildModel(plan, nullptr);
    }

    Result<std::vector<graph::Tensor>> runModel(std::span<const std::byte> sharedObject, const std::string& name,
                                                const std::vector<graph::Tensor>& inputs,
                                                const std::vector<graph::TensorType>& outputs, int threads) override {
        const std::lock_guard lock(mutex_);
        FETTLE_TRY(const auto model, runner_.loadModel(sharedObject, name, inputs));
        return runner_.runModel(model, outputs, threads);
    }

    Result<ModelTimings> timeModel(std::span<const std::byte> sharedObject, const std::string& name,
                                   const std::vector<graph::Tensor>& inputs, int threads, int runs, double minSeconds,
                                   bool perStep, const CancelToken& cancel) override {
        const std::lock_guard lock(mutex_);
        FETTLE_TRY(const auto model, runner_.loadModel(sharedObject, name, inputs));
        return runner_.timeModel(model, threads, runs, minSeconds, perStep, cancel);
    }

    Result<Roofline> measureRoofline(int threads) override {
        const std::lock_guard lock(mutex_);
        return runner_.measureRoofline(threads);
    }

private:
    static void buildAll(BuilderClient& builder, std::span<const Job> jobs, BuildQueue& queue,
                         const CancelToken& cancel) {
        while (const auto job = queue.take()) queue.put(*job, builder.build(jobs[*job].scheduled, {}, &cancel));
    }

    TrialResult measureOne(const Job& job, int64_t bestNs, const EvaluatorConfig& config, const CancelToken& cancel,
                           std::optional<Result<codegen::Built>> built) {
        if (!built || cancel.cancelled()) return buildFailure({ErrorCode::Cancelled, "", "", "", ""});
        if (!*built) return buildFailure(built->error());
        const codegen::Built& code = **built;
        TrialResult result =
            runner_.measure(code.sharedObject, job.scheduled.tensors, *job.data, config, bestNs, cancel);
        result.compileMs = code.stats.compileMs;
        result.vectorSpills = code.stats.vectorSpills;
        return result;
    }

    std::mutex mutex_;  // one thing at a time
    std::shared_ptr<SpawnThread> spawner_;
    RunnerClient runner_;
    std::vector<std::unique_ptr<BuilderClient>> builders_;
    std::mutex pageMutex_;       // listings are made while trials go on, by a builder of their own
    BuilderClient pageBuilder_;  // started on first use
};

}  // namespace

Result<std::unique_ptr<Evaluator>> Evaluator::start(const target::Target& target, const WorkerOptions& options) {
    auto evaluator = std::make_unique<ProcessEvaluator>(target, options);
    FETTLE_CHECK(evaluator->startFirst());
    return evaluator;
}

}  // namespace fettle::measure
