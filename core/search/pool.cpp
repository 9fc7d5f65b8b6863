// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/pool.h"

#include <set>

namespace fettle::search {

Pool::Pool(const loop::LoopProgram& program, const target::Target& target, int threads)
    : program_(program), space_(space::designSpace(program, target, threads)), analyser_(target, threads) {}

Known& Pool::look(const space::Point& point, bool withFeatures) {
    constexpr size_t kKept = 1 << 16;
    if (known_.size() > kKept) known_.clear();
    auto [at, isNew] = known_.try_emplace({point.sketch, point.choice});
    Known& known = at->second;
    if (!isNew && (!known.legal || !withFeatures || !known.rows.empty())) return known;
    if (space_.sketches[static_cast<size_t>(point.sketch)].broken(point.choice)) return known;
    const auto trace = space_.trace(point);
    if (!trace) return known;
    const auto scheduled = schedule::replay(program_, *trace);
    if (!scheduled) return known;
    known.legal = true;
    if (isNew) known.analyticNs = analyser_.analyticSeconds(*scheduled) * 1e9;
    if (withFeatures) known.rows = analyser_.features(*scheduled);
    return known;
}

std::optional<double> Pool::analyticNs(const space::Point& point) {
    const Known& known = look(point, false);
    return known.legal ? std::optional(known.analyticNs) : std::nullopt;
}

const cost::FeatureRows& Pool::features(const space::Point& point) {
    return look(point, true).rows;
}

std::vector<space::Point> Pool::draft(int limit, Rng& rng) {
    std::vector<space::Point> points;
    const auto keep = [&](const space::Point& point) {
        if (analyticNs(point)) points.push_back(point);
    };
    if (!enumerable(limit)) {
        std::set<Key> seen;
        for (int k = 0; k < limit; ++k) {
            const space::Point point = space_.sample(rng);
            if (seen.emplace(point.sketch, point.choice).second) keep(point);
        }
        return points;
    }
    for (size_t sketch = 0; sketch < space_.sketches.size(); ++sketch) {
        const std::vector<space::Decision>& decisions = space_.sketches[sketch].decisions;
        space::Point point{static_cast<int>(sketch), std::vector<int>(decisions.size(), 0)};
        for (bool more = true; more;) {
            keep(point);
            more = false;
            for (size_t k = decisions.size(); k-- > 0 && !more;) {
                more = ++point.choice[k] < static_cast<int>(decisions[k].choices.size());
                if (!more) point.choice[k] = 0;
            }
        }
    }
    return points;
}

}  // namespace fettle::search
