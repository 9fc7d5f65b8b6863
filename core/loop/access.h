// SPDX-License-Identifier: GPL-3.0-or-later
// Where a stage touches memory: for every load and for the store, how far an axis moves the address in bytes.
// Schedules choose their loops from it, the cost model counts with it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/loop/program.h"

namespace fettle::loop {

// One logical dimension of a tensor as one access indexes it.
struct DimAccess {
    Index index;
    std::vector<int64_t> coefficients;  // per axis of the stage; meaningful when affine
    bool affine = false;
    int64_t extent = 1;       // logical
    int64_t block = 1;        // size of its block in the layout; 1: not blocked
    int64_t outerStride = 0;  // bytes from one block to the next (from one element to the next when block is 1)
    int64_t innerStride = 0;  // bytes from one element to the next inside a block

    // How far the logical index moves when `axis` goes from 0 to `steps` and all others stay 0. Loaded parts count 0.
    int64_t delta(int axis, int64_t steps) const;
};

struct Access {
    int tensor = -1;
    bool store = false;
    bool epilogue = false;  // read once per output element, not once per point
    bool guarded = false;
    bool gathered = false;  // some index is loaded from a tensor
    int64_t elementBytes = 4;
    std::vector<DimAccess> dims;

    // How far the address moves when `axis` goes from 0 to `steps`.
    int64_t byteStep(int axis, int64_t steps = 1) const;
    bool moves(int axis, int64_t steps = 1) const;  // any index depends on the axis
};

// The loads of the body, those of the epilogue, then the store; each distinct load once, in evaluation order.
std::vector<Access> accesses(const LoopProgram& program, const Stage& stage);

}  // namespace fettle::loop
