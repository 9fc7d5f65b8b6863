// SPDX-License-Identifier: GPL-3.0-or-later
// How well predictions rank: Spearman's rho and top-k recall.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cost/cost_model.h"

namespace fettle::cost {
namespace {

std::vector<size_t> order(const std::vector<double>& values) {
    std::vector<size_t> index(values.size());
    std::iota(index.begin(), index.end(), size_t{0});
    std::stable_sort(index.begin(), index.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
    return index;
}

std::vector<double> averageRanks(const std::vector<double>& values) {
    const std::vector<size_t> sorted = order(values);
    std::vector<double> ranks(values.size());
    for (size_t first = 0; first < sorted.size();) {
        size_t last = first;
        while (last + 1 < sorted.size() && values[sorted[last + 1]] == values[sorted[first]]) ++last;
        for (size_t k = first; k <= last; ++k) ranks[sorted[k]] = static_cast<double>(first + last) / 2;
        first = last + 1;
    }
    return ranks;
}

}  // namespace

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
    const size_t n = std::min(a.size(), b.size());
    if (n < 2) return 0;
    const std::vector<double> x = averageRanks({a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n)});
    const std::vector<double> y = averageRanks({b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n)});
    const double mean = static_cast<double>(n - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < n; ++k) {
        xy += (x[k] - mean) * (y[k] - mean);
        xx += (x[k] - mean) * (x[k] - mean);
        yy += (y[k] - mean) * (y[k] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double topKRecall(const std::vector<double>& scores, const std::vector<double>& latencies, int k) {
    const size_t n = std::min(scores.size(), latencies.size());
    const size_t top = std::min(n, static_cast<size_t>(std::max(k, 0)));
    if (top == 0) return 0;
    std::vector<double> negated(n);
    for (size_t i = 0; i < n; ++i) negated[i] = -scores[i];
    const std::vector<size_t> predicted = order(negated);
    const std::vector<size_t> measured = order({latencies.begin(), latencies.begin() + static_cast<std::ptrdiff_t>(n)});
    size_t hits = 0;
    for (size_t i = 0; i < top; ++i)
        hits += std::find(predicted.begin(), predicted.begin() + static_cast<std::ptrdiff_t>(top), measured[i]) !=
                predicted.begin() + static_cast<std::ptrdiff_t>(top);
    return static_cast<double>(hits) / static_cast<double>(top);
}

}  // namespace fettle::cost
