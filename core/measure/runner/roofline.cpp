// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/roofline.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/measure/runner/machine.h"
#include "core/measure/runner/timing.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fettle::measure::runner {

namespace {

constexpr int kRounds = 40;  // short ones: the smallest time is one that nobody disturbed
constexpr int64_t kFmaLoops = 200'000;
constexpr int kAccumulators = 16;  // chains: enough for a latency of 4 on two ports, and few enough for 16 registers
constexpr size_t kStreamBytes = size_t{64} << 20;

// Each returns a value that depends on all of the work, so that it is not left out.
#if defined(__x86_64__)
// One loop for each vector width: registers only, kAccumulators chains.
#define FETTLE_FMA_LOOP(NAME, FEATURES, VECTOR, SET, FMA)                         \
    __attribute__((target(FEATURES))) float NAME(int64_t loops) {                 \
        VECTOR sums[kAccumulators];                                               \
        for (auto& sum : sums) sum = SET(1.0f);                                   \
        const VECTOR a = SET(0.999f), b = SET(0.001f);                            \
        for (int64_t i = 0; i < loops; ++i) {                                     \
            _Pragma("GCC unroll 16") for (auto& sum : sums) sum = FMA(sum, a, b); \
        }                                                                         \
        VECTOR total = sums[0];                                                   \
        for (const auto& sum : sums) total = FMA(sum, a, total);                  \
        return reinterpret_cast<const float*>(&total)[0];                         \
    }
FETTLE_FMA_LOOP(fma512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps)
FETTLE_FMA_LOOP(fma256, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps)
#undef FETTLE_FMA_LOOP
#endif

float fmaPlain(int64_t loops) {
    float sums[kAccumulators];
    for (float& sum : sums) sum = 1.0f;
    for (int64_t i = 0; i < loops; ++i)
        for (float& sum : sums) sum = sum * 0.999f + 0.001f;
    float total = 0;
    for (const float sum : sums) total += sum;
    return total;
}

struct FmaLoop {
    float (*run)(int64_t);
    int lanes;
};

FmaLoop widestLoop() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {fma512, 16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {fma256, 8};
#endif
    return {fmaPlain, 1};
}

uint64_t sumWords(const uint64_t* words, size_t count) {
    uint64_t sums[8] = {};
    for (size_t i = 0; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; ++k) sums[k] += words[i + k];
    uint64_t total = 0;
    for (const uint64_t sum : sums) total += sum;
    return total;
}

std::atomic<uint64_t> sink;

// Runs body(context, i, i + 1) for i in [0, threads) at once; returns the smallest time of several rounds.
int64_t fastest(KernelPool& pool, int threads, fettle_body body, void* context) {
    int64_t best = INT64_MAX;
    for (int round = 0; round < kRounds; ++round) {
        const int64_t start = nowNs();
        if (auto parallelFor = pool.parallelFor()) {
            parallelFor(pool.pool(), threads, body, context);
        } else {
            body(context, 0, threads);
        }
        best = std::min(best, nowNs() - start);
    }
    return best;
}

}  // namespace

Roofline probeRoofline(int threads) {
    threads = std::max(threads, 1);
    pinFor(threads, -1);
    KernelPool pool = poolFor(threads);
    threads = static_cast<int>(std::max<uint32_t>(pool.threads, 1));

    FmaLoop loop = widestLoop();
    const fettle_body compute = [](void* context, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            sink += static_cast<uint64_t>(static_cast<FmaLoop*>(context)->run(kFmaLoops));
    };
    const int64_t computeNs = fastest(pool, threads, compute, &loop);
    const double flops = 2.0 * loop.lanes * kAccumulators * static_cast<double>(kFmaLoops) * threads;

    struct Stream {
        std::vector<uint64_t> words;
        size_t part;
    } stream{std::vector<uint64_t>(kStreamBytes / sizeof(uint64_t), 1), 0};
    stream.part = stream.words.size() / static_cast<size_t>(threads);
    const fettle_body read = [](void* context, int64_t begin, int64_t end) {
        const auto* s = static_cast<const Stream*>(context);
        const auto first = static_cast<size_t>(begin) * s->part;
        sink += sumWords(s->words.data() + first, static_cast<size_t>(end - begin) * s->part);
    };
    const int64_t readNs = fastest(pool, threads, read, &stream);
    const double bytes = static_cast<double>(stream.part * static_cast<size_t>(threads) * sizeof(uint64_t));
    return {flops * 1e9 / static_cast<double>(computeNs), bytes * 1e9 / static_cast<double>(readNs)};
}

}  // namespace fettle::measure::runner
