// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/timing.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace fettle::measure::runner {

namespace {

constexpr int64_t kMinSampleNs = 300'000;
constexpr int64_t kBudgetNs = 2'000'000'000;
constexpr int64_t kLongFirstCallNs = 20'000'000;  // page faults and cold caches no longer matter
constexpr int kSamples = 10, kRetries = 10;
constexpr int64_t kMaxCalls = 1'000'000;

int64_t preemptions() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

int64_t timeCalls(const TimedCall& timed, int64_t number) {
    const int64_t start = nowNs();
    for (int64_t i = 0; i < number; ++i) timed.call();
    return nowNs() - start;
}

// Flushed before each call; only the calls are timed.
int64_t timeFlushedCalls(const TimedCall& timed, int64_t number) {
    int64_t total = 0;
    for (int64_t i = 0; i < number; ++i) {
        timed.flush();
        total += timeCalls(timed, 1);
    }
    return total;
}

// The minimum of few samples is within some percent of that of ten: how few suffice depends on how far behind it is.
bool isBeaten(const std::vector<int64_t>& samples, int64_t bestNs) {
    if (bestNs <= 0 || samples.size() < 2) return false;
    const auto least = static_cast<double>(*std::min_element(samples.begin(), samples.end()));
    const auto best = static_cast<double>(bestNs);
    return least > 2 * best || (samples.size() >= 4 && least > 1.2 * best);
}

std::vector<int64_t> race(const TimedCall& timed, bool flush, int64_t bestNs) {
    const auto take = [&](int64_t number) {
        return flush ? timeFlushedCalls(timed, number) : timeCalls(timed, number);
    };
    const int64_t start = nowNs();
    const bool hopeless = bestNs > 0 && timed.firstCallNs > std::max(kLongFirstCallNs, 2 * bestNs);
    const int64_t warmNs = timed.firstCallNs > kLongFirstCallNs ? timed.firstCallNs : take(1);
    int64_t number = std::clamp<int64_t>(kMinSampleNs / std::max<int64_t>(warmNs, 1) + 1, 1, kMaxCalls);
    if (warmNs >= kMinSampleNs) number = 1;

    std::vector<int64_t> samples, disturbed;
    while (samples.size() < kSamples && disturbed.size() < kRetries) {
        const int64_t before = preemptions();
        const int64_t total = take(number);
        if (total < kMinSampleNs * 2 / 3 && number < kMaxCalls) {  // the warm-up was slow: longer samples
            number =
                std::clamp<int64_t>(number * kMinSampleNs / std::max<int64_t>(total, 1) + 1, number + 1, kMaxCalls);
            continue;
        }
        (preemptions() == before ? samples : disturbed).push_back(std::max<int64_t>(total / number, 1));
        if (hopeless) break;
        const bool enough = samples.size() + disturbed.size() >= 2;
        if (enough && nowNs() - start > kBudgetNs) break;
        if (isBeaten(samples, bestNs)) break;
    }
    return samples.empty() ? disturbed : samples;
}

std::vector<int64_t> exactly(const TimedCall& timed, const EvaluatorConfig& config) {
    const auto take = [&](int64_t n) { return config.flushCache ? timeFlushedCalls(timed, n) : timeCalls(timed, n); };
    take(1);  // warm-up
    int64_t number = std::max(config.number, 1);
    const auto minNs = static_cast<int64_t>(config.minRepeatMs * 1e6);
    std::vector<int64_t> samples;
    while (samples.size() < static_cast<size_t>(std::max(config.repeat, 1))) {
        const int64_t total = take(number);
        if (total < minNs && number < kMaxCalls) {  // as TVM does: the number grows, the sample is taken again
            const int64_t scaled = number * minNs / std::max<int64_t>(total, 1) + 1;
            number = std::clamp<int64_t>(scaled, number + 1, kMaxCalls);
            continue;
        }
        samples.push_back(std::max<int64_t>(total / number, 1));
    }
    return samples;
}

}  // namespace

int64_t nowNs() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::vector<int64_t> sampleCall(const TimedCall& timed, const EvaluatorConfig& config, int64_t bestNs) {
    return config.racing() ? race(timed, config.flushCache, bestNs) : exactly(timed, config);
}

#if defined(__x86_64__)
namespace {

__attribute__((target("clflushopt"))) void flushLinesFast(const std::byte* from, const std::byte* to) {
    for (; from < to; from += 64) _mm_clflushopt(const_cast<std::byte*>(from));
}

bool hasClflushopt() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 23 & 1) != 0;
}

}  // namespace

void flushFromCaches(std::span<const std::byte> bytes) {
    static const bool fast = hasClflushopt();
    const std::byte* from = bytes.data();
    const std::byte* to = from + bytes.size();
    if (fast) {
        flushLinesFast(from, to);
    } else {
        for (; from < to; from += 64) _mm_clflush(from);
    }
    _mm_mfence();
}
#else
void flushFromCaches(std::span<const std::byte>) {}
#endif

}  // namespace fettle::measure::runner
