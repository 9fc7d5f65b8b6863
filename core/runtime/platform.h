/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The few things that differ between machines: system calls, floating-point state, a pause. C99 with GNU asm, Linux.
 * System calls are made directly, so that the exported library leans on no version of the C library. */
#ifndef FETTLE_PLATFORM_H
#define FETTLE_PLATFORM_H

#include <stdint.h>

#if defined(__x86_64__)
enum { FETTLE_SYS_FUTEX = 202, FETTLE_SYS_GETPID = 39, FETTLE_SYS_SIGPROCMASK = 14 };

static inline long fettle_syscall4(long number, long a, long b, long c, long d) {
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}
static inline void fettle_pause(void) {
    __asm__ volatile("pause");
}

/* Round to nearest, denormals kept, every exception masked: what the schedules were verified with. */
static inline uint64_t fettle_fp_enter(void) {
    uint32_t saved;
    const uint32_t standard = 0x1f80;
    __asm__ volatile("stmxcsr %0" : "=m"(saved));
    __asm__ volatile("ldmxcsr %0" : : "m"(standard));
    return saved;
}
static inline void fettle_fp_leave(uint64_t state) {
    const uint32_t saved = (uint32_t)state;
    __asm__ volatile("ldmxcsr %0" : : "m"(saved));
}

#elif defined(__aarch64__)
enum { FETTLE_SYS_FUTEX = 98, FETTLE_SYS_GETPID = 172, FETTLE_SYS_SIGPROCMASK = 135 };

static inline long fettle_syscall4(long number, long a, long b, long c, long d) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
static inline void fettle_pause(void) {
    __asm__ volatile("yield");
}

static inline uint64_t fettle_fp_enter(void) {
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return control << 32 | (status & 0xffffffffu);
}
static inline void fettle_fp_leave(uint64_t state) {
    __asm__ volatile("msr fpcr, %0" : : "r"(state >> 32));
    __asm__ volatile("msr fpsr, %0" : : "r"(state & 0xffffffffu));
}

#elif defined(__riscv)
enum { FETTLE_SYS_FUTEX = 98, FETTLE_SYS_GETPID = 172, FETTLE_SYS_SIGPROCMASK = 135 };

static inline long fettle_syscall4(long number, long a, long b, long c, long d) {
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
    return a0;
}
static inline void fettle_pause(void) {
    __asm__ volatile("nop");
}

static inline uint64_t fettle_fp_enter(void) {
    uint64_t saved;
    __asm__ volatile("csrrw %0, fcsr, zero" : "=r"(saved));
    return saved;
}
static inline void fettle_fp_leave(uint64_t state) {
    __asm__ volatile("csrw fcsr, %0" : : "r"(state));
}
#else
#error "no system calls are known for this machine"
#endif

enum { FETTLE_FUTEX_WAIT_PRIVATE = 128, FETTLE_FUTEX_WAKE_PRIVATE = 129 };

/* Sleeps while *word == expected; may return early. */
static inline void fettle_futex_wait(const uint32_t* word, uint32_t expected) {
    (void)fettle_syscall4(FETTLE_SYS_FUTEX, (long)(uintptr_t)word, FETTLE_FUTEX_WAIT_PRIVATE, (long)expected, 0);
}
static inline void fettle_futex_wake_all(const uint32_t* word) {
    (void)fettle_syscall4(FETTLE_SYS_FUTEX, (long)(uintptr_t)word, FETTLE_FUTEX_WAKE_PRIVATE, 0x7fffffff, 0);
}

#endif
