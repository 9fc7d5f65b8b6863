// SPDX-License-Identifier: GPL-3.0-or-later
// The design space of a task: sketches (families of traces) with open decisions. A rule looks at a loop program and
// contributes sketches; the list of rules for CPUs is a list in rules.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/loop/program.h"
#include "core/schedule/trace.h"
#include "core/support/random.h"
#include "core/target/target.h"

namespace fettle::space {

struct Decision {
    std::string name;              // "ow tile", "rows", "vectors", "parallel" ... shown in the Tune page
    std::vector<int64_t> choices;  // ascending where it is a size
    int usual = 0;                 // index of what the default schedule takes
};

struct Sketch {
    std::string name;  // "register-tile conv", "row-wise softmax" ...
    std::vector<Decision> decisions;
    // choice[k] is an index into decisions[k].choices. Combinations that break a rule give an error.
    std::function<Result<schedule::Trace>(const std::vector<int>& choice)> build;
    // The rule that a combination breaks, or null. Says what build() would, at a fraction of the cost.
    std::function<const char*(const std::vector<int>& choice)> broken;
};

struct Point {  // one candidate before it is a trace
    int sketch = 0;
    std::vector<int> choice;
    bool operator==(const Point&) const = default;
};

struct DesignSpace {
    std::vector<Sketch> sketches;

    Result<schedule::Trace> trace(const Point& point) const;
    // These three give points whose trace builds; a point that does not is drawn again.
    Point sample(Rng& rng) const;                      // uniform over sketches, then over choices
    Point mutate(const Point& point, Rng& rng) const;  // one decision moved (tile sizes mostly to a neighbour)
    Point crossover(const Point& a, const Point& b, Rng& rng) const;  // same sketch; else a copy of a
    Point usual(int sketch) const;                                    // every decision as the default schedule takes it
    double size() const;                                              // number of points
};

DesignSpace designSpace(const loop::LoopProgram& program, const target::Target& target, int threads);

// The schedule used without tuning; "speed-up" refers to it. Always replays, always right, honestly reasonable.
schedule::Trace defaultTrace(const loop::LoopProgram& program, const target::Target& target, int threads);

}  // namespace fettle::space
