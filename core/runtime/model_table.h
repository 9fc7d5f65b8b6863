/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What codegen emits for a whole model and the runtime runs: plain constant tables, hidden symbols. C99.
 *
 * A model's shared object holds: the task functions (hidden), one fettle_model_table, the runtime (runtime.c, pool.c),
 * and two exported functions of a line each:
 *   const fettle_info* fettle_<name>_query(uint32_t max_abi_major) {
 *       return fettle_runtime_query(&table, max_abi_major);
 *   }
 *   int32_t fettle_<name>_run(const fettle_call* call) { return fettle_runtime_run(&table, call); }
 * The runtime needs pthread_create and pthread_join, and nothing else from outside; link with -z now. */
#ifndef FETTLE_MODEL_TABLE_H
#define FETTLE_MODEL_TABLE_H

#include "core/runtime/fettle_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FETTLE_SPACE_INPUT = 0, FETTLE_SPACE_OUTPUT = 1, FETTLE_SPACE_CONSTANT = 2, FETTLE_SPACE_ARENA = 3 };

/* 16 bytes. The same numbers as codegen::BufferRef. */
typedef struct fettle_buffer_ref {
    uint32_t space;
    uint32_t index;  /* INPUT, OUTPUT: which of the caller's; else 0 */
    uint64_t offset; /* CONSTANT, ARENA: bytes from its start */
} fettle_buffer_ref;

/* 24 bytes on 64-bit machines. */
typedef struct fettle_step {
    fettle_task_fn fn;
    uint32_t buffer_count;
    uint32_t reserved; /* 0 */
    const fettle_buffer_ref* refs;
} fettle_step;

typedef struct fettle_model_table {
    const fettle_info* info;
    const fettle_step* steps;       /* info->step_count of them, in execution order */
    const unsigned char* constants; /* 64-byte aligned */
    uint32_t max_buffer_count;      /* the largest buffer_count of any step */
    uint32_t reserved;              /* 0 */
} fettle_model_table;

#if defined(__GNUC__)
#define FETTLE_HIDDEN __attribute__((visibility("hidden")))
#else
#define FETTLE_HIDDEN
#endif

FETTLE_HIDDEN const fettle_info* fettle_runtime_query(const fettle_model_table* table, uint32_t max_abi_major);
FETTLE_HIDDEN int32_t fettle_runtime_run(const fettle_model_table* table, const fettle_call* call);

#ifdef __cplusplus
}
#endif
#endif
