// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/design_space.h"

#include <algorithm>

#include "core/space/sketches.h"

namespace fettle::space {
namespace {

constexpr int kTries = 64;          // draws before a usual point is taken instead
constexpr double kNeighbour = 0.7;  // share of mutations that move one step
constexpr double kOtherSketch = 0.05;

int64_t pick(Rng& rng, size_t count) {
    return rng.below(static_cast<int64_t>(count));
}

void moveOne(const Decision& decision, int& choice, Rng& rng) {
    const int last = static_cast<int>(decision.choices.size()) - 1;
    if (rng.uniform() < kNeighbour) {
        const int step = rng.below(2) == 0 ? -1 : 1;
        choice = choice + step < 0 || choice + step > last ? choice - step : choice + step;
    } else {
        choice = static_cast<int>(pick(rng, decision.choices.size()));
    }
}

}  // namespace

Result<schedule::Trace> DesignSpace::trace(const Point& point) const {
    if (point.sketch < 0 || static_cast<size_t>(point.sketch) >= sketches.size())
        return fail(ErrorCode::Failed, "no such schedule", "design space", "there is no such sketch");
    return sketches[static_cast<size_t>(point.sketch)].build(point.choice);
}

Point DesignSpace::usual(int sketch) const {
    Point point{sketch, {}};
    for (const Decision& decision : sketches[static_cast<size_t>(sketch)].decisions)
        point.choice.push_back(decision.usual);
    return point;
}

Point DesignSpace::sample(Rng& rng) const {
    const int sketch = static_cast<int>(pick(rng, sketches.size()));
    for (int attempt = 0; attempt < kTries; ++attempt) {
        Point point{sketch, {}};
        for (const Decision& decision : sketches[static_cast<size_t>(sketch)].decisions)
            point.choice.push_back(static_cast<int>(pick(rng, decision.choices.size())));
        if (!sketches[static_cast<size_t>(sketch)].broken(point.choice)) return point;
    }
    return usual(sketch);
}

Point DesignSpace::mutate(const Point& point, Rng& rng) const {
    if (rng.uniform() < kOtherSketch) return sample(rng);
    const Sketch& sketch = sketches[static_cast<size_t>(point.sketch)];
    std::vector<size_t> open;
    for (size_t k = 0; k < sketch.decisions.size(); ++k)
        if (sketch.decisions[k].choices.size() > 1) open.push_back(k);
    if (open.empty()) return sample(rng);
    for (int attempt = 0; attempt < kTries; ++attempt) {
        Point moved = point;
        const size_t at = open[static_cast<size_t>(pick(rng, open.size()))];
        moveOne(sketch.decisions[at], moved.choice[at], rng);
        if (moved != point && !sketch.broken(moved.choice)) return moved;
    }
    return sample(rng);
}

Point DesignSpace::crossover(const Point& a, const Point& b, Rng& rng) const {
    if (a.sketch != b.sketch) return a;
    for (int attempt = 0; attempt < kTries / 8; ++attempt) {
        Point child = a;
        for (size_t k = 0; k < child.choice.size(); ++k)
            if (rng.below(2) == 0) child.choice[k] = b.choice[k];
        if (!sketches[static_cast<size_t>(a.sketch)].broken(child.choice)) return child;
    }
    return a;
}

double DesignSpace::size() const {
    double total = 0;
    for (const Sketch& sketch : sketches) {
        double points = 1;
        for (const Decision& decision : sketch.decisions) points *= static_cast<double>(decision.choices.size());
        total += points;
    }
    return total;
}

DesignSpace designSpace(const loop::LoopProgram& program, const target::Target& target, int threads) {
    DesignSpace space;
    for (const Variant& variant : variants(program, target))
        for (Sketch& sketch : sketches(variant, target, threads)) {
            space.sketches.push_back(std::move(sketch));
            const auto trace = space.trace(space.usual(static_cast<int>(space.sketches.size()) - 1));
            if (!trace || !schedule::replay(program, *trace)) space.sketches.pop_back();
        }
    if (space.sketches.empty())  // a program without stages
        space.sketches.push_back({"plain loops",
                                  {},
                                  [](const std::vector<int>&) -> Result<schedule::Trace> { return schedule::Trace{}; },
                                  [](const std::vector<int>&) -> const char* { return nullptr; }});
    return space;
}

schedule::Trace defaultTrace(const loop::LoopProgram& program, const target::Target& target, int threads) {
    const DesignSpace space = designSpace(program, target, threads);
    auto trace = space.trace(space.usual(0));
    return trace ? *trace : schedule::Trace{};
}

}  // namespace fettle::space
