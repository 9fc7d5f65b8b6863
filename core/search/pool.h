// SPDX-License-Identifier: GPL-3.0-or-later
// Points of one task's design space with what is known about each without running it; kept between rounds.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/space/design_space.h"

namespace fettle::search {

struct Known {
    bool legal = false;
    double analyticNs = 0;
    cost::FeatureRows rows;  // filled when first asked for
};

class Pool {
public:
    Pool(const loop::LoopProgram& program, const target::Target& target, int threads);

    const space::DesignSpace& space() const { return space_; }
    const loop::LoopProgram& program() const { return program_; }

    // The closed form's nanoseconds; nothing when the point breaks a rule.
    std::optional<double> analyticNs(const space::Point& point);
    const cost::FeatureRows& features(const space::Point& point);  // empty when the point breaks a rule
    cost::FeatureRows featuresOf(const loop::LoopProgram& scheduled) { return analyser_.features(scheduled); }
    double analyticNsOf(const loop::LoopProgram& scheduled) { return analyser_.analyticSeconds(scheduled) * 1e9; }

    // All points when there are at most `limit`, else that many different ones drawn at random; only legal ones.
    std::vector<space::Point> draft(int limit, Rng& rng);
    bool enumerable(int limit) const { return space_.size() <= limit; }

private:
    using Key = std::pair<int, std::vector<int>>;
    Known& look(const space::Point& point, bool withFeatures);

    loop::LoopProgram program_;
    space::DesignSpace space_;
    cost::Analyser analyser_;
    std::map<Key, Known> known_;
};

}  // namespace fettle::search
