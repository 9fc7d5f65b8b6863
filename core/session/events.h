// SPDX-License-Identifier: GPL-3.0-or-later
// What a running session tells its listeners: plain structs.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/compile/model.h"
#include "core/cost/cost_model.h"
#include "core/store/session_file.h"

namespace fettle::session {

enum class State { Empty, Opened, Profiling, Tuning, Pausing, Paused, Stopping, Exporting, Finished, Failed };
const char* stateName(State state);

struct StateChanged {
    State state;
    std::string detail;
};
struct TaskAdded {
    store::TaskRow task;
};
struct RoundStarted {
    int round = 0;
    int task = 0;
};
struct TrialsMeasured {
    std::vector<store::TrialRow> trials;
};  // committed
struct CostModelTrained {
    cost::Quality quality;
    std::vector<std::pair<std::string, double>> importance;
};
struct BestChanged {
    int task = 0;
    int64_t trial = 0;
    int64_t bestNs = 0, defaultNs = 0;
};
struct ProfileReady {
    compile::Profile profile;
};
struct Progress {
    int trials = 0, trialBudget = 0;  // budget 0: by minutes
    double seconds = 0, secondsBudget = 0, etaSeconds = 0;
    double modelNs = 0, baselineNs = 0;  // sums of weights x best and default; 0 until every operator was measured
    double noise = 0;                    // median relative spread of recent trials
    struct Split {
        double search = 0, compile = 0, measure = 0, train = 0, store = 0;
    } secondsIn;
    int task = -1;  // being tuned now
};
struct Warning {
    Error error;
};
struct Exported {
    compile::ExportReport report;
};
struct Finished {
    bool cancelled = false;
    Error error;
    bool failed = false;
};

using Event = std::variant<StateChanged, TaskAdded, RoundStarted, TrialsMeasured, CostModelTrained, BestChanged,
                           ProfileReady, Progress, Warning, Exported, Finished>;

}  // namespace fettle::session
