// SPDX-License-Identifier: GPL-3.0-or-later
// tune and resume.
#include <fstream>
#include <iostream>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/work.h"
#include "core/session/settings.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

struct TuneArguments {
    std::string file, sessionFile, target = "host";
    session::TuneOptions options;
    std::vector<std::string> scripts;  // files
    Dims dims;
    bool json = false;
    CLI::App* app = nullptr;
};

void declareOptions(CLI::App& app, TuneArguments& a) {
    session::TuneOptions& o = a.options;
    a.app = &app;
    app.add_option("--trials", o.trials, "Trials to measure, default schedules included")->check(positive());
    app.add_option("--minutes", o.minutes, "Stop after this long")->check(positive());
    app.add_option("--trials-per-iter", o.trialsPerRound, "Trials per round")->check(CLI::Range(1, 1024));
    app.add_option("--threads", o.threads, "Threads the kernels run with")->check(CLI::Range(1, 1024));
    app.add_option("--seed", o.seed, "The same seed gives the same candidates")
        ->check(CLI::Range(uint64_t{0}, std::numeric_limits<uint64_t>::max(), "a whole number of 0 or more"));
    app.add_option("--op", o.operators, "Only operators whose name matches this glob (repeatable)")
        ->allow_extra_args(false);
    app.add_option("--schedule", a.scripts, "A schedule script, tried first (repeatable)")->allow_extra_args(false);
    measure::EvaluatorConfig& e = o.evaluator;
    app.add_option("--number", e.number, "Calls per sample")->check(positive());
    app.add_option("--repeat", e.repeat, "Samples per trial")->check(positive());
    app.add_option("--min-repeat-ms", e.minRepeatMs, "A sample lasts at least this long")->check(notNegative());
    app.add_flag("--flush-cache", e.flushCache, "Flush the operands from the caches before each timed call");
    app.add_option("--alloc-repeat", e.allocRepeat, "Fresh buffers this many times")->check(positive());
    app.add_flag("--json", a.json, "Print the result as JSON");
}

Result<session::TuneOptions> withScripts(const TuneArguments& a) {
    session::TuneOptions options = a.options;
    for (const std::string& file : a.scripts) {
        std::ifstream in(file);
        std::stringstream text;
        if (!in || !(text << in.rdbuf()))  // a folder opens, but gives nothing
            return fail(ErrorCode::Usage, "cannot read the schedule script", file,
                        in.is_open() ? "it is a folder, or empty" : "there is no such file", "Check the name.");
        options.scheduleScripts.push_back(text.str());
    }
    // A budget of time alone has no limit of trials.
    if (a.app->count("--minutes") && !a.app->count("--trials")) options.trials = 0;
    return options;
}

nlohmann::json summaryJson(const session::TuningSession& session, const session::TuneSummary& s) {
    const auto outline = session.outline();
    nlohmann::json tasks = nlohmann::json::array();
    for (size_t k = 0; k < outline->tasks.size(); ++k) {
        const store::TaskRow& task = outline->tasks[k];
        const auto best = static_cast<double>(s.taskBestNs[k]);
        tasks.push_back({{"id", task.id},
                         {"name", task.name},
                         {"kind", task.kind},
                         {"weight", task.weight},
                         {"flops", task.flops},
                         {"bytes", task.bytes},
                         {"baselineUs", static_cast<double>(s.taskBaselineNs[k]) / 1e3},
                         {"bestUs", best / 1e3},
                         {"gflops", best > 0 ? task.flops / best : 0.0},
                         {"trials", s.taskTrials[k]}});
    }
    const int total = s.ok + s.buildError + s.timeout + s.crash + s.wrongResult;
    return {{"session", session.sessionPath().string()},
            {"baselineUs", s.baselineNs / 1e3},
            {"bestUs", s.bestNs / 1e3},
            {"speedup", s.bestNs > 0 ? s.baselineNs / s.bestNs : 0.0},
            {"seconds", s.seconds},
            {"trials",
             {{"ok", s.ok},
              {"buildError", s.buildError},
              {"timeout", s.timeout},
              {"crash", s.crash},
              {"wrongResult", s.wrongResult}}},
            {"trialsPerSecond", s.seconds > 0 ? total / s.seconds : 0.0},
            {"tasks", std::move(tasks)},
            {"costModel", {{"version", s.quality.version}, {"spearman", s.quality.spearman}, {"topK", s.quality.topK}}},
            {"timeSplit",
             {{"search", s.secondsIn.search},
              {"compile", s.secondsIn.compile},
              {"measure", s.secondsIn.measure},
              {"train", s.secondsIn.train},
              {"store", s.secondsIn.store}}}};
}

void printSummary(const session::TuningSession& session, const session::TuneSummary& s) {
    const int total = s.ok + s.buildError + s.timeout + s.crash + s.wrongResult;
    std::cout << "default schedules " << formatLatency(s.baselineNs) << ", best " << formatLatency(s.bestNs);
    if (s.bestNs > 0) std::cout << ", " << formatRatio(s.baselineNs / s.bestNs);
    std::cout << " (sum over operators)\n"
              << total << " trials, " << total - s.ok << " failed, in " << formatDuration(s.seconds) << "\n"
              << "session " << session.sessionPath().string() << "\n";
}

Result<int> tune(session::TuningSession& session, const session::TuneOptions& options, bool json) {
    FETTLE_TRY(const Outcome outcome, waitFor(session, stderrIsTerminal, [&] { return session.tune(options); }));
    const session::TuneSummary summary = session.summary();
    if (json)
        printJson(summaryJson(session, summary));
    else
        printSummary(session, summary);
    if (!outcome.cancelled) return 0;
    return fail(ErrorCode::Cancelled, "stopped", session.sessionPath().string(), "every measured trial is saved",
                "Go on with `fettle-cli resume " + session.sessionPath().string() + "`.");
}

// What the command line does not say is as it was when the session stopped.
session::TuneOptions mergedWithStored(const TuneArguments& a, session::TuneOptions given, const std::string& stored) {
    const session::TuneOptions old = session::tuneOptionsFromJson(stored);
    const auto keep = [&](const char* name) { return a.app->count(name) == 0; };
    if (keep("--trials") && keep("--minutes")) {
        given.trials = old.trials;
        given.minutes = old.minutes;
    }
    if (keep("--trials-per-iter")) given.trialsPerRound = old.trialsPerRound;
    if (keep("--threads")) given.threads = old.threads;
    if (keep("--seed")) given.seed = old.seed;
    if (keep("--op")) given.operators = old.operators;
    if (keep("--schedule")) given.scheduleScripts = old.scheduleScripts;
    const bool measuring = keep("--number") && keep("--repeat") && keep("--min-repeat-ms") && keep("--flush-cache") &&
                           keep("--alloc-repeat");
    if (measuring) given.evaluator = old.evaluator;
    return given;
}

Result<int> resume(const TuneArguments& a) {
    if (!isSession(a.file))
        return fail(ErrorCode::Usage, "cannot resume", a.file, "it is not a session file", "Name a .fettle file.");
    FETTLE_TRY(session::TuneOptions options, withScripts(a));
    FETTLE_TRY(auto session, session::TuningSession::open(a.file, {}));
    options = mergedWithStored(a, std::move(options), session->outline()->info.settingsJson);
    return tune(*session, options, a.json);
}

}  // namespace

Action declareTune(CLI::App& app) {
    auto a = std::make_shared<TuneArguments>();
    app.add_option("model", a->file, "An .onnx model")->required();
    app.add_option("-o", a->sessionFile, "The session file to make (default: beside the model)");
    app.add_option("--target", a->target, "What to generate code for (see `fettle-cli targets`)");
    a->dims.declare(app);
    declareOptions(app, *a);
    return [a]() -> Result<int> {
        if (isSession(a->file)) return resume(*a);
        if (!a->sessionFile.empty() && !isSession(a->sessionFile))
            return fail(ErrorCode::Usage, "cannot make the session", a->sessionFile, "its name does not end in .fettle",
                        "Name a .fettle file.");
        FETTLE_TRY(const session::TuneOptions options, withScripts(*a));
        session::OpenOptions open;
        FETTLE_TRY(open.dims, a->dims.parsed());
        open.target = a->target;
        open.sessionFile = a->sessionFile;
        open.newSession = true;
        FETTLE_TRY(auto session, session::TuningSession::open(a->file, open));
        return tune(*session, options, a->json);
    };
}

Action declareResume(CLI::App& app) {
    auto a = std::make_shared<TuneArguments>();
    app.add_option("session", a->file, "A .fettle session")->required();
    declareOptions(app, *a);
    return [a] { return resume(*a); };
}

}  // namespace fettle::cli
