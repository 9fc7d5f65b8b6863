// SPDX-License-Identifier: GPL-3.0-or-later
// tasks, trials and show: what is in a session file. They only read, so they also work while another process tunes.
#include <algorithm>
#include <iostream>

#include "app/cli/command.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

using nlohmann::json;

struct Arguments {
    std::string file, as = "trace";
    int task = -1;
    int64_t trial = 0;
    bool csv = false, json = false;
};

std::shared_ptr<Arguments> declareCommon(CLI::App& app) {
    auto a = std::make_shared<Arguments>();
    app.add_option("session", a->file, "A .fettle session")->required();
    app.add_option("--task", a->task, "Only this task (its id)");
    app.add_option("--trial", a->trial, "Only this trial (its id)");
    auto* csv = app.add_flag("--csv", a->csv, "Print as CSV");
    app.add_flag("--json", a->json, "Print as JSON")->excludes(csv);
    return a;
}

Result<std::unique_ptr<store::SessionFile>> openFile(const std::string& file) {
    if (!isSession(file))
        return fail(ErrorCode::Usage, "cannot read the session", file, "it is not a session file",
                    "Name a .fettle file.");
    return store::SessionFile::open(file, store::SessionFile::Mode::ReadOnly);
}

// What was asked for by its id must be there.
template <class Row>
Status checkIsThere(const char* kind, int64_t id, const std::vector<Row>& rows, const std::string& file) {
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; })) return {};
    return fail(ErrorCode::Usage, std::string("cannot show the ") + kind, file,
                std::string("there is no ") + kind + " " + std::to_string(id),
                std::string("`fettle-cli ") + kind + "s` lists them.");
}

void print(const Arguments& a, const json& rows, const std::vector<std::vector<std::string>>& table,
           const std::vector<bool>& right) {
    if (a.json)
        printJson(rows);
    else if (a.csv)
        for (const auto& row : table) std::cout << csvLine(row);
    else
        std::cout << textTable(table, right);
}

struct Standing {
    int64_t defaultNs = 0, bestNs = 0, bestTrial = 0;
    int trials = 0;
};

Result<int> tasks(const Arguments& a) {
    FETTLE_TRY(const auto file, openFile(a.file));
    FETTLE_TRY(const auto taskRows, file->tasks());
    if (a.task >= 0) FETTLE_CHECK(checkIsThere("task", a.task, taskRows, a.file));
    FETTLE_TRY(const auto trials, file->trials());
    std::map<int, Standing> standings;
    for (const store::TrialRow& trial : trials) {
        Standing& at = standings[trial.task];
        ++at.trials;
        if (trial.minNs <= 0) continue;
        if (trial.origin == "default" && at.defaultNs == 0) at.defaultNs = trial.minNs;
        if (at.bestNs == 0 || trial.minNs < at.bestNs) {
            at.bestNs = trial.minNs;
            at.bestTrial = trial.id;
        }
    }
    json rows = json::array();
    std::vector<std::vector<std::string>> table = {
        {"task", "operator", "kind", "times", "default_us", "best_us", "speedup", "gflops", "trials"}};
    for (const store::TaskRow& task : taskRows) {
        if (a.task >= 0 && task.id != a.task) continue;
        const Standing& at = standings[task.id];
        const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
        const double gflops = at.bestNs > 0 ? task.flops / static_cast<double>(at.bestNs) : 0;
        const double speedup = at.bestNs > 0 ? us(at.defaultNs) / us(at.bestNs) : 0;
        rows.push_back({{"id", task.id},
                        {"name", task.name},
                        {"kind", task.kind},
                        {"detail", task.detail},
                        {"weight", task.weight},
                        {"flops", task.flops},
                        {"bytes", task.bytes},
                        {"baselineUs", us(at.defaultNs)},
                        {"bestUs", us(at.bestNs)},
                        {"bestTrial", at.bestTrial},
                        {"gflops", gflops},
                        {"trials", at.trials}});
        table.push_back({std::to_string(task.id), task.name, task.kind, std::to_string(task.weight),
                         formatDouble(us(at.defaultNs), 2), formatDouble(us(at.bestNs), 2), formatDouble(speedup, 2),
                         formatDouble(gflops, 1), std::to_string(at.trials)});
    }
    print(a, rows, table, {true, false, false, true, true, true, true, true, true});
    return 0;
}

std::string joined(const std::vector<int64_t>& numbers) {
    std::string out;
    for (int64_t number : numbers) out += (out.empty() ? "" : " ") + std::to_string(number);
    return out;
}

Result<int> trials(const Arguments& a) {
    FETTLE_TRY(const auto file, openFile(a.file));
    FETTLE_TRY(const auto info, file->info());
    if (a.task >= 0) {
        FETTLE_TRY(const auto taskRows, file->tasks());
        FETTLE_CHECK(checkIsThere("task", a.task, taskRows, a.file));
    }
    FETTLE_TRY(const auto found, file->trials(0, a.task >= 0 ? std::optional<int>(a.task) : std::nullopt));
    if (a.trial > 0) FETTLE_CHECK(checkIsThere("trial", a.trial, found, a.file));
    json rows = json::array();
    std::vector<std::vector<std::string>> table = {{"task", "trial", "status", "predicted", "model_version", "min_ns",
                                                    "median_ns", "samples", "seconds", "round", "origin", "error"}};
    for (const store::TrialRow& t : found) {
        if (a.trial > 0 && t.id != a.trial) continue;
        const char* status = measure::statusName(static_cast<measure::TrialStatus>(t.status));
        const double seconds = t.unixSeconds - info.createdUnix;
        rows.push_back({{"task", t.task},
                        {"trial", t.id},
                        {"status", status},
                        {"predicted", t.predictedNs},
                        {"modelVersion", t.modelVersion},
                        {"minNs", t.minNs},
                        {"medianNs", t.medianNs},
                        {"samples", t.samplesNs},
                        {"seconds", seconds},
                        {"round", t.round},
                        {"origin", t.origin},
                        {"trace", t.trace},
                        {"maxRelError", t.maxRelError},
                        {"error", t.error},
                        {"compileMs", t.compileMs},
                        {"runMs", t.runMs}});
        table.push_back({std::to_string(t.task), std::to_string(t.id), status, formatDouble(t.predictedNs, 0),
                         std::to_string(t.modelVersion), std::to_string(t.minNs), std::to_string(t.medianNs),
                         a.csv ? joined(t.samplesNs) : std::to_string(t.samplesNs.size()), formatDouble(seconds, 2),
                         std::to_string(t.round), t.origin, t.error});
    }
    print(a, rows, table, {true, true, false, true, true, true, true, true, true, true, false, false});
    return 0;
}

Result<int> show(const Arguments& a) {
    if (!isSession(a.file))
        return fail(ErrorCode::Usage, "cannot read the session", a.file, "it is not a session file",
                    "Name a .fettle file.");
    FETTLE_TRY(const auto session, openToLook(a.file));
    drainWarnings(*session);
    int task = a.task;
    std::string trace;
    if (a.trial > 0) {
        FETTLE_TRY(const auto file, openFile(a.file));
        FETTLE_TRY(const auto rows, file->trials(a.trial - 1));
        if (rows.empty() || rows.front().id != a.trial)
            return fail(ErrorCode::Usage, "cannot show the trial", a.file,
                        "there is no trial " + std::to_string(a.trial), "`fettle-cli trials` lists them.");
        task = rows.front().task;
        trace = rows.front().trace;
    } else if (task < 0 || static_cast<size_t>(task) >= session->outline()->tasks.size()) {
        return fail(ErrorCode::Usage, "cannot show a schedule", a.file,
                    task < 0 ? "neither --task nor --trial was given" : "there is no task " + std::to_string(task),
                    "`fettle-cli tasks` lists the tasks.");
    } else {
        trace = schedule::print(session->bestTrace(task));
    }
    FETTLE_TRY(const std::string text, session->show(task, trace, a.as));
    if (a.json)
        printJson({{"task", task}, {"trial", a.trial}, {"as", a.as}, {"text", text}});
    else
        std::cout << text << (text.empty() || text.back() == '\n' ? "" : "\n");
    return 0;
}

}  // namespace

Action declareTasks(CLI::App& app) {
    auto a = declareCommon(app);
    return [a] { return tasks(*a); };
}

Action declareTrials(CLI::App& app) {
    auto a = declareCommon(app);
    return [a] { return trials(*a); };
}

Action declareShow(CLI::App& app) {
    auto a = declareCommon(app);
    app.add_option("--as", a->as, "trace, loops, llvm, asm or mca")
        ->check(CLI::IsMember({"trace", "loops", "llvm", "asm", "mca"}));
    return [a] { return show(*a); };
}

}  // namespace fettle::cli
