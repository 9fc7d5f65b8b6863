// SPDX-License-Identifier: GPL-3.0-or-later
// A small deterministic generator: the same seed gives the same numbers on every machine and compiler
// (std::uniform_*_distribution does not promise that). splitmix64, Steele et al., OOPSLA 2014.
#pragma once

#include <cstdint>

namespace fettle {

class Rng {
public:
    explicit Rng(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // Uniform in [0, bound); bound > 0.
    int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

private:
    uint64_t state_;
};

}  // namespace fettle
