// SPDX-License-Identifier: GPL-3.0-or-later
// Which task gets the next round. Gradient of the whole model's latency per round (Ansor, OSDI 2020, alpha 0.2,
// window 3), capped by the distance to the roofline: a task near its ceiling has nothing left to give.
#include <algorithm>
#include <cmath>

#include "core/search/search.h"

namespace fettle::search {
namespace {

constexpr double kAlpha = 0.2;      // trust in the slope of the past against hope for the future
constexpr int kWindow = 3;          // rounds the slope looks back
constexpr double kReachable = 0.9;  // share of the roofline that the best known kernels reach
constexpr double kHeadroom = 1.25;  // above the best seen, where that shows that the probe of the ceiling read low
constexpr double kWorth = 1e-3;     // a task whose whole reach is under 0.1 % of the model's latency is done
constexpr double kEpsilon = 0.05;   // share of random turns, so that no estimate starves a task for ever

double ceilingNs(const TaskProgress& task, const Roofline& roofline) {
    double seconds = 0;
    if (roofline.flopsPerSecond > 0) seconds = std::max(seconds, task.flops / roofline.flopsPerSecond);
    if (roofline.bytesPerSecond > 0) seconds = std::max(seconds, task.bytes / roofline.bytesPerSecond);
    return seconds * 1e9 / kReachable;
}

// A kernel faster than the probe shows that the probe ran on a busy machine. Where the ceiling lies is not known then:
// so far above the fastest kernel that this one does not look finished either.
Roofline aboveWhatWasReached(Roofline roofline, const std::vector<TaskProgress>& tasks) {
    const auto raise = [](double& ceiling, double reached) {
        if (ceiling > 0 && reached > ceiling) ceiling = reached * kHeadroom;
    };
    double flops = 0, bytes = 0;
    for (const TaskProgress& task : tasks) {
        if (task.bestAfterRound.empty() || task.bestAfterRound.back() <= 0) continue;
        const double seconds = static_cast<double>(task.bestAfterRound.back()) / 1e9;
        flops = std::max(flops, task.flops / seconds);
        bytes = std::max(bytes, task.bytes / seconds);
    }
    raise(roofline.flopsPerSecond, flops);
    raise(roofline.bytesPerSecond, bytes);
    return roofline;
}

// Expected gain of the next round, in ns of the model's latency.
double expectedGain(const TaskProgress& task, const Roofline& roofline) {
    const std::vector<int64_t>& best = task.bestAfterRound;
    const auto rounds = static_cast<double>(best.size());
    const auto now = static_cast<double>(best.back());
    const size_t back = std::min<size_t>(best.size() - 1, kWindow);
    const auto before = static_cast<double>(best[best.size() - 1 - back]);
    const double slope = back > 0 && before > now ? (before - now) / static_cast<double>(back) : 0;
    const double left = std::max(0.0, now - ceilingNs(task, roofline));
    const double hope = std::min(now, left) / rounds;
    return task.weight * std::min(kAlpha * slope + (1 - kAlpha) * hope, left);
}

}  // namespace

int chooseTask(const std::vector<TaskProgress>& tasks, const Roofline& probed, Rng& rng) {
    const Roofline roofline = aboveWhatWasReached(probed, tasks);
    std::vector<int> open;
    double modelNs = 0;
    for (size_t k = 0; k < tasks.size(); ++k) {
        const TaskProgress& task = tasks[k];
        if (!task.bestAfterRound.empty()) modelNs += task.weight * static_cast<double>(task.bestAfterRound.back());
        if (task.exhausted) continue;
        if (task.bestAfterRound.empty()) return static_cast<int>(k);
        open.push_back(static_cast<int>(k));
    }
    int chosen = -1;
    double largest = 0;
    std::vector<int> worthwhile;
    for (int k : open) {
        const TaskProgress& task = tasks[static_cast<size_t>(k)];
        const auto now = static_cast<double>(task.bestAfterRound.back());
        // A task without any valid trial gets another turn, a rarer one each time.
        const double gain = now > 0 ? expectedGain(task, roofline)
                                    : std::max(modelNs, 1.0) / static_cast<double>(task.bestAfterRound.size() + 1);
        const double left = now > 0 ? task.weight * std::max(0.0, now - ceilingNs(task, roofline)) : modelNs;
        if (now > 0 && left < kWorth * modelNs) continue;
        worthwhile.push_back(k);
        if (gain > largest) {
            largest = gain;
            chosen = k;
        }
    }
    if (worthwhile.empty()) return -1;
    if (chosen < 0 || rng.uniform() < kEpsilon)
        return worthwhile[static_cast<size_t>(rng.below(static_cast<int64_t>(worthwhile.size())))];
    return chosen;
}

}  // namespace fettle::search
