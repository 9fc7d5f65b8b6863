// SPDX-License-Identifier: GPL-3.0-or-later
// Tuning, as a recipe: the default schedule of every task first (the baseline), then rounds: choose a task, propose
// candidates, measure them, save, tell, train. Runs on the session's thread.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "core/search/search.h"
#include "core/session/context.h"
#include "core/session/cost_trainer.h"
#include "core/session/script.h"

namespace fettle::session {

class Tuner {
public:
    Tuner(Context& context, TuneOptions options);
    // Until the budget is used, nothing is left to gain, or the session is stopped (then still without error).
    Status run();
    // One schedule of one task, as a trial of origin "manual".
    Status runManual(int task, const std::string& traceText);

private:
    struct Pending {
        int task = 0;
        search::Candidate candidate;
    };
    struct Proposal {
        int task = -1;  // none: nothing is left to gain
        std::vector<search::Candidate> candidates;
        double seconds = 0;  // that drawing them took
    };
    struct TaskRun {
        std::unique_ptr<search::TaskSearch> search;
        bool selected = false, exhausted = false, scriptsDone = false;
    };

    Status prepare();
    Status takeSettings();
    Status measureDefaults();
    Status checkThatSomethingWorks() const;
    Status round();
    bool probeCeilings();
    // Supposing that a round of task `measuring` (-1: none) is under way and finds nothing better.
    int choose(int measuring);
    int turnOf(int task) const;
    Status proposeRound();
    // Draws the next round's candidates on a thread of its own while this round is measured.
    void lookAhead();
    std::future<Proposal> draw(int task, int count, std::launch when);
    Status proposeScripts(int task);
    // Measures `pending_`; what a pause or a stop left unmeasured stays in it.
    Status measurePending();
    Status measureBatch(std::vector<Pending> batch);
    void record(const Pending& pending, measure::TrialResult result);
    Status commit(bool force);
    void announce(std::vector<store::TrialRow> rows);
    void tellProgress();
    void trained();
    void startTraining();
    const measure::TaskData* dataOf(int task);
    search::TaskSearch& searchOf(int task);
    bool over() const;  // by budget
    int trialsLeft() const;
    double elapsed() const;
    void saveState();

    Context& context_;
    TuneOptions options_;
    const compile::OpenedModel* model_ = nullptr;
    CostTrainer trainer_;
    std::vector<TaskRun> tasks_;
    std::vector<ScriptBlock> scripts_;
    std::map<int, measure::TaskData> data_;
    std::vector<Pending> pending_;
    std::future<Proposal> ahead_;
    std::vector<store::TrialRow> uncommitted_;
    std::map<std::string, int> failures_;  // how many trials ended with which error
    std::chrono::steady_clock::time_point started_, lastCommit_;
    Progress::Split seconds_;  // of the whole session
    double earlierSeconds_ = 0, pausedSeconds_ = 0;
    bool ended_ = false;  // nothing left to gain
    int round_ = 0, done_ = 0, current_ = -1;
    search::Roofline roofline_;
    Rng rng_;
};

}  // namespace fettle::session
