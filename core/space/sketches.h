// SPDX-License-Identifier: GPL-3.0-or-later
// From plans of stages to sketches of a whole program: packing, sharing of row loops, parallel loops.
#pragma once

#include <vector>

#include "core/space/stage_plan.h"

namespace fettle::space {

// A program to schedule and what led to it from the task's: a copy of an input in another layout, or nothing.
struct Variant {
    loop::LoopProgram program;
    schedule::Trace head;
    std::string name;
};

// The program as it is, and with an input packed where the lanes would gather; the better default first.
std::vector<Variant> variants(const loop::LoopProgram& program, const target::Target& target);

// Sketches of one variant, the better default first. Those whose usual point does not replay are left out.
std::vector<Sketch> sketches(const Variant& variant, const target::Target& target, int threads);

}  // namespace fettle::space
