/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/runtime/pool.h"

#include "core/runtime/platform.h"

/* From the C library; declared here so that no header of it is needed. pthread_t is a word on every Linux ABI. */
typedef unsigned long fettle_pthread;
extern int pthread_create(fettle_pthread* thread, const void* attributes, void* (*start)(void*), void* argument);
extern int pthread_join(fettle_pthread thread, void** result);

enum { SPINS = 4000, CHUNKS_PER_THREAD = 4, STOP = 0xff };

/* `call` is the one word that workers watch: generation << 8 | threads of that loop (STOP: leave). Only those threads
 * read the fields of the loop, and the caller waits for all of them before it writes the next one. */
static struct {
    uint32_t call;
    uint32_t pending;  /* workers that have not finished the loop yet */
    uint32_t sleepers; /* workers that wait in the kernel */
    uint32_t caller_sleeps;
    uint32_t busy;    /* 1: a loop runs, or workers are being started */
    uint32_t started; /* workers that exist */
    uint32_t owner;   /* process id that started them */
    int64_t next, count, chunk;
    fettle_body body;
    void* context;
    fettle_pthread threads[FETTLE_MAX_THREADS];
} pool;

static void do_chunks(void) {
    const int64_t count = pool.count, chunk = pool.chunk;
    for (;;) {
        const int64_t begin = __atomic_fetch_add(&pool.next, chunk, __ATOMIC_RELAXED);
        if (begin >= count) return;
        pool.body(pool.context, begin, begin + chunk < count ? begin + chunk : count);
    }
}

static uint32_t wait_for_change(uint32_t seen) {
    for (;;) {
        for (int i = 0; i < SPINS; ++i) {
            const uint32_t now = __atomic_load_n(&pool.call, __ATOMIC_ACQUIRE);
            if (now != seen) return now;
            fettle_pause();
        }
        __atomic_fetch_add(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool.call, __ATOMIC_SEQ_CST) == seen) fettle_futex_wait(&pool.call, seen);
        __atomic_fetch_sub(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
    }
}

static void* worker(void* argument) {
    const uint32_t self = (uint32_t)(uintptr_t)argument & 0xff; /* 1, 2, ... ; the caller is 0 */
    uint32_t seen = (uint32_t)((uintptr_t)argument >> 8);       /* pool.call when this worker was made */
    (void)fettle_fp_enter();
    for (;;) {
        seen = wait_for_change(seen);
        if ((seen & 0xff) == STOP) return 0;
        if (self >= (seen & 0xff)) continue;
        do_chunks();
        if (__atomic_sub_fetch(&pool.pending, 1, __ATOMIC_SEQ_CST) == 0 &&
            __atomic_load_n(&pool.caller_sleeps, __ATOMIC_SEQ_CST) != 0) {
            fettle_futex_wake_all(&pool.pending);
        }
    }
}

static int try_lock(void) {
    uint32_t expected = 0;
    return __atomic_compare_exchange_n(&pool.busy, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
static void unlock(void) {
    __atomic_store_n(&pool.busy, 0, __ATOMIC_RELEASE);
}

static void forget_after_fork(uint32_t process) {
    uint32_t owner = __atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE);
    if (owner == process) return;
    if (!__atomic_compare_exchange_n(&pool.owner, &owner, process, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
    if (owner == 0) return;
    pool.started = 0;
    pool.pending = 0;
    pool.sleepers = 0;
    pool.caller_sleeps = 0;
    unlock();
}

uint32_t fettle_pool_prepare(uint32_t threads) {
    if (threads > FETTLE_MAX_THREADS) threads = FETTLE_MAX_THREADS;
    if (threads <= 1) return 1;
    forget_after_fork((uint32_t)fettle_syscall4(FETTLE_SYS_GETPID, 0, 0, 0, 0));
    if (__atomic_load_n(&pool.started, __ATOMIC_ACQUIRE) + 1 >= threads) return threads;
    if (!try_lock()) return threads; /* the loops will find out whether the pool is free */
    const uint64_t all = ~(uint64_t)0;
    uint64_t mask = 0; /* workers handle no signals: the program's handlers run on its own threads */
    (void)fettle_syscall4(FETTLE_SYS_SIGPROCMASK, 2, (long)(uintptr_t)&all, (long)(uintptr_t)&mask, 8);
    while (pool.started + 1 < threads) {
        const uintptr_t seen = __atomic_load_n(&pool.call, __ATOMIC_RELAXED);
        void* argument = (void*)(seen << 8 | (pool.started + 1));
        if (pthread_create(&pool.threads[pool.started], 0, worker, argument) != 0) break;
        __atomic_store_n(&pool.started, pool.started + 1, __ATOMIC_RELEASE);
    }
    (void)fettle_syscall4(FETTLE_SYS_SIGPROCMASK, 2, (long)(uintptr_t)&mask, 0, 8);
    unlock();
    return threads;
}

static void publish(uint32_t threads) {
    const uint32_t generation = (__atomic_load_n(&pool.call, __ATOMIC_RELAXED) >> 8) + 1;
    __atomic_store_n(&pool.call, generation << 8 | threads, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&pool.sleepers, __ATOMIC_SEQ_CST) != 0) fettle_futex_wake_all(&pool.call);
}

static void wait_for_workers(void) {
    for (int i = 0; i < SPINS; ++i) {
        if (__atomic_load_n(&pool.pending, __ATOMIC_ACQUIRE) == 0) return;
        fettle_pause();
    }
    __atomic_store_n(&pool.caller_sleeps, 1, __ATOMIC_SEQ_CST);
    for (uint32_t pending; (pending = __atomic_load_n(&pool.pending, __ATOMIC_SEQ_CST)) != 0;) {
        fettle_futex_wait(&pool.pending, pending);
    }
    __atomic_store_n(&pool.caller_sleeps, 0, __ATOMIC_SEQ_CST);
}

void fettle_pool_parallel_for(void* handle, int64_t count, fettle_body body, void* context) {
    uint32_t threads = *(const uint32_t*)handle;
    if (count <= 0) return;
    if (threads > (uint64_t)count) threads = (uint32_t)count;
    if (threads <= 1 || !try_lock()) {
        body(context, 0, count);
        return;
    }
    if (threads > pool.started + 1) threads = pool.started + 1;
    if (threads <= 1) {
        unlock();
        body(context, 0, count);
        return;
    }
    const int64_t chunks = (int64_t)threads * CHUNKS_PER_THREAD;
    pool.count = count;
    pool.chunk = count > chunks ? count / chunks : 1;
    pool.body = body;
    pool.context = context;
    __atomic_store_n(&pool.next, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.pending, threads - 1, __ATOMIC_RELAXED);
    publish(threads);
    do_chunks();
    wait_for_workers();
    unlock();
}

/* Unloading: the workers run code of this object. At exit during a run the process ends them. */
__attribute__((destructor)) static void leave(void) {
    if (pool.started == 0 || pool.owner != (uint32_t)fettle_syscall4(FETTLE_SYS_GETPID, 0, 0, 0, 0)) return;
    if (!try_lock()) return;
    publish(STOP);
    for (uint32_t i = 0; i < pool.started; ++i) pthread_join(pool.threads[i], 0);
    pool.started = 0;
}
