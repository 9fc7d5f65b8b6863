/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The functions that compilers call on their own, hidden, so that the shared object needs none from outside.
 * Compile with -fno-builtin and -fno-tree-loop-distribute-patterns (gcc), or these loops become calls to themselves. */
#include <stddef.h>
#include <stdint.h>

#include "core/runtime/model_table.h"

FETTLE_HIDDEN void* memcpy(void* to, const void* from, size_t bytes);
FETTLE_HIDDEN void* memmove(void* to, const void* from, size_t bytes);
FETTLE_HIDDEN void* memset(void* to, int value, size_t bytes);
FETTLE_HIDDEN int memcmp(const void* a, const void* b, size_t bytes);

void* memcpy(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
    void* result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
#else
    unsigned char* out = (unsigned char*)to;
    const unsigned char* in = (const unsigned char*)from;
    if ((((uintptr_t)out | (uintptr_t)in) & 7) == 0) {
        for (; bytes >= 8; bytes -= 8, out += 8, in += 8) {
            *(uint64_t __attribute__((may_alias))*)out = *(const uint64_t __attribute__((may_alias))*)in;
        }
    }
    for (; bytes != 0; --bytes) *out++ = *in++;
    return to;
#endif
}

void* memmove(void* to, const void* from, size_t bytes) {
    unsigned char* out = (unsigned char*)to;
    const unsigned char* in = (const unsigned char*)from;
    if (out <= in || out >= in + bytes) return memcpy(to, from, bytes);
    while (bytes-- != 0) out[bytes] = in[bytes];
    return to;
}

void* memset(void* to, int value, size_t bytes) {
#if defined(__x86_64__)
    void* result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return result;
#else
    unsigned char* out = (unsigned char*)to;
    const uint64_t word = (uint64_t)(unsigned char)value * 0x0101010101010101ull;
    if (((uintptr_t)out & 7) == 0) {
        for (; bytes >= 8; bytes -= 8, out += 8) *(uint64_t __attribute__((may_alias))*)out = word;
    }
    for (; bytes != 0; --bytes) *out++ = (unsigned char)value;
    return to;
#endif
}

int memcmp(const void* a, const void* b, size_t bytes) {
    const unsigned char* x = (const unsigned char*)a;
    const unsigned char* y = (const unsigned char*)b;
    for (size_t i = 0; i < bytes; ++i) {
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}
