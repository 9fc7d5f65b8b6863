// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/tuning_session.h"

#include <condition_variable>
#include <thread>

#include "core/session/context.h"
#include "core/session/settings.h"
#include "core/session/tuner.h"

namespace fettle::session {
namespace {

constexpr auto kFollowEvery = std::chrono::milliseconds(300);  // how often a session that is looked at is read again

}  // namespace

struct TuningSession::Impl {
    std::unique_ptr<Context> context;
    std::mutex mutex;
    std::condition_variable changed;
    std::function<Status()> work;  // what the thread does now or next
    bool busy = false, closing = false;
    bool announcing = false;  // no longer busy; its Finished event is on its way
    std::thread thread;

    bool start(State state, std::function<Status()> job) {
        std::lock_guard guard(mutex);
        if (busy || closing) return false;
        busy = true;
        work = std::move(job);
        context->control.begin();
        context->setState(state);  // at once, so that a pause or stop that follows finds it
        changed.notify_all();
        return true;
    }

    void loop() {
        std::unique_lock lock(mutex);
        while (!closing) {
            const bool follow = context->options.readOnly && context->file;
            const auto ready = [&] { return closing || work; };
            if (follow)
                changed.wait_for(lock, kFollowEvery, ready);
            else
                changed.wait(lock, ready);
            if (closing) return;
            const std::function<Status()> job = std::exchange(work, nullptr);
            lock.unlock();
            if (job)
                runJob(job);
            else if (follow)
                followFile();
            lock.lock();
            announcing = false;
            changed.notify_all();
        }
    }

    void runJob(const std::function<Status()>& job) {
        const Status done = job();
        Finished finished;
        finished.cancelled = context->control.stopped() || (!done && done.error().code == ErrorCode::Cancelled);
        finished.failed = !done && !finished.cancelled;
        if (!done) finished.error = done.error();
        context->setState(finished.failed ? State::Failed : State::Finished,
                          finished.failed ? finished.error.message() : "");
        {
            std::lock_guard guard(mutex);  // who sees the event may start the next work at once
            busy = false;
            announcing = true;
        }
        context->events.push(std::move(finished));
    }

    // Another process tunes; its trials are shown as they are saved.
    void followFile() {
        auto trials = context->file->trials(context->lastTrial);
        if (!trials || trials->empty()) return;
        context->lastTrial = trials->back().id;
        std::vector<BestChanged> bests;
        for (const store::TrialRow& row : *trials)
            if (context->board.add(row)) bests.push_back({row.task, row.id, row.minNs, 0});
        context->events.push(TrialsMeasured{std::move(*trials)});
        for (BestChanged& best : bests) {
            best.defaultNs = context->board.standing(best.task).defaultNs;
            context->events.push(best);
        }
    }

    Status profile(int runs, int threads, bool best);
    Status exportTo(const std::filesystem::path& folder, int threads, bool verify);
    Result<compile::CompiledModel> compileModel(bool best, int threads, measure::Evaluator& evaluator);
};

Result<compile::CompiledModel> TuningSession::Impl::compileModel(bool best, int threads,
                                                                 measure::Evaluator& evaluator) {
    FETTLE_TRY(const compile::OpenedModel* model, context->needModel());
    return compile::compileModel(*model, context->traces(best), context->outline()->target, threads, evaluator);
}

Status TuningSession::Impl::profile(int runs, int threads, bool best) {
    FETTLE_TRY(const compile::OpenedModel* model, context->needModel());
    FETTLE_TRY(measure::Evaluator * evaluator, context->needEvaluator());
    FETTLE_TRY(const compile::CompiledModel compiled, compileModel(best, threads, *evaluator));
    FETTLE_TRY(compile::Profile profile,
               compile::profileModel(*model, compiled, *evaluator, threads, runs, context->control.token()));
    profile.label = best ? "best schedules" : "default schedule";
    // A session that is only looked at can be profiled; the profile is then shown and not kept.
    if (!context->options.readOnly) {
        FETTLE_CHECK(context->needFile());
        FETTLE_CHECK(context->file->putProfile({0, profile.label, unixNow(), toJson(profile)}));
    }
    context->events.push(ProfileReady{std::move(profile)});
    return {};
}

Status TuningSession::Impl::exportTo(const std::filesystem::path& folder, int threads, bool verify) {
    FETTLE_TRY(const compile::OpenedModel* model, context->needModel());
    FETTLE_TRY(measure::Evaluator * evaluator, context->needEvaluator());
    FETTLE_TRY(const compile::CompiledModel compiled, compileModel(true, threads, *evaluator));
    std::string schedules;
    for (const store::TaskRow& task : context->outline()->tasks)
        schedules += "match " + task.name + "\n" + schedule::print(context->bestTrace(task.id)) + "\n";
    compile::ExportOptions options;
    options.verify = verify;
    options.threads = threads;
    FETTLE_TRY(
        compile::ExportReport report,
        compile::exportModel(*model, compiled, *evaluator, context->outline()->target, folder, schedules, options));
    context->events.push(Exported{std::move(report)});
    return {};
}

TuningSession::TuningSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
    impl_->thread = std::thread([this] { impl_->loop(); });
}

TuningSession::~TuningSession() {
    {
        std::lock_guard guard(impl_->mutex);
        impl_->closing = true;
    }
    impl_->context->events.setWake({});
    impl_->context->control.close();
    impl_->changed.notify_all();
    impl_->thread.join();
}

Result<std::unique_ptr<TuningSession>> TuningSession::open(const std::filesystem::path& file,
                                                           const OpenOptions& options) {
    auto impl = std::make_unique<Impl>();
    FETTLE_TRY(impl->context, openSession(file, options));
    return std::unique_ptr<TuningSession>(new TuningSession(std::move(impl)));
}

std::shared_ptr<const Outline> TuningSession::outline() const {
    return impl_->context->outline();
}

State TuningSession::state() const {
    std::lock_guard guard(impl_->context->stateMutex);
    return impl_->context->state;
}

std::filesystem::path TuningSession::sessionPath() const {
    return impl_->context->sessionPath;
}

bool TuningSession::profile(int runs, int threads, bool bestSchedules) {
    return impl_->start(State::Profiling, [=, this] { return impl_->profile(runs, threads, bestSchedules); });
}

bool TuningSession::tune(const TuneOptions& options) {
    return impl_->start(State::Tuning, [options, this] { return Tuner(*impl_->context, options).run(); });
}

bool TuningSession::exportTo(const std::filesystem::path& folder, int threads, bool verify) {
    return impl_->start(State::Exporting, [=, this] { return impl_->exportTo(folder, threads, verify); });
}

bool TuningSession::tryTrace(int task, const std::string& traceText) {
    return impl_->start(State::Tuning, [=, this] {
        TuneOptions options = tuneOptionsFromJson(impl_->context->outline()->info.settingsJson);
        options.threads = impl_->context->sessionThreads;
        options.operators.clear();
        return Tuner(*impl_->context, options).runManual(task, traceText);
    });
}

void TuningSession::pause() {
    if (state() != State::Tuning) return;
    impl_->context->setState(State::Pausing);
    impl_->context->control.pause();
}

void TuningSession::resumeTuning() {
    impl_->context->control.resume();
}

void TuningSession::stop() {
    std::unique_lock lock(impl_->mutex);
    if (!impl_->busy) return;
    impl_->context->setState(State::Stopping);
    impl_->context->control.stop();
}

void TuningSession::wait() {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [&] { return (!impl_->busy && !impl_->announcing) || impl_->closing; });
}

std::vector<Event> TuningSession::poll() {
    return impl_->context->events.take();
}

void TuningSession::setWake(std::function<void()> wake) {
    impl_->context->events.setWake(std::move(wake));
}

TuneSummary TuningSession::summary() const {
    const Context& context = *impl_->context;
    TuneSummary summary;
    {
        std::lock_guard guard(context.stateMutex);
        summary = context.progress;
    }
    using measure::TrialStatus;
    const auto count = [&](TrialStatus status) { return context.board.countOf(static_cast<int>(status)); };
    summary.ok = count(TrialStatus::Ok);
    summary.buildError = count(TrialStatus::BuildError);
    summary.timeout = count(TrialStatus::Timeout);
    summary.crash = count(TrialStatus::Crash);
    summary.wrongResult = count(TrialStatus::WrongResult);
    summary.baselineNs = context.board.baselineNs();
    summary.bestNs = context.board.modelNs();
    const auto tasks = static_cast<int>(context.outline()->tasks.size());
    for (int k = 0; k < tasks; ++k) {
        const TaskStanding standing = context.board.standing(k);
        summary.taskBaselineNs.push_back(standing.defaultNs);
        summary.taskBestNs.push_back(standing.bestNs);
        summary.taskTrials.push_back(standing.trials);
    }
    return summary;
}

schedule::Trace TuningSession::bestTrace(int task) const {
    return impl_->context->bestTrace(task);
}

Result<std::string> TuningSession::show(int task, const std::string& traceText, const std::string& what) {
    FETTLE_TRY(const schedule::Trace trace, schedule::parse(traceText));
    if (what == "trace") return schedule::print(trace);
    FETTLE_TRY(const compile::OpenedModel* model, impl_->context->needModel());
    if (task < 0 || static_cast<size_t>(task) >= model->tasks.size())
        return fail(ErrorCode::Usage, "cannot show the schedule", {}, "there is no task " + std::to_string(task));
    FETTLE_TRY(const loop::LoopProgram scheduled,
               schedule::replay(model->tasks[static_cast<size_t>(task)].program, trace));
    if (what == "loops") return loop::print(scheduled);
    struct Artefact {
        const char* name;
        bool codegen::Artefacts::*asked;
        std::string codegen::Built::*text;
    };
    static constexpr Artefact kArtefacts[] = {
        {"llvm", &codegen::Artefacts::llvmIr, &codegen::Built::llvmIr},
        {"asm", &codegen::Artefacts::assembly, &codegen::Built::assembly},
        {"mca", &codegen::Artefacts::mca, &codegen::Built::mca},
    };
    for (const Artefact& row : kArtefacts) {
        if (what != row.name) continue;
        codegen::Artefacts wanted;
        wanted.sharedObject = false;
        wanted.*row.asked = true;
        std::lock_guard guard(impl_->context->otherMutex);
        FETTLE_TRY(measure::Evaluator * evaluator, impl_->context->needOtherEvaluator());
        FETTLE_TRY(codegen::Built built, evaluator->build(scheduled, wanted));
        return std::move(built.*row.text);
    }
    return fail(ErrorCode::Usage, "cannot show the schedule", {}, "there is no view called " + what,
                "Use trace, loops, llvm, asm or mca.");
}

Result<compile::CompiledModel> TuningSession::compileNow(bool bestSchedules, int threads) {
    std::lock_guard guard(impl_->context->otherMutex);
    FETTLE_TRY(measure::Evaluator * evaluator, impl_->context->needOtherEvaluator());
    return impl_->compileModel(bestSchedules, threads, *evaluator);
}

Result<measure::Roofline> TuningSession::measureRoofline(int threads) {
    std::lock_guard guard(impl_->context->otherMutex);
    FETTLE_TRY(measure::Evaluator * evaluator, impl_->context->needOtherEvaluator());
    return evaluator->measureRoofline(threads);
}

Result<measure::Evaluator*> TuningSession::evaluator() {
    std::lock_guard guard(impl_->context->otherMutex);
    return impl_->context->needOtherEvaluator();
}

}  // namespace fettle::session
