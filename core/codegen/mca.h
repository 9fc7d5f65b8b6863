// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: LLVM's machine code analyser.
#pragma once

#include <string>

#include "core/support/error.h"
#include "core/target/target.h"

namespace fettle::codegen {

// Runs llvm-mca-22 (package llvm-22) over the instructions of a loop: its report as text.
Result<std::string> analyseBlock(const std::string& instructions, const target::Target& target);

}  // namespace fettle::codegen
