// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scale.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fettle::ui {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * double(sorted.size() - 1);
    const auto below = size_t(at);
    if (below + 1 >= sorted.size()) return sorted.back();
    return sorted[below] + (at - double(below)) * (sorted[below + 1] - sorted[below]);
}

}  // namespace

Span quantileSpan(std::vector<double> values, double low, double high, double margin, bool logarithmic) {
    std::erase_if(values, [&](double v) { return !std::isfinite(v) || (logarithmic && v <= 0); });
    if (values.empty()) return logarithmic ? Span{0.1, 1} : Span{0, 1};
    std::sort(values.begin(), values.end());
    Span span{quantile(values, low), quantile(values, high)};
    if (logarithmic) {
        if (span.high / span.low < 1.01) span = {span.low / 1.5, span.high * 1.5};
        const double factor = std::pow(span.high / span.low, margin);
        return {span.low / factor, span.high * factor};
    }
    if (span.high - span.low <= 1e-12 * std::max(1.0, std::fabs(span.high))) {
        const double half = span.high == 0 ? 0.5 : std::fabs(span.high) * 0.1;
        span = {span.low - half, span.high + half};
    }
    const double pad = margin * (span.high - span.low);
    return {span.low - pad, span.high + pad};
}

int countOutside(const std::vector<double>& values, const Span& span) {
    return int(std::count_if(values.begin(), values.end(),
                             [&](double v) { return std::isfinite(v) && (v < span.low || v > span.high); }));
}

std::vector<double> linearTicks(const Span& span, int count) {
    std::vector<double> ticks;
    const double length = span.high - span.low;
    if (!(length > 0) || !std::isfinite(length) || count < 1) return ticks;
    const double raw = length / count, power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= raw * 0.999) {
            step = factor * power;
            break;
        }
    for (double k = std::ceil(span.low / step - 1e-9); k * step <= span.high + 1e-9 * step; ++k)
        ticks.push_back(std::fabs(k) < 0.5 ? 0.0 : k * step);
    return ticks;
}

std::vector<double> logTicks(const Span& span, int most) {
    if (!(span.low > 0) || !(span.high > span.low) || !std::isfinite(span.high)) return {};
    static const std::vector<std::vector<double>> patterns = {{1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}};
    std::vector<double> ticks;
    for (const auto& pattern : patterns) {
        ticks.clear();
        for (int decade = int(std::floor(std::log10(span.low))); decade <= int(std::ceil(std::log10(span.high)));
             ++decade)
            for (double m : pattern) {
                const double power = std::pow(10.0, std::abs(decade));
                const double value = decade < 0 ? m / power : m * power;  // 0.3, not 0.30000000000000004
                if (value >= span.low * (1 - 1e-9) && value <= span.high * (1 + 1e-9)) ticks.push_back(value);
            }
        if (int(ticks.size()) <= most) break;
    }
    if (ticks.size() >= 2) return ticks;
    ticks = linearTicks(span, std::min(most, 4));  // less than one step of 1-2-3-5
    std::erase_if(ticks, [](double v) { return v <= 0; });
    return ticks;
}

QString tickText(double value) {
    return QString::number(value, 'g', 4);
}

Histogram histogram(const std::vector<double>& values, int bins, bool logarithmic) {
    Histogram result;
    std::vector<double> kept;
    for (double v : values)
        if (std::isfinite(v) && (!logarithmic || v > 0)) kept.push_back(logarithmic ? std::log(v) : v);
    if (kept.empty() || bins < 1) return result;
    auto [least, greatest] = std::minmax_element(kept.begin(), kept.end());
    double low = *least, high = *greatest;
    if (high - low < 1e-12) low -= 0.05, high += 0.05;
    result.counts.assign(bins, 0);
    for (double v : kept) ++result.counts[std::min(bins - 1, int((v - low) / (high - low) * bins))];
    for (int i = 0; i <= bins; ++i) {
        const double edge = low + (high - low) * i / bins;
        result.edges.push_back(logarithmic ? std::exp(edge) : edge);
    }
    result.total = int(kept.size());
    result.most = *std::max_element(result.counts.begin(), result.counts.end());
    return result;
}

std::vector<double> spreadLabels(const std::vector<double>& wanted, double spacing, double low, double high) {
    const size_t n = wanted.size();
    if (n == 0) return {};
    if (spacing * double(n - 1) > high - low) spacing = n > 1 ? (high - low) / double(n - 1) : 0;
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
    // Clusters of touching labels, each at the mean of what its members want: pool adjacent violators.
    struct Cluster {
        double sum;
        size_t count;
    };  // of (wanted - spacing * rank)
    std::vector<Cluster> clusters;
    for (size_t rank = 0; rank < n; ++rank) {
        clusters.push_back({wanted[order[rank]] - spacing * double(rank), 1});
        while (clusters.size() > 1) {
            Cluster& last = clusters.back();
            Cluster& before = clusters[clusters.size() - 2];
            if (before.sum / double(before.count) <= last.sum / double(last.count)) break;
            before = {before.sum + last.sum, before.count + last.count};
            clusters.pop_back();
        }
    }
    std::vector<double> placed(n);
    size_t rank = 0;
    for (const Cluster& cluster : clusters)
        for (size_t k = 0; k < cluster.count; ++k, ++rank) {
            const double base = std::clamp(cluster.sum / double(cluster.count), low, high - spacing * double(n - 1));
            placed[order[rank]] = base + spacing * double(rank);
        }
    return placed;
}

}  // namespace fettle::ui
