// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/roofline.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

// Below this a call's own cost (entering, threads, first touches) is of the size of the work.
constexpr int64_t kSmallNs = 5000;

QString number(double value) {
    return QString::fromStdString(formatDouble(value, value < 10 ? 1 : 0));
}

QString footprint(double bytes, int64_t l1, int64_t l2, int64_t l3) {
    const QString size = QString::fromStdString(formatBytes(bytes));
    const struct {
        int64_t bytes;
        const char* name;
    } caches[] = {{l1, "L1"}, {l2, "L2"}, {l3, "L3"}};
    const char* inside = nullptr;
    QString exceeds;
    for (const auto& cache : caches) {
        if (cache.bytes <= 0) continue;
        if (bytes <= double(cache.bytes)) {
            inside = cache.name;
            break;
        }
        exceeds = QString::fromStdString(formatBytes(double(cache.bytes))) + ' ' + cache.name;
    }
    if (!exceeds.isEmpty()) return QCoreApplication::translate("WhySlow", "Its %1 exceed the %2.").arg(size, exceeds);
    if (inside) return QCoreApplication::translate("WhySlow", "Its %1 fit in %2.").arg(size, inside);
    return {};
}

}  // namespace

Diagnosis diagnose(const Roof& roof, double flops, double bytes, int64_t ns) {
    Diagnosis d;
    d.intensity = bytes > 0 ? flops / bytes : 0;
    if (ns <= 0) return d;
    const double seconds = double(ns) * 1e-9;
    d.achieved = flops / seconds;
    d.bytesPerSecond = bytes / seconds;
    if (!roof.known()) return d;
    const double computeSeconds = flops / roof.flopsPerSecond, memorySeconds = bytes / roof.bytesPerSecond;
    d.attainable = std::min(roof.flopsPerSecond, d.intensity * roof.bytesPerSecond);
    d.ofRoof = std::max(computeSeconds, memorySeconds) / seconds;
    d.limit = computeSeconds >= memorySeconds ? Limit::Compute : Limit::Memory;
    if (ns < kSmallNs && d.ofRoof < 0.4) d.limit = Limit::Latency;
    return d;
}

QString explain(const Diagnosis& d, const Roof& roof, double bytes, int64_t ns, int64_t l1, int64_t l2, int64_t l3) {
    auto say = [](const char* text) { return QCoreApplication::translate("WhySlow", text); };
    if (ns <= 0) return say("Not measured yet: tune it, or profile the model.");
    const QString percent = number(100 * d.ofRoof) + " %";
    QString sentence;
    switch (d.limit) {
        case Limit::Unknown:
            sentence = say("It reaches %1 GFLOP/s and moves %2 GB/s; this machine's roofs are not measured yet.")
                           .arg(number(d.achieved * 1e-9), number(d.bytesPerSecond * 1e-9));
            break;
        case Limit::Compute:
            sentence =
                say("Compute-bound: %1 FLOP/byte is enough to feed %2 GFLOP/s, and it reaches %3 (%4).")
                    .arg(number(d.intensity), number(roof.flopsPerSecond * 1e-9), number(d.achieved * 1e-9), percent);
            break;
        case Limit::Memory:
            sentence =
                d.achieved > 0
                    ? say("Memory-bound: at %1 FLOP/byte the roof is %2 GFLOP/s, and it reaches %3 (%4).")
                          .arg(number(d.intensity), number(d.attainable * 1e-9), number(d.achieved * 1e-9), percent)
                    : say("Memory-bound: it only moves data, %1 of %2 GB/s (%3).")
                          .arg(number(d.bytesPerSecond * 1e-9), number(roof.bytesPerSecond * 1e-9), percent);
            break;
        case Limit::Latency:
            return say("Latency-bound: %1 is too short to fill the machine; the roof would allow %2.")
                .arg(QString::fromStdString(formatLatency(double(ns))),
                     QString::fromStdString(formatLatency(double(ns) * d.ofRoof)));
    }
    const QString where = footprint(bytes, l1, l2, l3);
    return where.isEmpty() ? sentence : sentence + ' ' + where;
}

}  // namespace fettle::ui
