// SPDX-License-Identifier: GPL-3.0-or-later
// How long a call takes: racing (ENGINE, Measuring) or exactly as an EvaluatorConfig says.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/measure/trial.h"

namespace fettle::measure::runner {

int64_t nowNs();  // CLOCK_MONOTONIC

struct TimedCall {
    std::function<void()> call;
    std::function<void()> flush;  // evicts the operands from the caches; used when the config asks for it
    int64_t firstCallNs = 0;      // what the checking run took; 0: unknown
};

// Nanoseconds per call, one per sample.
// Racing: one warm-up; samples of at least 0.3 ms; up to 10; 2 when the smallest is over twice bestNs (0: none), 4 when
// over 1.2 times it, 2 when 2 s have gone; samples during which the thread was preempted are taken again, up to 10
// times.
std::vector<int64_t> sampleCall(const TimedCall& timed, const EvaluatorConfig& config, int64_t bestNs);

// clflushopt (clflush where absent) over the bytes, then a fence. On other machines: nothing.
void flushFromCaches(std::span<const std::byte> bytes);

}  // namespace fettle::measure::runner
