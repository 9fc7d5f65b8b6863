// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule as a list of primitives: replayable, printable, editable. Text form, one primitive a line:
//
//   split conv.oc 16 -> oc0 oc1          one loop becomes two; imperfect splits allowed
//   reorder conv oc0 oh ow0 ic kh kw ow1 oc1     the loops named take these positions; all must be of one stage
//   unroll conv.ow1
//   vectorize conv.oc1
//   parallel conv oc0 oh                 the outermost loops, collapsed
//   microkernel conv ow1 oc1             these become innermost; all but the last are unrolled, the last vectorised
//   compute-at max norm row              stage max is computed inside stage norm's loops up to and including row
//   inline scale                         stage scale is substituted into its readers
//   cache-read conv B -> packB order=1,0 blocks=0x16     a copy of an input in another layout, made first
// Lines that start with # are comments. Loop names are those of the stage; a split removes the old name.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/loop/program.h"

namespace fettle::schedule {

struct Split {
    std::string stage, loop;
    int64_t factor;
    std::string outer, inner;
};
struct Reorder {
    std::string stage;
    std::vector<std::string> loops;
};
struct Unroll {
    std::string stage, loop;
};
struct Vectorize {
    std::string stage, loop;
};
struct Parallel {
    std::string stage;
    std::vector<std::string> loops;
};
struct Microkernel {
    std::string stage;
    std::vector<std::string> loops;
};
struct ComputeAt {
    std::string producer, consumer, loop;
};
struct Inline {
    std::string stage;
};
struct CacheRead {
    std::string stage, tensor, copy;
    graph::Layout layout;
};

using Primitive = std::variant<Split, Reorder, Unroll, Vectorize, Parallel, Microkernel, ComputeAt, Inline, CacheRead>;

struct Trace {
    std::vector<Primitive> primitives;
};

std::string print(const Primitive& primitive);
std::string print(const Trace& trace);
Result<Trace> parse(std::string_view text);  // the error names the line

// Applies the primitives in order. Illegal use is an error that says which rule it broke, in which line.
// Deterministic; the input program is not changed.
Result<loop::LoopProgram> replay(const loop::LoopProgram& program, const Trace& trace);

uint64_t hash(const Trace& trace);  // of its text

}  // namespace fettle::schedule
