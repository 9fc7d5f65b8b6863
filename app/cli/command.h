// SPDX-License-Identifier: GPL-3.0-or-later
// fettle-cli: the engine without a screen. One file per command; the table of them is in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/session/tuning_session.h"
#include "core/support/error.h"

namespace fettle::cli {

// What a command does once its arguments are read; the value is the exit code.
using Action = std::function<Result<int>()>;

// Declares its options on `app` and gives its action.
Action declareInspect(CLI::App& app);
Action declareTune(CLI::App& app);
Action declareResume(CLI::App& app);
Action declareProfile(CLI::App& app);
Action declareRun(CLI::App& app);
Action declareBench(CLI::App& app);
Action declareExport(CLI::App& app);
Action declareVerify(CLI::App& app);
Action declareTasks(CLI::App& app);
Action declareTrials(CLI::App& app);
Action declareShow(CLI::App& app);
Action declareTargets(CLI::App& app);

// --dim NAME=N, repeatable.
class Dims {
public:
    void declare(CLI::App& app);
    Result<std::map<std::string, int64_t>> parsed() const;

private:
    std::vector<std::string> texts_;
};

// Checks of numbers; infinities and NaN are refused. CLI11's own let NaN pass and name a range of 309 digits.
CLI::Validator positive();
CLI::Validator notNegative();

void printJson(const nlohmann::json& value);  // one line on stdout; never throws for odd bytes in names
void printWarning(const Error& error);        // on stderr
void printError(const Error& error);          // "fettle: error: WHAT (WHERE): WHY. NEXT STEP" on stderr

bool isSession(const std::string& file);  // by its ending
bool isSharedObject(const std::string& file);

// Looks into a session without taking its writer's lock.
Result<std::unique_ptr<session::TuningSession>> openToLook(const std::string& file);

// A model to run: a session's with its best schedules, or an .onnx with the default ones.
struct Built {
    std::unique_ptr<session::TuningSession> session;
    compile::CompiledModel compiled;
    measure::Evaluator* evaluator = nullptr;  // of the session
};
Result<Built> buildFrom(const std::string& file, const std::map<std::string, int64_t>& dims, int threads);

// Prints warnings among the events and drops the rest.
void drainWarnings(session::TuningSession& session);

// A table of text with aligned columns; numbers (columns named in `right`) to the right.
std::string textTable(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right);
std::string csvLine(const std::vector<std::string>& cells);

}  // namespace fettle::cli
