// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/affinity.h"

#include <sched.h>

namespace fettle::support {
namespace {

int lastOf(const cpu_set_t& mask) {
    for (int cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &mask)) return cpu;
    return -1;
}

}  // namespace

int measuringCpu() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    return ::sched_getaffinity(0, sizeof mask, &mask) == 0 ? lastOf(mask) : -1;
}

void leaveMeasuringCpu() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (::sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2) return;
    CPU_CLR(lastOf(mask), &mask);
    ::sched_setaffinity(0, sizeof mask, &mask);
}

}  // namespace fettle::support
