// SPDX-License-Identifier: GPL-3.0-or-later
// The search: for each task a population and a set of traces already tried; for all tasks one cost model and a
// scheduler that decides which task gets the next round. Deterministic for a seed.
// Evolution: Shao et al., MetaSchedule, NeurIPS 2022, with an analytic first round and crossover.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/measure/evaluator.h"
#include "core/schedule/trace.h"
#include "core/space/design_space.h"

namespace fettle::search {

struct SearchOptions {
    int trialsPerRound = 16;
    int population = 512, generations = 4;  // MetaSchedule's defaults
    int draft = 2048;                       // points scored by the closed form before the model sees the best of them
    double mutateProbability = 0.85, epsilon = 0.05;
    uint64_t seed = 1;
    int threads = 1;  // kernel threads the schedules are for
};

struct Candidate {
    space::Point point;
    schedule::Trace trace;
    loop::LoopProgram scheduled;
    double predicted = 0;           // predicted latency in ns (from the model's score and the task's best; 0: none)
    int modelVersion = 0;           // 0: the analytic bound predicted it
    const char* origin = "random";  // "analytic", "evolved", "random", "manual", "default"
};

// One task's search state. Does not measure; proposes candidates and is told the results.
class TaskSearch {
public:
    TaskSearch(const loop::LoopProgram& program, const target::Target& target, SearchOptions options);
    ~TaskSearch();

    // Up to n candidates never proposed before; fewer (or none) when the space is exhausted. The first round's first
    // candidates are the analytic choice.
    std::vector<Candidate> propose(int n, const cost::CostModel& model);
    void report(const Candidate& candidate, const measure::TrialResult& result);
    // For resume: an earlier trial, from its trace. Illegal traces are ignored.
    void restore(const schedule::Trace& trace, const measure::TrialResult& result);

    bool exhausted() const;
    int64_t bestNs() const;  // 0: none yet
    int trials() const;
    std::vector<cost::Sample> samples(int taskIndex) const;  // valid trials, for training

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Which task next: a round for each first, then the largest expected gain of the whole model's latency: gradient
// (alpha 0.2, window 3) with weights, capped by what is left above the roofline.
struct TaskProgress {
    double weight = 1, flops = 0, bytes = 0;
    std::vector<int64_t> bestAfterRound;  // ns; 0: no valid trial yet
    bool exhausted = false;
};
using measure::Roofline;
// `probed` may read low on a busy machine: tasks that beat it raise it. -1: nothing left to gain.
int chooseTask(const std::vector<TaskProgress>& tasks, const Roofline& probed, Rng& rng);

}  // namespace fettle::search
