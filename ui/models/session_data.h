// SPDX-License-Identifier: GPL-3.0-or-later
// The window's own copy of a session: plain structs, built from the event stream, read by every model and chart.
// No Qt objects and no widgets; lives on the GUI thread. Trials are only ever appended, in order of their ids.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/kind.h"
#include "core/measure/trial.h"
#include "core/session/events.h"
#include "core/session/tuning_session.h"

namespace fettle::ui {

// A fused operator of the model, in execution order. Without the model's file: one entry per task.
struct OperatorEntry {
    int group = -1;
    int task = -1;
    std::string name, path;
};

struct TaskState {
    store::TaskRow row{};
    graph::OpKind kind = graph::OpKind::Other;
    std::string output;  // "1x64x56x56" with multiplication signs; empty when the model's file is gone
    bool tunable = true;
    int64_t defaultNs = 0, bestNs = 0;  // minimum over samples; 0: not measured yet
    int64_t bestTrial = 0;
    double defaultSpread = 0, bestSpread = 0;  // half of (p90 - min) / min
    int trials = 0, ok = 0;
    std::vector<size_t> trialIndices;                   // into SessionData::trials
    std::vector<std::pair<size_t, int64_t>> bestAfter;  // index of the trial that improved, new best in ns

    double speedUp() const { return defaultNs > 0 && bestNs > 0 ? double(defaultNs) / double(bestNs) : 0; }
    int64_t nowNs() const { return bestNs > 0 ? bestNs : defaultNs; }
};

struct Importance {
    std::string feature;
    double share = 0;
};

// What an event changed, so that views refresh only what they draw. Bits.
enum Change : unsigned {
    ChangedTasks = 1,   // the list of operators itself
    ChangedTrials = 2,  // appended
    ChangedBest = 4,    // some task got faster, or got its default time
    ChangedProgress = 8,
    ChangedModel = 16,  // cost model
    ChangedProfile = 32,
    ChangedState = 64,
    ChangedProblems = 128,
};

struct SessionData {
    std::shared_ptr<const session::Outline> outline;
    std::vector<OperatorEntry> operators;
    std::vector<TaskState> tasks;  // by task id
    std::vector<store::TrialRow> trials;
    session::State state = session::State::Empty;
    session::Progress progress;
    cost::Quality quality;                 // of the newest cost model
    std::vector<cost::Quality> qualities;  // every version
    std::vector<Importance> importance;
    std::array<int, 6> byStatus{};                                  // trials per measure::TrialStatus
    std::vector<std::shared_ptr<const compile::Profile>> profiles;  // newest last
    int rounds = 0;
    int taskNow = -1;  // being tuned; -1: none
    // Whole-model latency estimated from operators (weight x best), after each trial that changed it.
    std::vector<std::pair<size_t, double>> modelLatency;

    int failed() const;              // trials neither ok nor cancelled
    double baselineNs() const;       // weight x default, over the tasks measured; 0: none
    double modelNs() const;          // weight x best (or default)
    double noise() const;            // median spread of the newest trials, as a share
    double shareOf(int task) const;  // of one occurrence in modelNs()
    const TaskState* task(int id) const;
    const store::TrialRow* trial(int64_t id) const;
    int slowestOperator() const;  // index into operators; -1: nothing measured
};

void setOutline(SessionData& data, std::shared_ptr<const session::Outline> outline);
// Applies one event and returns the bits of Change.
unsigned apply(SessionData& data, session::Event event);
// Appends those rows whose id is above every known one.
unsigned appendTrials(SessionData& data, std::vector<store::TrialRow> rows);

double spreadOf(const store::TrialRow& row);  // half of (p90 - min) / min; 0 with fewer than 2 samples
graph::OpKind kindFromName(const std::string& name);
inline measure::TrialStatus statusOf(const store::TrialRow& row) {
    return static_cast<measure::TrialStatus>(row.status);
}
inline bool isOk(const store::TrialRow& row) {
    return statusOf(row) == measure::TrialStatus::Ok && row.minNs > 0;
}

}  // namespace fettle::ui
