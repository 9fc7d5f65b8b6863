// SPDX-License-Identifier: GPL-3.0-or-later
// Sources: AMD optimisation guides 57647 (Zen 4) and 58455 (Zen 5), Intel 64 and IA-32 optimisation manual, Arm
// software optimisation guides; clock and outer caches are typical for servers.
#include "core/cost/cpu_figures.h"

#include <string_view>

namespace fettle::cost {
namespace {

constexpr CpuFigures kFigures[] = {
    // prefix          fma  load store bcast issue lat  GHz   L2  L3  memory
    {"znver5", 1024, 1024, 512, 2, 8, 4, 3.8, 32, 24, 8},
    {"znver4", 512, 512, 256, 2, 6, 4, 3.6, 28, 22, 8},
    {"znver3", 512, 512, 256, 3, 6, 4, 3.6, 28, 12, 6},
    {"znver", 512, 512, 256, 2, 5, 5, 3.3, 28, 10, 5},
    {"sapphirerapids", 1024, 1024, 512, 2, 6, 4, 3.0, 40, 8, 4},
    {"icelake-server", 1024, 1024, 512, 2, 5, 4, 3.0, 40, 8, 4},
    {"cascadelake", 1024, 1024, 512, 2, 4, 4, 2.8, 40, 8, 4},
    {"skylake-avx512", 1024, 1024, 512, 2, 4, 4, 2.8, 40, 8, 4},
    {"haswell", 512, 512, 256, 2, 4, 5, 3.0, 28, 10, 5},
    {"x86-64-v4", 1024, 1024, 512, 2, 6, 4, 3.0, 32, 10, 5},
    {"x86-64-v3", 512, 512, 256, 2, 5, 4, 3.2, 28, 10, 5},
    {"x86-64", 256, 256, 128, 2, 4, 4, 3.0, 20, 8, 4},
    {"cortex-a72", 128, 128, 128, 1, 3, 7, 1.8, 8, 4, 2},
    {"neoverse-v", 512, 384, 256, 3, 8, 4, 2.8, 32, 10, 5},
    {"neoverse-n", 256, 256, 128, 2, 5, 4, 2.8, 20, 8, 4},
    {"sifive-x280", 512, 512, 512, 1, 2, 4, 1.5, 16, 6, 3},
    {"", 256, 256, 128, 2, 4, 4, 2.5, 20, 8, 4},
};

}  // namespace

const CpuFigures& figuresOf(const target::Target& target) {
    const std::string_view cpu = target.cpu;
    for (const CpuFigures& row : kFigures)
        if (cpu.substr(0, std::string_view(row.cpuPrefix).size()) == row.cpuPrefix) return row;
    return kFigures[std::size(kFigures) - 1];
}

}  // namespace fettle::cost
