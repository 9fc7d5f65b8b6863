// SPDX-License-Identifier: GPL-3.0-or-later
// The only thing that app and ui drive: open a model or a session file, profile, tune, pause, stop, export.
// Long work runs on the session's own thread; events arrive through poll(), so a listener never blocks the engine.
// Destroying it at any moment is safe: work is cancelled, the file keeps every committed trial.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/session/events.h"

namespace fettle::session {

struct OpenOptions {
    std::map<std::string, int64_t> dims;
    std::string target = "host";
    std::filesystem::path sessionFile;  // empty: beside the model as NAME.fettle, or in the cache folder when read-only
    std::string programDir;             // of fettle-worker
    bool readOnly = false;              // look only (another process may be tuning); trials arrive as they are saved
    bool newSession = false;            // do not go on with a session found beside the model: NAME-2.fettle, ...
    // For tests: another evaluator than builder and runner processes. Empty: Evaluator::start.
    std::function<Result<std::unique_ptr<measure::Evaluator>>(const target::Target&, const measure::WorkerOptions&)>
        makeEvaluator;
};

struct TuneOptions {
    int trials = 256;    // in all, per call
    double minutes = 0;  // 0: no limit
    int trialsPerRound = 16;
    int threads = 1;
    uint64_t seed = 1;
    std::vector<std::string> operators;        // globs over fused operator names; empty: all
    std::vector<std::string> scheduleScripts;  // text: "match GLOB" lines followed by primitives
    measure::EvaluatorConfig evaluator;
};

// What the views draw from, immutable, shared. A new one whenever something changed.
struct Outline {
    store::SessionInfo info;
    std::shared_ptr<const compile::OpenedModel> model;  // null for a session whose model file is gone
    std::vector<store::TaskRow> tasks;
    target::Target target;
};

struct TuneSummary {
    double baselineNs = 0, bestNs = 0, seconds = 0;
    int ok = 0, buildError = 0, timeout = 0, crash = 0, wrongResult = 0;
    std::vector<int64_t> taskBaselineNs, taskBestNs;
    std::vector<int> taskTrials;
    cost::Quality quality;
    Progress::Split secondsIn;
};

class TuningSession {
public:
    // FILE is .onnx (a session file is made beside it on the first trial) or .fettle. Blocking; under 1 s for a
    // 50 MB model. Errors as importModel and SessionFile give them.
    static Result<std::unique_ptr<TuningSession>> open(const std::filesystem::path& file, const OpenOptions& options);
    ~TuningSession();

    std::shared_ptr<const Outline> outline() const;
    State state() const;
    std::filesystem::path sessionPath() const;

    // Start work on the session's thread; false when busy. Each ends with a Finished event.
    bool profile(int runs, int threads, bool bestSchedules);
    bool tune(const TuneOptions& options);  // also resumes: earlier trials count as tried
    bool exportTo(const std::filesystem::path& folder, int threads, bool verify);
    bool tryTrace(int task, const std::string& traceText);  // a manual trial
    void pause();                                           // after the trials in flight
    void resumeTuning();
    void stop();  // ends the current work; the session stays open
    void wait();  // until idle

    // Everything since the last call, in order. `wake` (any thread) is called when the queue stops being empty.
    std::vector<Event> poll();
    void setWake(std::function<void()> wake);

    TuneSummary summary() const;
    // The best trace so far of a task, or its default.
    schedule::Trace bestTrace(int task) const;
    // Artefacts of a schedule, through the builder process; blocking, any thread.
    // what: "trace", "loops", "llvm", "asm", "mca"
    Result<std::string> show(int task, const std::string& traceText, const std::string& what);
    // Builds the whole model from best (or default) schedules; blocking. For run, bench, verify.
    Result<compile::CompiledModel> compileNow(bool bestSchedules, int threads);
    Result<measure::Evaluator*> evaluator();  // for one caller's thread at a time; owned by the session
    // The machine's ceilings, measured in a runner process; blocking, any thread, about 0.3 s.
    Result<measure::Roofline> measureRoofline(int threads);

private:
    struct Impl;
    explicit TuningSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fettle::session
