/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The built-in thread pool: one per shared object, made on first use, joined when the object is unloaded.
 * Workers spin for a moment before they sleep, because the next operator follows within microseconds.
 * Re-entrant: a call that finds the pool busy (another run, or a parallel loop inside one) does all of its ranges on
 * its own thread. A forked child starts with an empty pool of its own. */
#ifndef FETTLE_POOL_H
#define FETTLE_POOL_H

#include "core/runtime/model_table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FETTLE_MAX_THREADS = 64 }; /* more are asked for: 64 are used */

/* Makes sure that threads - 1 workers exist; returns how many threads (with the caller) a loop may use. */
FETTLE_HIDDEN uint32_t fettle_pool_prepare(uint32_t threads);

/* A fettle_parallel_for; `pool` points to a uint32_t, what fettle_pool_prepare returned. */
FETTLE_HIDDEN void fettle_pool_parallel_for(void* pool, int64_t count, fettle_body body, void* context);

#ifdef __cplusplus
}
#endif
#endif
