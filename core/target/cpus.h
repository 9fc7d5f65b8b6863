// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU names of LLVM 22 that a user may write, and the vector unit of each; known here without LLVM, so that the
// window and the command line can check a name before anything is compiled.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/target/target.h"

namespace fettle::target {

struct Cpu {
    std::string_view arch;  // as in a triple: "x86_64", "riscv64", "aarch64"
    std::string_view name;
    int vectorBits;  // of fixed-width code; on RISC-V also the VLEN that the name implies; 0: none
};

std::span<const Cpu> knownCpus();
const Cpu* findCpu(std::string_view arch, std::string_view name);

// Fills vectorBits, minVlenBits and vectorRegisters from triple, CPU and features.
void deriveVectorUnit(Target& target);

// Up to four of `names`, nearest to `text` by edit distance (case ignored; a shared prefix or substring counts as
// near); none when nothing is near.
std::vector<std::string> nearNames(std::string_view text, const std::vector<std::string>& names);

}  // namespace fettle::target
