// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: what the machine code of the hottest loop looks like.
#pragma once

#include <string>
#include <string_view>

#include <llvm/Target/TargetMachine.h>

#include "core/codegen/codegen.h"

namespace fettle::codegen {

// The innermost loop with the most multiply-adds (or the most vector arithmetic, where there are none), from its
// first instruction to its backward branch.
struct HotBlock {
    std::string text;  // its instructions, one per line
    int instructions = 0, fmas = 0, vectorSpills = 0;
};

HotBlock findHotBlock(std::string_view object, const llvm::TargetMachine& machine);

}  // namespace fettle::codegen
