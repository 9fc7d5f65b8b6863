// SPDX-License-Identifier: GPL-3.0-or-later
// The proposing half of the tuner: which task is next, and its candidates.
#include <algorithm>
#include <numeric>

#include "core/session/settings.h"
#include "core/session/tuner.h"
#include "core/support/affinity.h"
#include "core/support/hash.h"

namespace fettle::session {

using Clock = std::chrono::steady_clock;

int Tuner::choose(int measuring) {
    std::vector<search::TaskProgress> progress;
    std::vector<int> ids;
    const auto outline = context_.outline();
    for (size_t k = 0; k < tasks_.size(); ++k) {
        const compile::Task& task = model_->tasks[k];
        if (!tasks_[k].selected || !task.tunable || tasks_[k].exhausted) continue;
        TaskStanding standing = context_.board.standing(static_cast<int>(k));
        if (static_cast<int>(k) == measuring) standing.bestAfterRound.push_back(standing.bestNs);
        // What stays in the caches between the timed runs does not wait for memory.
        const double bytes = task.bytes > static_cast<double>(outline->target.l3Bytes) ? task.bytes : 0;
        progress.push_back({static_cast<double>(task.weight), task.flops, bytes, standing.bestAfterRound, false});
        ids.push_back(static_cast<int>(k));
    }
    // Each task has its first turn before any has a second: the one that costs the model most comes first.
    const auto costs = [&](int id) {
        return model_->tasks[static_cast<size_t>(id)].weight * static_cast<double>(context_.board.standing(id).bestNs);
    };
    std::vector<size_t> order(ids.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs(ids[a]) > costs(ids[b]); });
    std::vector<search::TaskProgress> sorted;
    for (size_t k : order) sorted.push_back(progress[k]);
    const int chosen = progress.empty() ? -1 : search::chooseTask(sorted, roofline_, rng_);
    return chosen < 0 ? -1 : ids[order[static_cast<size_t>(chosen)]];
}

// A first turn is shorter when the budget is small beside the number of tasks, so that all of them get one.
int Tuner::turnOf(int task) const {
    if (!context_.board.standing(task).bestAfterRound.empty() || options_.trials <= 0) return options_.trialsPerRound;
    const int share = options_.trials / (2 * std::max(1, static_cast<int>(tasks_.size())));
    return std::clamp(share, std::min(4, options_.trialsPerRound), options_.trialsPerRound);
}

search::TaskSearch& Tuner::searchOf(int task) {
    TaskRun& run = tasks_[static_cast<size_t>(task)];
    if (run.search) return *run.search;
    const compile::Task& what = model_->tasks[static_cast<size_t>(task)];
    search::SearchOptions options;
    options.trialsPerRound = options_.trialsPerRound;
    options.threads = options_.threads;
    options.seed = hash64(std::to_string(options_.seed) + " " + std::to_string(what.structuralHash) + " " +
                          std::to_string(context_.board.standing(task).bestAfterRound.size()));
    run.search = std::make_unique<search::TaskSearch>(what.program, context_.outline()->target, options);
    for (const store::TrialRow& row : context_.file->trials(0, task).value_or(std::vector<store::TrialRow>{})) {
        measure::TrialResult result;
        result.status = static_cast<measure::TrialStatus>(row.status);
        result.samplesNs = row.samplesNs;
        result.minNs = row.minNs;
        result.medianNs = row.medianNs;
        result.maxRelError = row.maxRelError;
        if (const auto trace = schedule::parse(row.trace)) run.search->restore(*trace, result);
    }
    return *run.search;
}

std::future<Tuner::Proposal> Tuner::draw(int task, int count, std::launch when) {
    search::TaskSearch& search = searchOf(task);
    const auto make = [&search, &board = context_.board, &model = trainer_.model(), version = trainer_.version(), task,
                       count, when]() -> Proposal {
        const auto from = Clock::now();
        if (when == std::launch::async) support::leaveMeasuringCpu();
        Proposal proposal{task, {}, 0};
        std::vector<search::Candidate>& kept = proposal.candidates;
        for (int attempt = 0; attempt < 4 && static_cast<int>(kept.size()) < count; ++attempt) {
            auto drawn = search.propose(count - static_cast<int>(kept.size()), model);
            if (drawn.empty()) break;
            for (search::Candidate& candidate : drawn) {
                if (board.tried(task, hash64(schedule::print(candidate.trace)))) continue;
                // The search says only whether the learnt model or the closed form predicted it.
                if (candidate.modelVersion != 0) candidate.modelVersion = version;
                kept.push_back(std::move(candidate));
            }
        }
        proposal.seconds = std::chrono::duration<double>(Clock::now() - from).count();
        return proposal;
    };
    return std::async(when, make);
}

// Into `pending_`: nothing when the chosen task has no more candidates, or nothing is left to gain.
Status Tuner::proposeRound() {
    Proposal proposal;
    if (ahead_.valid()) proposal = ahead_.get();
    if (proposal.task < 0) {
        int task = choose(-1);
        if (task < 0 && probeCeilings()) task = choose(-1);
        ended_ = task < 0;
        if (ended_) return {};
        proposal = draw(task, std::min(turnOf(task), trialsLeft()), std::launch::deferred).get();
    }
    seconds_.search += proposal.seconds;
    current_ = proposal.task;
    ++round_;
    FETTLE_CHECK(proposeScripts(current_));
    for (search::Candidate& candidate : proposal.candidates)
        if (static_cast<int>(pending_.size()) < trialsLeft()) pending_.push_back({current_, std::move(candidate)});
    if (pending_.empty())
        tasks_[static_cast<size_t>(current_)].exhausted = true;
    else
        context_.events.push(RoundStarted{round_, current_});
    return {};
}

// Never for the task being measured: its next candidates shall know these results.
void Tuner::lookAhead() {
    if (ahead_.valid()) return;
    const int left = trialsLeft() - static_cast<int>(pending_.size());
    const int task = left > 0 ? choose(current_) : -1;
    if (task >= 0 && task != current_) ahead_ = draw(task, std::min(turnOf(task), left), std::launch::async);
}

Status Tuner::proposeScripts(int task) {
    TaskRun& run = tasks_[static_cast<size_t>(task)];
    if (std::exchange(run.scriptsDone, true)) return {};
    const compile::Task& what = model_->tasks[static_cast<size_t>(task)];
    for (const ScriptBlock& block : scripts_) {
        if (!matchesOperator(block.pattern, *model_, what)) continue;
        auto trace = applyScript(block, what.program);
        if (!trace) {
            Error error = trace.error();
            error.where = what.name + (error.where.empty() ? "" : ", " + error.where);
            context_.warn(std::move(error));
            continue;
        }
        if (context_.board.tried(task, hash64(schedule::print(*trace)))) continue;
        search::Candidate candidate;
        candidate.origin = kOriginManual;
        FETTLE_TRY(candidate.scheduled, schedule::replay(what.program, *trace));
        candidate.trace = std::move(*trace);
        pending_.push_back({task, std::move(candidate)});
    }
    return {};
}

}  // namespace fettle::session
