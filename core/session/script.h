// SPDX-License-Identifier: GPL-3.0-or-later
// Schedule scripts: a person's schedules for operators by name pattern, tried before anything that the search finds.
//
//   match *Conv*                          the lines below are for fused operators whose name matches
//   split conv.oc 16 -> oc0 oc1           primitives as in core/schedule/trace.h
//   match *Add*
//   vectorize *.innermost                 stage *: every stage; loop innermost or outermost: found when it is applied
#pragma once

#include <string>
#include <vector>

#include "core/compile/model.h"
#include "core/loop/program.h"
#include "core/schedule/trace.h"

namespace fettle::session {

struct ScriptBlock {
    std::string pattern;
    std::vector<std::string> lines;
    int firstLine = 0;
};
Result<std::vector<ScriptBlock>> parseScript(const std::string& text, const std::string& where);

// `*` any text, `?` any one character; letters of either case match.
bool matchesGlob(const std::string& pattern, const std::string& text);

// By the task's name or by the ONNX name of any node in any of its fused operators.
bool matchesOperator(const std::string& pattern, const compile::OpenedModel& model, const compile::Task& task);

// The trace of a block for one program; the error names the line.
Result<schedule::Trace> applyScript(const ScriptBlock& block, const loop::LoopProgram& program);

}  // namespace fettle::session
