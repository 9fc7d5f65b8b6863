// SPDX-License-Identifier: GPL-3.0-or-later
// What a trial is: one schedule of one task, built, checked against the reference, and timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fettle::measure {

enum class TrialStatus : uint8_t { Ok, BuildError, Timeout, Crash, WrongResult, Cancelled };
const char* statusName(TrialStatus status);  // "ok", "build error", "timeout", "crash", "wrong result", "cancelled"

// MetaSchedule's names. All zero: racing (see ENGINE): one warm-up, up to 10 runs batched to >= 0.3 ms, minimum as
// the estimate, stop after 2 when over twice the task's best, after 4 when over 1.2 times it. When any is set, the
// numbers are honoured exactly.
struct EvaluatorConfig {
    int number = 0;           // calls per sample
    int repeat = 0;           // samples
    double minRepeatMs = 0;   // a sample lasts at least this long; number grows
    bool flushCache = false;  // flush the operands before each timed call
    int allocRepeat = 1;      // fresh buffers this many times
    int threads = 1;          // threads the kernel runs with

    bool racing() const { return number == 0 && repeat == 0 && minRepeatMs == 0; }
};

struct TrialResult {
    TrialStatus status = TrialStatus::Ok;
    std::vector<int64_t> samplesNs;   // per call, every sample kept, in order
    int64_t minNs = 0, medianNs = 0;  // 0 unless Ok
    double maxRelError = 0;           // against the reference
    std::string error;                // one line: class, place, cause
    double compileMs = 0, runMs = 0;  // what the trial cost us
    int vectorSpills = 0;
};

// A machine's ceilings for `threads` threads, measured: float32 multiply-adds (2 each) on registers; reading memory.
struct Roofline {
    double flopsPerSecond = 0, bytesPerSecond = 0;
};

}  // namespace fettle::measure
