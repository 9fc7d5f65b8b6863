// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/task_board.h"

#include <algorithm>

#include "core/measure/trial.h"
#include "core/support/hash.h"

namespace fettle::session {
namespace {

constexpr size_t kSpreadWindow = 64;

bool isOk(const store::TrialRow& row) {
    return row.status == static_cast<int>(measure::TrialStatus::Ok) && row.minNs > 0;
}

}  // namespace

void TaskBoard::reset(std::vector<store::TaskRow> tasks) {
    std::lock_guard guard(mutex_);
    rows_ = std::move(tasks);
    standings_.assign(rows_.size(), {});
    tried_.assign(rows_.size(), {});
    statuses_.clear();
    spreads_.clear();
    nextSpread_ = 0;
    lastRound_ = 0;
}

bool TaskBoard::add(const store::TrialRow& row) {
    std::lock_guard guard(mutex_);
    if (row.task < 0 || static_cast<size_t>(row.task) >= standings_.size()) return false;
    TaskStanding& task = standings_[static_cast<size_t>(row.task)];
    ++task.trials;
    ++statuses_[row.status];
    lastRound_ = std::max(lastRound_, row.round);
    tried_[static_cast<size_t>(row.task)].insert(hash64(row.trace));
    const bool better = isOk(row) && (task.bestNs == 0 || row.minNs < task.bestNs);
    if (row.origin == kOriginDefault) {
        task.defaultTried = true;
        if (isOk(row) && task.defaultNs == 0) task.defaultNs = row.minNs;
        task.defaultFailed = task.defaultNs == 0;
    }
    if (better) {
        task.bestNs = row.minNs;
        task.bestTrial = row.id;
        task.bestTrace = row.trace;
    }
    if (row.origin != kOriginDefault && row.origin != kOriginManual) {
        if (row.round != task.lastRound || task.bestAfterRound.empty()) task.bestAfterRound.push_back(0);
        task.lastRound = row.round;
    }
    if (!task.bestAfterRound.empty()) task.bestAfterRound.back() = task.bestNs;
    if (isOk(row) && row.medianNs >= row.minNs) {
        const double spread = static_cast<double>(row.medianNs - row.minNs) / static_cast<double>(row.minNs);
        if (spreads_.size() < kSpreadWindow)
            spreads_.push_back(spread);
        else
            spreads_[nextSpread_++ % kSpreadWindow] = spread;
    }
    return better;
}

TaskStanding TaskBoard::standing(int task) const {
    std::lock_guard guard(mutex_);
    if (task < 0 || static_cast<size_t>(task) >= standings_.size()) return {};
    return standings_[static_cast<size_t>(task)];
}

bool TaskBoard::tried(int task, uint64_t traceHash) const {
    std::lock_guard guard(mutex_);
    return task >= 0 && static_cast<size_t>(task) < tried_.size() &&
           tried_[static_cast<size_t>(task)].contains(traceHash);
}

double TaskBoard::sum(bool best) const {
    std::lock_guard guard(mutex_);
    double total = 0;
    for (size_t k = 0; k < rows_.size(); ++k)
        total += rows_[k].weight * static_cast<double>(best ? standings_[k].bestNs : standings_[k].defaultNs);
    return total;
}

double TaskBoard::modelNs() const {
    return sum(true);
}

double TaskBoard::baselineNs() const {
    return sum(false);
}

bool TaskBoard::everyDefaultTried() const {
    std::lock_guard guard(mutex_);
    return std::all_of(standings_.begin(), standings_.end(),
                       [](const TaskStanding& task) { return task.defaultTried; });
}

int TaskBoard::countOf(int status) const {
    std::lock_guard guard(mutex_);
    const auto found = statuses_.find(status);
    return found == statuses_.end() ? 0 : found->second;
}

int TaskBoard::lastRound() const {
    std::lock_guard guard(mutex_);
    return lastRound_;
}

double TaskBoard::noise() const {
    std::lock_guard guard(mutex_);
    if (spreads_.empty()) return 0;
    std::vector<double> sorted = spreads_;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
}

}  // namespace fettle::session
