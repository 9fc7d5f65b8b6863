// SPDX-License-Identifier: GPL-3.0-or-later
// Port and cache figures of CPUs for the closed-form bound; one row per family, a generic row for the rest.
#pragma once

#include "core/target/target.h"

namespace fettle::cost {

struct CpuFigures {
    const char* cpuPrefix;  // of Target::cpu
    int fmaBits;            // multiply-add bits per cycle, all pipes together
    int loadBits;           // loaded bits per cycle
    int storeBits;
    double broadcasts;  // 32-bit loads per cycle
    double issue;       // instructions per cycle
    double latency;     // cycles of a multiply-add
    double gigahertz;
    double l2Bytes, l3Bytes, memoryBytes;  // per cycle, from that level
};

const CpuFigures& figuresOf(const target::Target& target);

}  // namespace fettle::cost
