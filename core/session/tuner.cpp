// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/tuner.h"

#include <algorithm>

#include "core/session/settings.h"
#include "core/support/hash.h"

namespace fettle::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSamplesToTrain = 8;  // fewer say nothing

double since(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
}

int lastModelVersion(const store::SessionFile& file) {
    const auto models = file.costModels();
    return models && !models->empty() ? models->back().version : 0;
}

}  // namespace

Tuner::Tuner(Context& context, TuneOptions options)
    : context_(context),
      options_(std::move(options)),
      trainer_(options_.seed, context.file ? lastModelVersion(*context.file) : 0),
      started_(Clock::now()),
      lastCommit_(started_),
      rng_(options_.seed) {
    options_.evaluator.threads = options_.threads;
}

Status Tuner::run() {
    FETTLE_CHECK(prepare());
    FETTLE_CHECK(measureDefaults());
    FETTLE_CHECK(checkThatSomethingWorks());
    while (!over() && !ended_ && !context_.control.stopped()) FETTLE_CHECK(round());
    trained();
    saveState();
    tellProgress();
    return {};
}

Status Tuner::runManual(int task, const std::string& traceText) {
    FETTLE_CHECK(prepare());
    if (task < 0 || static_cast<size_t>(task) >= model_->tasks.size())
        return fail(ErrorCode::Usage, "cannot try the schedule", {}, "there is no task " + std::to_string(task));
    FETTLE_TRY(const schedule::Trace trace, schedule::parse(traceText));
    search::Candidate candidate;
    candidate.trace = trace;
    candidate.origin = kOriginManual;
    FETTLE_TRY(candidate.scheduled, schedule::replay(model_->tasks[static_cast<size_t>(task)].program, trace));
    ++round_;
    pending_.push_back({task, std::move(candidate)});
    return measurePending();
}

Status Tuner::prepare() {
    FETTLE_TRY(model_, context_.needModel());
    FETTLE_CHECK(takeSettings());
    FETTLE_CHECK(context_.needFile());
    FETTLE_CHECK(context_.needEvaluator());
    probeCeilings();
    FETTLE_CHECK(context_.file->setSettings(toJson(options_)));
    for (size_t k = 0; k < options_.scheduleScripts.size(); ++k) {
        FETTLE_TRY(auto blocks, parseScript(options_.scheduleScripts[k], "schedule script " + std::to_string(k + 1)));
        scripts_.insert(scripts_.end(), blocks.begin(), blocks.end());
    }
    tasks_.resize(model_->tasks.size());
    for (size_t k = 0; k < tasks_.size(); ++k) {
        tasks_[k].selected = options_.operators.empty();
        for (const std::string& glob : options_.operators)
            if (matchesOperator(glob, *model_, model_->tasks[k])) tasks_[k].selected = true;
    }
    if (std::none_of(tasks_.begin(), tasks_.end(), [](const TaskRun& task) { return task.selected; }))
        return fail(ErrorCode::Usage, "cannot tune", options_.operators.empty() ? std::string() : options_.operators[0],
                    options_.operators.empty() ? "the model computes nothing" : "no operator has such a name",
                    options_.operators.empty() ? "" : "`fettle-cli tasks` lists the names.");
    FETTLE_TRY(const auto split, context_.file->value("seconds_in"));
    if (split) seconds_ = splitFromJson(*split);
    earlierSeconds_ = context_.earlierSeconds();
    round_ = context_.board.lastRound();
    for (size_t k = 0; k < tasks_.size(); ++k)
        if (tasks_[k].selected && model_->tasks[k].tunable && context_.board.standing(static_cast<int>(k)).trials > 0)
            searchOf(static_cast<int>(k));
    if (context_.board.lastRound() > 0) startTraining();
    trained();
    return {};
}

// A session has one thread count: latencies with another could not be compared with what it holds.
Status Tuner::takeSettings() {
    const auto outline = context_.outline();
    const TuneOptions earlier = tuneOptionsFromJson(outline->info.settingsJson);
    const bool hasTrials = context_.lastTrial > 0;
    if (hasTrials && context_.sessionThreads != options_.threads)
        return fail(ErrorCode::Usage, "cannot go on with this session", context_.sessionPath.string(),
                    "its trials ran with " + std::to_string(context_.sessionThreads) + " threads, not " +
                        std::to_string(options_.threads),
                    "Start a new session for another number of threads.");
    if (hasTrials || context_.sessionThreads == options_.threads) return {};
    Outline next = *outline;
    for (store::TaskRow& row : next.tasks) {
        const compile::Task& task = model_->tasks[static_cast<size_t>(row.id)];
        row.defaultTrace = schedule::print(space::defaultTrace(task.program, next.target, options_.threads));
    }
    context_.sessionThreads = options_.threads;
    if (context_.file) FETTLE_CHECK(context_.file->putTasks(next.tasks));
    context_.setOutline(std::move(next));
    return {};
}

Status Tuner::measureDefaults() {
    const auto outline = context_.outline();
    const auto add = [&](int task, schedule::Trace trace) -> Status {
        search::Candidate candidate;
        candidate.origin = kOriginDefault;
        FETTLE_TRY(candidate.scheduled, schedule::replay(model_->tasks[static_cast<size_t>(task)].program, trace));
        candidate.trace = std::move(trace);
        pending_.push_back({task, std::move(candidate)});
        return {};
    };
    const auto count = static_cast<int>(tasks_.size());
    for (int k = 0; k < count; ++k) {
        if (context_.board.standing(k).defaultTried) continue;
        FETTLE_TRY(schedule::Trace trace, schedule::parse(outline->tasks[static_cast<size_t>(k)].defaultTrace));
        FETTLE_CHECK(add(k, std::move(trace)));
    }
    FETTLE_CHECK(measurePending());
    // A default that does not work is no baseline: the plain loops stand in for it.
    for (int k = 0; k < count; ++k)
        if (context_.board.standing(k).defaultFailed && !context_.board.tried(k, hash64(""))) FETTLE_CHECK(add(k, {}));
    return measurePending();
}

// When no default works, nothing will: the cause is the machine, not the schedules.
Status Tuner::checkThatSomethingWorks() const {
    if (failures_.empty() || context_.board.countOf(static_cast<int>(measure::TrialStatus::Ok)) > 0) return {};
    const auto commonest = std::max_element(failures_.begin(), failures_.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
    return fail(ErrorCode::Failed, "cannot tune", context_.sessionPath.string(),
                "every trial failed, most of them with: " + commonest->first,
                "Mend that, then resume the session: `fettle-cli trials` lists what failed.");
}

Status Tuner::round() {
    if (pending_.empty()) FETTLE_CHECK(proposeRound());
    if (pending_.empty()) return {};
    const int before = done_;
    lookAhead();
    FETTLE_CHECK(measurePending());
    if (done_ == before) return {};
    // The training begun a round ago ran while this round was measured, and what was drawn ahead used the model before.
    if (ahead_.valid()) ahead_.wait();
    trained();
    startTraining();
    if (trainer_.version() == 0) trained();
    saveState();
    return {};
}

// The best probe of the session counts, since a busy machine reads low and a low ceiling ends the search early.
// Ceilings only guide the choice of the next task: without them every task can still gain. True when one rose.
bool Tuner::probeCeilings() {
    const std::string key = "ceilings " + std::to_string(options_.threads) + " threads";
    const auto evaluator = context_.needEvaluator();
    const auto stored = context_.file->value(key);
    const auto probed = evaluator ? (*evaluator)->measureRoofline(options_.threads) : Result<search::Roofline>{};
    const search::Roofline before = roofline_;
    for (const search::Roofline& seen :
         {stored && *stored ? rooflineFromJson(**stored) : search::Roofline{}, probed.value_or(search::Roofline{})}) {
        roofline_.flopsPerSecond = std::max(roofline_.flopsPerSecond, seen.flopsPerSecond);
        roofline_.bytesPerSecond = std::max(roofline_.bytesPerSecond, seen.bytesPerSecond);
    }
    const bool rose =
        roofline_.flopsPerSecond > before.flopsPerSecond || roofline_.bytesPerSecond > before.bytesPerSecond;
    if (!rose) return false;
    if (const Status saved = context_.file->putValue(key, toJson(roofline_)); !saved) context_.warn(saved.error());
    return true;
}

void Tuner::startTraining() {
    std::vector<cost::Sample> samples;
    for (size_t k = 0; k < tasks_.size(); ++k) {
        if (!tasks_[k].search) continue;
        auto more = tasks_[k].search->samples(static_cast<int>(k));
        std::move(more.begin(), more.end(), std::back_inserter(samples));
    }
    if (samples.size() >= kSamplesToTrain) trainer_.start(std::move(samples));
}

void Tuner::trained() {
    const auto result = trainer_.finish();
    if (!result) return;
    seconds_.train += result->seconds;
    if (!result->status) return context_.warn(result->status.error());
    const cost::Quality quality = trainer_.quality();
    const auto from = Clock::now();
    const Status saved = context_.file->putCostModel(
        {quality.version, quality.trainedOn, quality.heldOut, quality.spearman, quality.topK, trainer_.model().save()});
    seconds_.store += since(from);
    if (!saved) context_.warn(saved.error());
    {
        std::lock_guard guard(context_.stateMutex);
        context_.progress.quality = quality;
    }
    context_.events.push(CostModelTrained{quality, trainer_.model().importance()});
}

}  // namespace fettle::session
