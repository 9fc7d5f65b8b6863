// SPDX-License-Identifier: GPL-3.0-or-later
// Features per store of a scheduled program, in MetaSchedule's five groups, plus features of the register tile.
// Source: Zheng et al., Ansor, OSDI 2020; Shao et al., MetaSchedule, NeurIPS 2022. featureNames() explains each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/loop/program.h"
#include "core/target/target.h"

namespace fettle::cost {

const std::vector<std::string>& featureNames();  // one line of words each

// One row per store (stage), featureNames().size() columns, log-scaled where the name says so; all finite.
using FeatureRows = std::vector<std::vector<float>>;
FeatureRows features(const loop::LoopProgram& scheduled, const target::Target& target, int threads);

// The closed-form bound over the inner loops in seconds: max(fma/2, loads/2, stores, instructions/8, latency) +
// stores/2 cycles, plus cache traffic over measured bandwidths. Ranks candidates without any training (ENGINE.md:
// 0.88).
double analyticSeconds(const loop::LoopProgram& scheduled, const target::Target& target, int threads);

// The same for many schedules of one task: what does not depend on the nest is worked out once per stage.
// Not thread-safe.
class Analyser {
public:
    Analyser(const target::Target& target, int threads);
    ~Analyser();
    FeatureRows features(const loop::LoopProgram& scheduled);
    double analyticSeconds(const loop::LoopProgram& scheduled);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fettle::cost
