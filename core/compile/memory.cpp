// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/memory.h"

#include <algorithm>
#include <numeric>

namespace fettle::compile {

namespace {

int64_t aligned(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// The smallest gap between `taken` (sorted by offset) that holds `bytes`; after all of them when there is none.
int64_t smallestGap(const std::vector<const Lifetime*>& taken, int64_t bytes) {
    int64_t best = -1, bestSize = 0, end = 0;
    for (const Lifetime* other : taken) {
        const int64_t size = other->offset - end;
        if (size >= bytes && (best < 0 || size < bestSize)) {
            best = end;
            bestSize = size;
        }
        end = std::max(end, other->offset + aligned(other->bytes));
    }
    return best < 0 ? end : best;
}

}  // namespace

int64_t placeBestFit(std::vector<Lifetime>& lives) {
    std::vector<size_t> order(lives.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lives[a].bytes > lives[b].bytes; });
    std::vector<size_t> placed;
    int64_t arena = 0;
    for (size_t i : order) {
        Lifetime& life = lives[i];
        std::vector<const Lifetime*> taken;
        for (size_t other : placed)
            if (lives[other].first <= life.last && life.first <= lives[other].last) taken.push_back(&lives[other]);
        std::sort(taken.begin(), taken.end(),
                  [](const Lifetime* a, const Lifetime* b) { return a->offset < b->offset; });
        life.offset = smallestGap(taken, aligned(life.bytes));
        arena = std::max(arena, life.offset + aligned(life.bytes));
        placed.push_back(i);
    }
    return arena;
}

}  // namespace fettle::compile
