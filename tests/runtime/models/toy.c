/* SPDX-License-Identifier: GPL-3.0-or-later
 * A whole model as codegen would emit it, by hand: t = 2 a + b, y = max(t, 0) + c[0]; 1000 floats each. */
#include <stdint.h>

#include "core/runtime/model_table.h"

enum { COUNT = 1000, BYTES = COUNT * 4, ARENA = 4032 };

static void affine(void* context, int64_t begin, int64_t end) {
    void* const* buffers = context;
    const float *a = buffers[0], *b = buffers[1];
    float* t = buffers[2];
    for (int64_t i = begin; i < end; ++i) t[i] = 2 * a[i] + b[i];
}

static void rectify(void* context, int64_t begin, int64_t end) {
    void* const* buffers = context;
    const float *t = buffers[0], *c = buffers[1];
    float* y = buffers[2];
    for (int64_t i = begin; i < end; ++i) y[i] = (t[i] > 0 ? t[i] : 0) + c[0];
}

static int32_t run(fettle_body body, void* const* buffers, void* pool, fettle_parallel_for parallel_for) {
    if (parallel_for != 0) {
        parallel_for(pool, COUNT, body, (void*)buffers);
    } else {
        body((void*)buffers, 0, COUNT);
    }
    return FETTLE_OK;
}
static int32_t affine_task(void* const* buffers, void* pool, fettle_parallel_for parallel_for) {
    return run(affine, buffers, pool, parallel_for);
}
static int32_t rectify_task(void* const* buffers, void* pool, fettle_parallel_for parallel_for) {
    /* what a kernel may leave behind: flush-to-zero, and an inexact result */
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
#endif
    return run(rectify, buffers, pool, parallel_for);
}

static const _Alignas(64) float constants[16] = {0.5f};
static const int64_t dims[2] = {4, 250};
static const fettle_tensor inputs[2] = {{"a", 1, 2, dims, BYTES, 64}, {"b", 1, 2, dims, BYTES, 4}};
static const fettle_tensor outputs[1] = {{"y", 1, 2, dims, BYTES, 64}};
static const char* const steps_names[2] = {"Affine_0", "Relu_1 + Add_2"};
static const fettle_info info = {
    .magic = FETTLE_MAGIC, .abi_major = FETTLE_ABI_MAJOR, .abi_minor = FETTLE_ABI_MINOR, .struct_size = sizeof(fettle_info),
    .model_name = "toy", .model_sha256 = "00", .triple = "x86_64-unknown-linux-gnu", .cpu = TOY_CPU, .features = TOY_FEATURES,
    .input_count = 2, .output_count = 1, .inputs = inputs, .outputs = outputs,
    .workspace_bytes = ARENA, .workspace_alignment = 64, .tolerance = 1e-4, .threads = 1,
    .step_count = 2, .step_names = steps_names};
static const fettle_buffer_ref affine_refs[3] = {
    {FETTLE_SPACE_INPUT, 0, 0}, {FETTLE_SPACE_INPUT, 1, 0}, {FETTLE_SPACE_ARENA, 0, 0}};
static const fettle_buffer_ref rectify_refs[3] = {
    {FETTLE_SPACE_ARENA, 0, 0}, {FETTLE_SPACE_CONSTANT, 0, 0}, {FETTLE_SPACE_OUTPUT, 0, 0}};
static const fettle_step steps[2] = {{affine_task, 3, 0, affine_refs}, {rectify_task, 3, 0, rectify_refs}};
static const fettle_model_table table = {&info, steps, (const unsigned char*)constants, 3, 0};

#define EXPORTED __attribute__((visibility("default")))
EXPORTED const fettle_info* fettle_toy_query(uint32_t max_abi_major);
EXPORTED int32_t fettle_toy_run(const fettle_call* call);

const fettle_info* fettle_toy_query(uint32_t max_abi_major) { return fettle_runtime_query(&table, max_abi_major); }
int32_t fettle_toy_run(const fettle_call* call) { return fettle_runtime_run(&table, call); }
