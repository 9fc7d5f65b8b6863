// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: a stage and its nest made ready for emission. Expressions are rewritten from the stage's axes
// to the loops of its nest ("axis k" of an Index means loop k from here on). No LLVM here.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/loop/program.h"

namespace fettle::codegen {

// constant + sum(coefficients[k] * loop k) + sum(factor * atom); atoms are what is not affine.
struct Linear {
    int64_t constant = 0;
    std::vector<int64_t> coefficients;                   // one per loop
    std::vector<std::pair<loop::Index, int64_t>> atoms;  // FloorDiv, Mod, Loaded
};
Linear linearize(const loop::Index& index, int loops);

// How a load or store finds its element.
struct Access {
    int tensor = -1;
    Linear offset;            // in elements, physical
    bool lanesInside = true;  // all lanes of a full vector lie inside the tensor's memory, pad lanes included
    struct Guard {
        Linear index;
        int64_t extent;
    };                          // 0 <= index < extent must hold, or guardValue
    std::vector<Guard> guards;  // only those that can fail
};

struct StageCode {
    const loop::LoopProgram* program = nullptr;
    const loop::Stage* stage = nullptr;
    int number = -1;
    loop::Nest nest;                  // huge vectorised loops split into serial loop and lanes
    std::vector<loop::Range> ranges;  // of the loop counters
    std::vector<bool> ordered;        // per axis: its loops nest by falling step
    loop::Scalar body, epilogue;      // over loops; epilogue may be null
    Access output;
    std::unordered_map<const loop::ScalarNode*, Access> accesses;  // of every Load, also those inside indices

    int vectorLoop = -1;       // the innermost loop, when vectorised
    int lanes = 1;             // its extent
    bool lanesReduce = false;  // it is a reduce loop
    int firstReduce = 0;       // the outermost reduce loop; loops.size() when there is none
    int tileStart = 0;         // the accumulators live in registers from here inward
    int partials = 1;          // accumulators per output point, to hide latency
    int tilePoints = 1;        // output points (vectors) of one tile
    int bodiesUnrolled = 1;    // copies of the body in one tile

    bool reduces() const { return stage->reduction != loop::Reduction::None; }
    bool isSpace(int loopNumber) const;
    std::vector<int64_t> parallelExtents() const;  // trips of the collapsed loops; some may lie beyond the axis
    bool partialInMemory() const { return tileStart > firstReduce; }
};

// `lanes` is how many float32 elements one vector register holds. Errors name the stage and the rule.
Result<StageCode> prepareStage(const loop::LoopProgram& program, int stage, int lanes);

}  // namespace fettle::codegen
