// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: the compiled runtime (core/runtime/*.c) of the machine this program was built for.
#pragma once

#include <string_view>

namespace fettle::codegen {

std::string_view runtimeObject();        // a relocatable ELF object
std::string_view runtimeObjectTriple();  // the architecture it is for: "x86_64"

}  // namespace fettle::codegen
