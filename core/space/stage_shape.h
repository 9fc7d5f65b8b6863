// SPDX-License-Identifier: GPL-3.0-or-later
// What a rule needs to know about one stage: which axis the lanes go over, which axes reuse what the lanes load, which
// reduce axes lie in blocks. All of it follows from how axes move addresses, nothing from names.
#pragma once

#include <string>
#include <vector>

#include "core/loop/access.h"
#include "core/loop/program.h"
#include "core/target/target.h"

namespace fettle::space {

struct AxisShape {
    int axis = 0;
    std::string name;
    int64_t extent = 1;
    bool reduce = false;
    int64_t outStep = 0;  // bytes the store moves per step; 0 for reduce axes
    int64_t inStep = 0;   // bytes the largest load that moves with it moves per step
    int64_t block = 1;    // size of the block it lies in, in any tensor; 1: none
};

struct StageShape {
    int stage = 0;
    std::string name;
    std::vector<AxisShape> axes;         // as in the stage
    std::vector<loop::Access> accesses;  // loads of the body, of the epilogue, the store last
    bool reduction = false;
    int vectorLanes = 1;  // elements of the target's vector of the widest type here
    int registers = 16;
    int opsPerPoint = 1;
    double points = 1;        // size of the iteration domain
    int laneAxis = -1;        // space axis that is contiguous in the output; -1: none
    int reduceLaneAxis = -1;  // reduce axis that is contiguous in every load that moves with it; -1: none
    int gatheredTensor = -1;  // a tensor whose elements the lanes of laneAxis would have to gather; -1: none

    int lanesOf(int axis) const;  // lanes used along an axis: a power of two, at most its extent and block
    int64_t extent(int axis) const { return axes[static_cast<size_t>(axis)].extent; }
    // Loads of the body that move with `lane` and do not move with `axis`: what unrolling `axis` reuses.
    int reuses(int axis, int lane) const;
    // Space axes other than `lane` and the first `prefix`, best rows first: most reuse, then nearest in memory.
    std::vector<int> rowAxes(int lane, int prefix) const;
};

StageShape stageShape(const loop::LoopProgram& program, int stage, const target::Target& target);

}  // namespace fettle::space
