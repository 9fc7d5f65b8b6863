// SPDX-License-Identifier: GPL-3.0-or-later
// Memory planning: buffers with lifetimes get offsets in one arena; buffers that live at the same time never overlap.
#pragma once

#include <cstdint>
#include <vector>

namespace fettle::compile {

struct Lifetime {
    int64_t bytes = 0;
    int first = 0, last = 0;  // steps, both inclusive
    int64_t offset = 0;       // result, a multiple of 64
};

// Largest first, each into the smallest gap it fits. Returns the size of the arena in bytes.
int64_t placeBestFit(std::vector<Lifetime>& lives);

}  // namespace fettle::compile
