// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/schedule/primitives.h"

namespace fettle::schedule {

namespace {

struct Apply {
    loop::LoopProgram& program;
    Reason operator()(const Split& p) const { return split(program, p); }
    Reason operator()(const Reorder& p) const { return reorder(program, p.stage, p.loops); }
    Reason operator()(const Unroll& p) const { return setKind(program, p.stage, p.loop, loop::LoopKind::Unrolled); }
    Reason operator()(const Vectorize& p) const {
        return setKind(program, p.stage, p.loop, loop::LoopKind::Vectorized);
    }
    Reason operator()(const Parallel& p) const { return parallel(program, p); }
    Reason operator()(const Microkernel& p) const { return microkernel(program, p); }
    Reason operator()(const ComputeAt& p) const { return computeAt(program, p); }
    Reason operator()(const Inline& p) const { return inlineStage(program, p); }
    Reason operator()(const CacheRead& p) const { return cacheRead(program, p); }
};

}  // namespace

Result<loop::LoopProgram> replay(const loop::LoopProgram& program, const Trace& trace) {
    loop::LoopProgram scheduled = program;
    scheduled.nests = loop::defaultNests(scheduled);
    for (size_t i = 0; i < trace.primitives.size(); ++i)
        if (Reason reason = std::visit(Apply{scheduled}, trace.primitives[i]))
            return fail(ErrorCode::Failed, "illegal schedule",
                        "line " + std::to_string(i + 1) + ": " + print(trace.primitives[i]), *reason);
    if (Status status = loop::validate(scheduled); !status) {
        Error error = status.error();
        error.what = "illegal schedule";
        return tl::unexpected<Error>(std::move(error));
    }
    return scheduled;
}

}  // namespace fettle::schedule
