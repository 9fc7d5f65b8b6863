/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The two entry points of an exported model: what it is, and one run of it. Allocates nothing, prints nothing. */
#include "core/runtime/cpu.h"
#include "core/runtime/model_table.h"
#include "core/runtime/platform.h"
#include "core/runtime/pool.h"

/* fettle_call as it was in ABI 1.0; later minor versions only append. */
enum { CALL_BYTES_1_0 = offsetof(fettle_call, on_step_context) + sizeof(void*) };

const fettle_info* fettle_runtime_query(const fettle_model_table* table, uint32_t max_abi_major) {
    return max_abi_major >= FETTLE_ABI_MAJOR ? table->info : 0;
}

static int32_t check_buffers(const fettle_tensor* tensors, const fettle_buffer* buffers, uint32_t count) {
    if (count != 0 && buffers == 0) return FETTLE_E_NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const uintptr_t address = (uintptr_t)buffers[i].data;
        if (buffers[i].bytes != tensors[i].bytes) return FETTLE_E_SIZE;
        if (address == 0 && tensors[i].bytes != 0) return FETTLE_E_NULL;
        if (tensors[i].alignment > 1 && (address & (tensors[i].alignment - 1)) != 0) return FETTLE_E_ALIGN;
    }
    return FETTLE_OK;
}

static int32_t check_call(const fettle_info* info, const fettle_call* call) {
    if (call == 0) return FETTLE_E_NULL;
    if (call->struct_size < CALL_BYTES_1_0) return FETTLE_E_ABI;
    int32_t code = check_buffers(info->inputs, call->inputs, info->input_count);
    if (code == FETTLE_OK) code = check_buffers(info->outputs, call->outputs, info->output_count);
    if (code != FETTLE_OK) return code;
    if (info->workspace_bytes != 0) {
        if (call->workspace == 0) return FETTLE_E_NULL;
        if (call->workspace_bytes < info->workspace_bytes) return FETTLE_E_WORKSPACE;
        if (info->workspace_alignment > 1 && ((uintptr_t)call->workspace & (info->workspace_alignment - 1)) != 0) {
            return FETTLE_E_ALIGN;
        }
    }
    return FETTLE_OK;
}

static int32_t cached_cpu_check(const fettle_info* info) {
    static int32_t known = -1;
    int32_t code = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (code < 0) {
        code = fettle_cpu_check(info);
        __atomic_store_n(&known, code, __ATOMIC_RELAXED);
    }
    return code;
}

static void* resolve(const fettle_model_table* table, const fettle_call* call, const fettle_buffer_ref* ref) {
    switch (ref->space) {
        case FETTLE_SPACE_INPUT:
            return (char*)call->inputs[ref->index].data + ref->offset;
        case FETTLE_SPACE_OUTPUT:
            return (char*)call->outputs[ref->index].data + ref->offset;
        case FETTLE_SPACE_CONSTANT:
            return (void*)(uintptr_t)(table->constants + ref->offset);
        default:
            return (char*)call->workspace + ref->offset;
    }
}

static int32_t run_steps(const fettle_model_table* table, const fettle_call* call, void* pool,
                         fettle_parallel_for parallel_for) {
    void* buffers[table->max_buffer_count + 1];
    for (uint32_t i = 0; i < table->info->step_count; ++i) {
        const fettle_step* step = &table->steps[i];
        if (call->on_step != 0) call->on_step(call->on_step_context, i);
        for (uint32_t k = 0; k < step->buffer_count; ++k) buffers[k] = resolve(table, call, &step->refs[k]);
        const int32_t code = step->fn(buffers, pool, parallel_for);
        if (code != FETTLE_OK) return code;
    }
    if (call->on_step != 0) call->on_step(call->on_step_context, table->info->step_count);
    return FETTLE_OK;
}

int32_t fettle_runtime_run(const fettle_model_table* table, const fettle_call* call) {
    int32_t code = check_call(table->info, call);
    if (code == FETTLE_OK) code = cached_cpu_check(table->info);
    if (code != FETTLE_OK) return code;

    const uint64_t fp = fettle_fp_enter();
    if (call->parallel_for != 0) {
        code = run_steps(table, call, call->pool, call->parallel_for);
    } else {
        uint32_t threads = fettle_pool_prepare(call->threads);
        code = threads > 1 ? run_steps(table, call, &threads, fettle_pool_parallel_for) : run_steps(table, call, 0, 0);
    }
    fettle_fp_leave(fp);
    return code;
}
