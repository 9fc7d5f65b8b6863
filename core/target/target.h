// SPDX-License-Identifier: GPL-3.0-or-later
// What code is generated for. Presets are rows of a table in targets.cpp; the host is detected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace fettle::target {

struct Target {
    std::string name;      // "host", "x86-64-v4", "rv64gcv" ...
    std::string triple;    // "x86_64-unknown-linux-gnu"
    std::string cpu;       // LLVM CPU name: "znver4"
    std::string features;  // LLVM feature string: "+avx512f,..." ; may be empty
    int vectorBits = 128;  // width of one vector register that we generate for; 0: scalar
    int minVlenBits = 0;   // RISC-V V: minimum VLEN the code needs; 0 elsewhere
    int vectorRegisters = 16;
    int64_t l1Bytes = 32768, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
    int cores = 1;

    int lanes(int bytesPerElement = 4) const { return vectorBits / 8 / bytesPerElement; }  // 16 for AVX-512 float
    bool isHost() const { return name == "host"; }
    bool operator==(const Target&) const = default;
};

std::string describe(const Target& target);  // "host - znver4, AVX-512, 2 cores"
Target detectHost();                         // never fails: falls back to x86-64 baseline; honours the affinity mask
const std::vector<Target>& presets();        // without "host"
// "host", a preset's name, or "TRIPLE,cpu=...,features=..."; an unknown name lists near ones.
Result<Target> findTarget(std::string_view text);

}  // namespace fettle::target
