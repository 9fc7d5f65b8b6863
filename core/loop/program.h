// SPDX-License-Identifier: GPL-3.0-or-later
// A loop program: what one task computes (stages) and in which order (one loop nest per stage).
//
// A stage computes   out[outputIndices(space axes)] = epilogue( reduce over reduce axes of body )
// Stages run in order. A nest may be computed inside the outer loops of a later stage's nest (computeAt).
#pragma once

#include <string>
#include <vector>

#include "core/graph/types.h"
#include "core/loop/scalar.h"
#include "core/support/error.h"

namespace fettle::loop {

enum class AxisKind : uint8_t { Space, Reduce };

struct Axis {
    std::string name;    // "oc", "oh", "ic" ... unique in its stage
    int64_t extent = 1;  // logical (not padded to blocks)
    AxisKind kind = AxisKind::Space;
};

enum class Reduction : uint8_t { None, Sum, Max, Min, Product };

struct Stage {
    std::string name;        // "conv", "softmax.max" ... unique in the program, an identifier with dots
    std::vector<Axis> axes;  // space axes first, then reduce axes
    Reduction reduction = Reduction::None;
    Scalar body;                       // over all axes
    Scalar epilogue;                   // over space axes and Accumulator; null: the accumulator itself
    int output = -1;                   // index into LoopProgram::tensors
    std::vector<Index> outputIndices;  // one per logical dimension of the output, over space axes; injective

    int spaceAxes() const;
};

enum class Role : uint8_t { Input, Constant, Output, Temp };

struct TensorDecl {
    std::string name;        // unique in the program
    graph::TensorType type;  // with its physical layout
    Role role = Role::Temp;
};

enum class LoopKind : uint8_t { Serial, Unrolled, Vectorized };

// The value of an axis is the sum over its loops of step * counter. Where an axis is split imperfectly, points at or
// beyond its extent are skipped (full tiles first, then one tail instance; masked lanes when vectorised).
struct Loop {
    std::string name;    // unique in its nest; the axis name until split
    int axis = 0;        // index into the stage's axes
    int64_t extent = 1;  // number of iterations
    int64_t step = 1;    // how far one iteration advances the axis
    LoopKind kind = LoopKind::Serial;
};

// The loops of one stage, outermost first. Rules the emitter relies on (schedule/ enforces them):
//  - at most one Vectorized loop, and it is the innermost;
//  - Unrolled loops inside the innermost Serial loop form, with the vectorised one, the register tile;
//  - for a reduction: when every space loop inside the outermost reduce loop is Unrolled or Vectorized, the
//    accumulators stay in registers and the body is emitted once per point of the tile; otherwise partial results
//    live in the output (which must then be float32 or the accumulator's own type);
//  - a vectorised reduce loop keeps one vector of partial results, combined at the end.
struct Nest {
    std::vector<Loop> loops;
    int parallelLoops = 0;  // the first n loops (space) run as one collapsed parallel loop
    int attachStage = -1;   // computed inside another (later) stage's nest: this nest's first attachDepth loops are
    int attachDepth = 0;    // that nest's first attachDepth loops (equal axes extents, splits and order)
};

struct LoopProgram {
    std::string name;                 // the task's name
    std::vector<TensorDecl> tensors;  // inputs and constants in the group's order, then outputs, then temps
    std::vector<Stage> stages;
    std::vector<Nest> nests;  // one per stage; defaultNests() after lowering

    int stageIndex(const std::string& name) const;  // -1 when absent
};

// One Serial loop per axis, in order: what a program means before any schedule.
std::vector<Nest> defaultNests(const LoopProgram& program);

// Checks every rule above and that indices stay inside tensors; the error names stage, loop or tensor.
Status validate(const LoopProgram& program);

// Deterministic text: tensors, then the loop nest as a person would write it. The Code page shows it.
std::string print(const LoopProgram& program);

// Identity of the computation: stages and tensor types, not names, not nests. Equal programs share trials.
uint64_t structuralHash(const LoopProgram& program);

double flopCount(const LoopProgram& program);  // 2 per multiply-add of a reduction, 1 per other operation
double byteCount(const LoopProgram& program);  // inputs + constants + outputs, each once

// Executes the stages in order, point by point, with double accumulation; slow. Tests compare the emitter with it.
// buffers: one per tensor, physicalBytes each, Temps included.
void interpret(const LoopProgram& program, const std::vector<std::byte*>& buffers);

}  // namespace fettle::loop
