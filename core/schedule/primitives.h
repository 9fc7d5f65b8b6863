// SPDX-License-Identifier: GPL-3.0-or-later
// What each primitive does to a program; the reason when it may not. Private to schedule/.
#pragma once

#include <optional>

#include "core/schedule/trace.h"

namespace fettle::schedule {

using Reason = std::optional<std::string>;  // empty: done

Reason split(loop::LoopProgram& program, const Split& primitive);
Reason reorder(loop::LoopProgram& program, const std::string& stage, const std::vector<std::string>& loops);
Reason setKind(loop::LoopProgram& program, const std::string& stage, const std::string& loop, loop::LoopKind kind);
Reason parallel(loop::LoopProgram& program, const Parallel& primitive);
Reason microkernel(loop::LoopProgram& program, const Microkernel& primitive);
Reason computeAt(loop::LoopProgram& program, const ComputeAt& primitive);
Reason inlineStage(loop::LoopProgram& program, const Inline& primitive);
Reason cacheRead(loop::LoopProgram& program, const CacheRead& primitive);

}  // namespace fettle::schedule
