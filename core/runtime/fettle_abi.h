/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The C ABI of exported models and of the task objects that Fettle measures. C99. Only ever appended to. */
#ifndef FETTLE_ABI_H
#define FETTLE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FETTLE_MAGIC 0x4c544654u /* "FTTL" read as bytes T F T L */
#define FETTLE_ABI_MAJOR 1u
#define FETTLE_ABI_MINOR 0u

enum {
    FETTLE_OK = 0,
    FETTLE_E_ABI = 1,      /* caller and library disagree on the ABI, or struct_size is too small */
    FETTLE_E_CPU = 2,      /* the CPU lacks a feature the code needs */
    FETTLE_E_VLEN = 3,     /* RISC-V: vector registers too short (or not the exact length) */
    FETTLE_E_SIZE = 4,     /* a buffer's byte length is not that of its tensor */
    FETTLE_E_ALIGN = 5,    /* a buffer is not aligned as its descriptor says */
    FETTLE_E_NULL = 6,     /* a required pointer is null */
    FETTLE_E_WORKSPACE = 7 /* the workspace is too small */
};

/* Runs body(context, begin, end) over disjoint ranges that cover [0, count), and returns when all are done. */
typedef void (*fettle_body)(void* context, int64_t begin, int64_t end);
typedef void (*fettle_parallel_for)(void* pool, int64_t count, fettle_body body, void* context);

/* A task object exports: int32_t fettle_task(void* const* buffers, void* pool, fettle_parallel_for parallel_for);
 * buffers: one per tensor of its loop program, in order, 64-byte aligned. parallel_for null: run on this thread. */
typedef int32_t (*fettle_task_fn)(void* const* buffers, void* pool, fettle_parallel_for parallel_for);

typedef struct fettle_tensor {
    const char* name;
    int32_t dtype; /* ONNX TensorProto.DataType */
    int32_t rank;
    const int64_t* dims;
    uint64_t bytes;
    uint64_t alignment; /* required of the caller's buffer */
} fettle_tensor;

typedef struct fettle_info {
    uint32_t magic, abi_major, abi_minor, struct_size;
    const char* model_name;
    const char* model_sha256;
    const char* triple;
    const char* cpu;
    const char* features;
    uint32_t min_vlenb, exact_vlenb; /* 0: no requirement */
    uint32_t input_count, output_count;
    const fettle_tensor* inputs;
    const fettle_tensor* outputs;
    uint64_t workspace_bytes, workspace_alignment;
    double tolerance;
    uint32_t flags, threads; /* threads: what the schedules were tuned for */
    uint32_t step_count;
    const char* const* step_names; /* fused operators, in execution order */
} fettle_info;

typedef struct fettle_buffer {
    void* data;
    uint64_t bytes;
} fettle_buffer;

typedef struct fettle_call {
    uint32_t struct_size;
    uint32_t threads;            /* 0 or 1: this thread only; n: the built-in pool with n threads */
    const fettle_buffer* inputs; /* input_count of them; contents are never written */
    const fettle_buffer* outputs;
    void* workspace;
    uint64_t workspace_bytes;
    fettle_parallel_for parallel_for; /* optional: the caller's own pool */
    void* pool;
    void (*on_step)(void* context, uint32_t step); /* optional: called before each step, and once after the last */
    void* on_step_context;
} fettle_call;

/* Exported by model.so, where <model> is the model's name as a C identifier:
 *   const fettle_info* fettle_<model>_query(uint32_t max_abi_major);   null when the library's major is greater
 *   int32_t fettle_<model>_run(const fettle_call* call); */
typedef const fettle_info* (*fettle_query_fn)(uint32_t max_abi_major);
typedef int32_t (*fettle_run_fn)(const fettle_call* call);

#ifdef __cplusplus
}
#endif
#endif
