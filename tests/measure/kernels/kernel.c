/* SPDX-License-Identifier: GPL-3.0-or-later
 * The task y = 2 a + b over COUNT floats, done right or wrong in one way (-DKIND_...). Built one shared object each. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/fettle_abi.h"

enum { COUNT = 1000 };

static void right(void* context, int64_t begin, int64_t end) {
    void* const* buffers = context;
    const float *a = buffers[0], *b = buffers[1];
    float* y = buffers[2];
    for (int64_t i = begin; i < end; ++i) y[i] = 2 * a[i] + b[i];
}

#ifdef KIND_STACK_OVERFLOW
static int deeper(volatile char* below) {
    volatile char frame[4096];
    frame[0] = below[0];
    return deeper(frame) + frame[1];
}
#endif

__attribute__((visibility("default"))) int32_t fettle_task(void* const* buffers, void* pool,
                                                            fettle_parallel_for parallel_for) {
    float* y = buffers[2];
    (void)pool;
    (void)parallel_for;
    right((void*)buffers, 0, COUNT);
#if defined(KIND_PARALLEL)
    if (parallel_for == 0) return 9;
    memset(y, 0, COUNT * sizeof(float));
    parallel_for(pool, COUNT, right, (void*)buffers);
#elif defined(KIND_SLOW)
    const struct timespec pause = {0, 30000000};
    nanosleep(&pause, 0);
#elif defined(KIND_SEGFAULT)
    *(volatile float*)(uintptr_t)64 = 1;
#elif defined(KIND_ENDLESS)
    for (volatile int i = 0;; ++i) {}
#elif defined(KIND_WRONG_VALUE)
    y[777] += 1;
#elif defined(KIND_NAN)
    y[3] = NAN;
#elif defined(KIND_UNWRITTEN)
    y[5] = ((volatile float*)y)[5] * 0 + strtof("nan", 0);
#elif defined(KIND_WRITES_INPUT)
    ((float*)buffers[0])[10] = 1;
#elif defined(KIND_PAST_END)
    ((volatile float*)y)[COUNT + 16] = 1;
#elif defined(KIND_SLACK)
    ((volatile float*)y)[COUNT + 2] = 1;
#elif defined(KIND_BEFORE_START)
    ((volatile float*)y)[-2000] = 1;
#elif defined(KIND_EXIT)
    exit(3);
#elif defined(KIND_ABORT)
    abort();
#elif defined(KIND_TRAP)
    __builtin_trap();
#elif defined(KIND_OUT_OF_MEMORY)
    for (;;) memset(malloc(1 << 26), 1, 1 << 20);
#elif defined(KIND_STACK_OVERFLOW)
    y[0] += (float)deeper((volatile char*)y);
#elif defined(KIND_RETURNS_CODE)
    return 5;
#elif defined(KIND_DRIFT)
    static int calls;
    y[8] += (float)calls++;
#elif defined(KIND_FTZ)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
#endif
    (void)y;
    return 0;
}
