// SPDX-License-Identifier: GPL-3.0-or-later
// What the runner does to itself: limits, CPU affinity, floating-point mode, the pool that kernels run with.
#pragma once

#include <cstdint>

#include "core/runtime/fettle_abi.h"

namespace fettle::measure::runner {

// No core files, no large files, and the death signal again (for a runner started by ssh there is none).
void limitProcess();

// Address space may grow by `bytes` from what is mapped now; a kernel that asks for more gets no memory.
void limitGrowth(uint64_t bytes);
void liftGrowthLimit();  // before our own allocations

// One thread: on `cpu` (-1: the last CPU of the mask the process was started with). More: on the whole mask.
void pinFor(int threads, int cpu);

struct KernelPool {
    uint32_t threads = 1;
    void* pool() { return threads > 1 ? &threads : nullptr; }
    fettle_parallel_for parallelFor() const;
};
KernelPool poolFor(int threads);

uint32_t floatingPointMode();  // the control bits of MXCSR; 0 on other machines
void setFloatingPointMode(uint32_t mode);

}  // namespace fettle::measure::runner
