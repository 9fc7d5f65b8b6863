// SPDX-License-Identifier: GPL-3.0-or-later
// The measuring half of the tuner: jobs out, results in, saved before they are shown.
#include <algorithm>

#include "core/session/settings.h"
#include "core/session/tuner.h"

namespace fettle::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kJobsAtOnce = 16;
constexpr int64_t kDataLimit = int64_t{512} << 20;  // task data kept between rounds, bytes
constexpr auto kCommitEvery = std::chrono::milliseconds(200);
constexpr auto kRetrySaving = std::chrono::milliseconds(1000);

double since(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
}

int64_t bytesOf(const measure::TaskData& data) {
    int64_t bytes = 0;
    for (const auto* list : {&data.inputs, &data.expected})
        for (const graph::Tensor& tensor : *list) bytes += static_cast<int64_t>(tensor.data().size());
    return bytes;
}

}  // namespace

double Tuner::elapsed() const {
    return since(started_) - pausedSeconds_;
}

bool Tuner::over() const {
    return trialsLeft() <= 0 || (options_.minutes > 0 && elapsed() >= options_.minutes * 60);
}

int Tuner::trialsLeft() const {
    return options_.trials <= 0 ? 1 << 30 : options_.trials - done_;
}

const measure::TaskData* Tuner::dataOf(int task) {
    if (const auto found = data_.find(task); found != data_.end()) return &found->second;
    const auto from = Clock::now();
    auto made = compile::makeTaskData(*model_, model_->tasks[static_cast<size_t>(task)], 1);
    seconds_.measure += since(from);
    if (!made) {
        context_.warn(made.error());
        tasks_[static_cast<size_t>(task)].exhausted = true;
        return nullptr;
    }
    return &data_.emplace(task, std::move(*made)).first->second;
}

Status Tuner::measurePending() {
    while (!pending_.empty() && !context_.control.stopped()) {
        if (context_.control.paused()) {
            const auto from = Clock::now();
            context_.setState(State::Paused);
            context_.control.waitWhilePaused();
            pausedSeconds_ += since(from);
            if (context_.control.stopped()) break;
            context_.setState(State::Tuning);
        }
        if (options_.minutes > 0 && over()) break;
        const size_t count = std::min(pending_.size(), kJobsAtOnce);
        std::vector<Pending> batch(std::make_move_iterator(pending_.begin()),
                                   std::make_move_iterator(pending_.begin() + static_cast<std::ptrdiff_t>(count)));
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
        FETTLE_CHECK(measureBatch(std::move(batch)));
    }
    return {};
}

Status Tuner::measureBatch(std::vector<Pending> batch) {
    int64_t kept = 0;
    for (const auto& [task, data] : data_) kept += bytesOf(data);
    if (kept > kDataLimit) data_.clear();
    std::vector<measure::Job> jobs;
    std::erase_if(batch, [&](const Pending& pending) { return dataOf(pending.task) == nullptr; });
    for (const Pending& pending : batch)
        jobs.push_back(
            {pending.candidate.scheduled, dataOf(pending.task), context_.board.standing(pending.task).bestNs});
    if (jobs.empty()) return {};

    const CancelToken token = context_.control.token();
    std::vector<bool> done(batch.size(), false);
    Status saving;
    FETTLE_TRY(measure::Evaluator * evaluator, context_.needEvaluator());
    const Status measured =
        evaluator->measure(jobs, options_.evaluator, token, [&](size_t k, measure::TrialResult result) {
            if (result.status == measure::TrialStatus::Cancelled) return;
            done[k] = true;
            record(batch[k], std::move(result));
            if (saving) saving = commit(false);
            if (!saving || (options_.minutes > 0 && over())) token.cancel();
        });
    if (saving) saving = commit(true);
    FETTLE_CHECK(std::move(saving));
    if (!measured && measured.error().code != ErrorCode::Cancelled) return measured;
    if (std::none_of(done.begin(), done.end(), [](bool d) { return d; }) && !token.cancelled())
        return fail(ErrorCode::Failed, "cannot measure", {}, "the runner gave no results", "Try again.");
    // What a pause left over is measured first when tuning goes on.
    std::vector<Pending> left;
    for (size_t k = 0; k < batch.size(); ++k)
        if (!done[k]) left.push_back(std::move(batch[k]));
    pending_.insert(pending_.begin(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    return {};
}

void Tuner::record(const Pending& pending, measure::TrialResult result) {
    const search::Candidate& candidate = pending.candidate;
    store::TrialRow row;
    row.task = pending.task;
    row.round = round_;
    row.trace = schedule::print(candidate.trace);
    row.origin = candidate.origin;
    row.predictedNs = candidate.predicted;
    row.modelVersion = candidate.modelVersion;
    row.status = static_cast<int>(result.status);
    row.samplesNs = result.samplesNs;
    row.minNs = result.minNs;
    row.medianNs = result.medianNs;
    row.maxRelError = result.maxRelError;
    row.error = result.error;
    if (result.status != measure::TrialStatus::Ok) ++failures_[result.error];
    row.unixSeconds = unixNow();
    row.compileMs = result.compileMs;
    row.runMs = result.runMs;
    seconds_.compile += result.compileMs / 1e3;
    seconds_.measure += result.runMs / 1e3;
    TaskRun& run = tasks_[static_cast<size_t>(pending.task)];
    if (run.search) run.search->report(candidate, result);
    uncommitted_.push_back(std::move(row));
    ++done_;
}

Status Tuner::commit(bool force) {
    if (uncommitted_.empty() || (!force && Clock::now() - lastCommit_ < kCommitEvery)) return {};
    const auto from = Clock::now();
    Status saved = context_.file->appendTrials(uncommitted_);
    if (!saved) {
        // A full disk, say: keep the trials, say so, and go on when there is room.
        context_.warn(saved.error());
        context_.setState(State::Paused, saved.error().why);
        while (!saved && context_.control.sleep(kRetrySaving)) saved = context_.file->appendTrials(uncommitted_);
        if (!saved) return saved;
        context_.setState(State::Tuning);
    }
    seconds_.store += since(from);
    lastCommit_ = Clock::now();
    announce(std::exchange(uncommitted_, {}));
    tellProgress();
    return {};
}

void Tuner::announce(std::vector<store::TrialRow> rows) {
    std::vector<BestChanged> bests;
    for (const store::TrialRow& row : rows) {
        if (context_.board.add(row)) bests.push_back({row.task, row.id, row.minNs, 0});
        if (row.status == static_cast<int>(measure::TrialStatus::Ok))
            trainer_.judge(row.task, row.predictedNs, row.modelVersion, row.minNs);
        context_.lastTrial = row.id;
    }
    context_.events.push(TrialsMeasured{std::move(rows)});
    for (BestChanged& best : bests) {
        best.defaultNs = context_.board.standing(best.task).defaultNs;
        context_.events.push(best);
    }
}

void Tuner::tellProgress() {
    Progress progress;
    progress.trials = done_;
    progress.trialBudget = std::max(0, options_.trials);
    progress.seconds = elapsed();
    progress.secondsBudget = options_.minutes * 60;
    double left = 0;
    if (options_.trials > 0 && done_ > 0) left = progress.seconds / done_ * std::max(0, trialsLeft());
    if (options_.minutes > 0) {
        const double byTime = std::max(0.0, progress.secondsBudget - progress.seconds);
        left = options_.trials > 0 && done_ > 0 ? std::min(left, byTime) : byTime;
    }
    progress.etaSeconds = left;
    if (context_.board.everyDefaultTried()) {
        progress.modelNs = context_.board.modelNs();
        progress.baselineNs = context_.board.baselineNs();
    }
    progress.noise = context_.board.noise();
    progress.secondsIn = seconds_;
    progress.task = current_;
    {
        std::lock_guard guard(context_.stateMutex);
        context_.progress.seconds = earlierSeconds_ + progress.seconds;
        context_.progress.secondsIn = seconds_;
    }
    context_.events.push(progress);
}

void Tuner::saveState() {
    const auto from = Clock::now();
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"seconds_in", toJson(seconds_)},
                                     {"seconds", std::to_string(earlierSeconds_ + elapsed())}})
        if (const Status saved = context_.file->putValue(key, value); !saved) context_.warn(saved.error());
    seconds_.store += since(from);
}

}  // namespace fettle::session
