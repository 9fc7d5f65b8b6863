// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of every task from the trials so far: default and best latency, the best trace, how many trials of
// which end. The model's latency is estimated from it: the sum over tasks of weight times latency. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/store/session_file.h"

namespace fettle::session {

struct TaskStanding {
    int trials = 0;
    int64_t defaultNs = 0;  // of the default schedule; 0: not measured, or it failed
    int64_t bestNs = 0;     // over all valid trials; 0: none
    int64_t bestTrial = 0;
    std::string bestTrace;
    bool defaultTried = false, defaultFailed = false;
    std::vector<int64_t> bestAfterRound;  // one per search round of this task (defaults and manual trials are none)
    int lastRound = 0;
};

class TaskBoard {
public:
    void reset(std::vector<store::TaskRow> tasks);
    // Counts a committed trial; true when it is the task's new best.
    bool add(const store::TrialRow& row);

    TaskStanding standing(int task) const;
    bool tried(int task, uint64_t traceHash) const;
    // Sum over tasks of weight * (best, or the default's) latency; tasks without a valid trial count nothing.
    double modelNs() const;
    double baselineNs() const;
    bool everyDefaultTried() const;
    int countOf(int status) const;  // trials with that measure::TrialStatus
    int lastRound() const;
    double noise() const;  // median of (median - min) / min of the latest valid trials

private:
    double sum(bool best) const;

    mutable std::mutex mutex_;
    std::vector<store::TaskRow> rows_;
    std::vector<TaskStanding> standings_;
    std::vector<std::set<uint64_t>> tried_;
    std::map<int, int> statuses_;
    std::vector<double> spreads_;  // a ring of the latest
    size_t nextSpread_ = 0;
    int lastRound_ = 0;
};

inline constexpr const char* kOriginDefault = "default";
inline constexpr const char* kOriginManual = "manual";

}  // namespace fettle::session
