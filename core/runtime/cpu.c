/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/runtime/cpu.h"

#if defined(__x86_64__)
/* Bits of CPUID (Intel SDM vol. 2A, AMD APM vol. 3): leaf, subleaf, register (0 eax .. 3 edx), bit. `state` are the
 * bits of XCR0 that the operating system must have set. */
typedef struct feature_row {
    const char* name;
    uint32_t leaf, subleaf;
    uint8_t reg, bit;
    uint8_t state;
} feature_row;

enum { SSE_STATE = 0x02, YMM_STATE = 0x06, ZMM_STATE = 0xe6 };

static const feature_row features[] = {
    {"sse3", 1, 0, 2, 0, 0},
    {"ssse3", 1, 0, 2, 9, 0},
    {"sse4.1", 1, 0, 2, 19, 0},
    {"sse4.2", 1, 0, 2, 20, 0},
    {"popcnt", 1, 0, 2, 23, 0},
    {"movbe", 1, 0, 2, 22, 0},
    {"fma", 1, 0, 2, 12, YMM_STATE},
    {"avx", 1, 0, 2, 28, YMM_STATE},
    {"f16c", 1, 0, 2, 29, YMM_STATE},
    {"bmi", 7, 0, 1, 3, 0},
    {"avx2", 7, 0, 1, 5, YMM_STATE},
    {"bmi2", 7, 0, 1, 8, 0},
    {"avx512f", 7, 0, 1, 16, ZMM_STATE},
    {"avx512dq", 7, 0, 1, 17, ZMM_STATE},
    {"avx512ifma", 7, 0, 1, 21, ZMM_STATE},
    {"avx512cd", 7, 0, 1, 28, ZMM_STATE},
    {"avx512bw", 7, 0, 1, 30, ZMM_STATE},
    {"avx512vl", 7, 0, 1, 31, ZMM_STATE},
    {"avx512vbmi", 7, 0, 2, 1, ZMM_STATE},
    {"avx512vbmi2", 7, 0, 2, 6, ZMM_STATE},
    {"avx512vnni", 7, 0, 2, 11, ZMM_STATE},
    {"avx512bitalg", 7, 0, 2, 12, ZMM_STATE},
    {"avx512vpopcntdq", 7, 0, 2, 14, ZMM_STATE},
    {"gfni", 7, 0, 2, 8, 0},
    {"vaes", 7, 0, 2, 9, YMM_STATE},
    {"vpclmulqdq", 7, 0, 2, 10, YMM_STATE},
    {"avx512vp2intersect", 7, 0, 3, 8, ZMM_STATE},
    {"avxvnni", 7, 1, 0, 4, YMM_STATE},
    {"avx512bf16", 7, 1, 0, 5, ZMM_STATE},
    {"lzcnt", 0x80000001u, 0, 2, 5, 0},
};

/* What a CPU name stands for when the feature list does not say it. */
static const struct {
    const char* cpu;
    const char* features;
} cpus[] = {
    {"x86-64-v2", "+sse4.2,+popcnt,+ssse3"},
    {"x86-64-v3", "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe"},
    {"haswell", "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe"},
    {"znver3", "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+movbe"},
    {"x86-64-v4", "+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512dq,+avx512cd,+avx512bw,+avx512vl"},
    {"skylake-avx512", "+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512dq,+avx512cd,+avx512bw,+avx512vl"},
    {"znver4", "+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512dq,+avx512cd,+avx512bw,+avx512vl,+avx512vnni,+avx512bf16"},
    {"znver5",
     "+avx2,+fma,+bmi2,+avx512f,+avx512dq,+avx512bw,+avx512vl,+avx512vnni,+avx512bf16,+avxvnni,"
     "+avx512vp2intersect"},
};

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]) {
    __asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(subleaf));
}

static uint32_t os_state(void) {
    uint32_t regs[4], low, high;
    cpuid(1, 0, regs);
    if ((regs[2] >> 27 & 1) == 0) return 0; /* no OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int has(const feature_row* row, uint32_t state) {
    uint32_t regs[4];
    cpuid(row->leaf & 0x80000000u, 0, regs);
    if (regs[0] < row->leaf) return 0;
    if (row->subleaf != 0) {
        cpuid(row->leaf, 0, regs);
        if (regs[0] < row->subleaf) return 0;
    }
    cpuid(row->leaf, row->subleaf, regs);
    return (regs[row->reg] >> row->bit & 1) != 0 && (state & row->state) == row->state;
}

/* Whether text[0..length) is the zero-ended name. */
static int same(const char* text, uint64_t length, const char* name) {
    uint64_t i = 0;
    while (i < length && name[i] == text[i]) ++i;
    return i == length && name[i] == 0;
}

static uint64_t item_length(const char* list) {
    uint64_t length = 0;
    while (list[length] != 0 && list[length] != ',') ++length;
    return length;
}

/* Whether the list holds "-name". */
static int excludes(const char* list, const char* name) {
    while (list != 0 && *list != 0) {
        const uint64_t length = item_length(list);
        if (list[0] == '-' && same(list + 1, length - 1, name)) return 1;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* Every "+name" of the list that is not excluded by the other one must be there. */
static int check_list(const char* list, const char* excluding, uint32_t state) {
    while (list != 0 && *list != 0) {
        const uint64_t length = item_length(list);
        for (uint64_t i = 0; list[0] == '+' && i < sizeof features / sizeof *features; ++i) {
            if (!same(list + 1, length - 1, features[i].name) || excludes(excluding, features[i].name)) continue;
            if (!has(&features[i], state)) return 0;
        }
        list += length + (list[length] == ',');
    }
    return 1;
}

int32_t fettle_cpu_check(const fettle_info* info) {
    const uint32_t state = os_state();
    if (!check_list(info->features, 0, state)) return FETTLE_E_CPU;
    for (uint64_t i = 0; info->cpu != 0 && i < sizeof cpus / sizeof *cpus; ++i) {
        uint64_t length = 0;
        while (cpus[i].cpu[length] != 0) ++length;
        if (same(cpus[i].cpu, length, info->cpu) && !check_list(cpus[i].features, info->features, state)) {
            return FETTLE_E_CPU;
        }
    }
    return FETTLE_OK;
}

#elif defined(__riscv) && defined(__riscv_vector)
int32_t fettle_cpu_check(const fettle_info* info) {
    uint64_t vlenb;
    __asm__ volatile("csrr %0, vlenb" : "=r"(vlenb));
    if (info->min_vlenb != 0 && vlenb < info->min_vlenb) return FETTLE_E_VLEN;
    if (info->exact_vlenb != 0 && vlenb != info->exact_vlenb) return FETTLE_E_VLEN;
    return FETTLE_OK;
}
#else
int32_t fettle_cpu_check(const fettle_info* info) {
    (void)info;
    return FETTLE_OK;
}
#endif
