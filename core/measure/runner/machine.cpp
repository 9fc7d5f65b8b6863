// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/machine.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/runtime/pool.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fettle::measure::runner {

namespace {

const cpu_set_t& startMask() {
    static const cpu_set_t mask = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        return set;
    }();
    return mask;
}

uint64_t mappedBytes() {
    unsigned long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return uint64_t{pages} * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void setSoft(int resource, rlim_t soft) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

}  // namespace

void limitProcess() {
    startMask();
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    constexpr rlim_t kLargestObject = rlim_t{4} << 30;
    setSoft(RLIMIT_FSIZE, kLargestObject);
    ::prctl(PR_SET_DUMPABLE, 0);
}

void limitGrowth(uint64_t bytes) {
    setSoft(RLIMIT_AS, static_cast<rlim_t>(mappedBytes() + bytes));
}

void liftGrowthLimit() {
    setSoft(RLIMIT_AS, RLIM_INFINITY);
}

void pinFor(int threads, int cpu) {
    cpu_set_t mask = startMask();
    if (threads <= 1) {
        if (cpu < 0)
            for (int i = 0; i < CPU_SETSIZE; ++i)
                if (CPU_ISSET(i, &startMask())) cpu = i;
        CPU_ZERO(&mask);
        if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &mask);
    }
    ::sched_setaffinity(0, sizeof mask, &mask);
}

fettle_parallel_for KernelPool::parallelFor() const {
    return threads > 1 ? fettle_pool_parallel_for : nullptr;
}

KernelPool poolFor(int threads) {
    return {fettle_pool_prepare(static_cast<uint32_t>(std::max(threads, 1)))};
}

#if defined(__x86_64__)
constexpr uint32_t kControlBits = 0xffc0;
uint32_t floatingPointMode() {
    return _mm_getcsr() & kControlBits;
}
void setFloatingPointMode(uint32_t mode) {
    _mm_setcsr((_mm_getcsr() & ~kControlBits) | mode);
}
#else
uint32_t floatingPointMode() {
    return 0;
}
void setFloatingPointMode(uint32_t) {}
#endif

}  // namespace fettle::measure::runner
