// SPDX-License-Identifier: GPL-3.0-or-later
// Loop programs as JSON: across the pipe to the builder, and in the session file.
#pragma once

#include <string>

#include "core/loop/program.h"

namespace fettle::loop {

std::string toJson(const LoopProgram& program);
Result<LoopProgram> fromJson(const std::string& text);  // validated

}  // namespace fettle::loop
