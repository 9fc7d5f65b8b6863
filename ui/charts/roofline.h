// SPDX-License-Identifier: GPL-3.0-or-later
// Which limit an operator runs into, from its arithmetic intensity and the machine's measured roofs
// (Williams, Waterman and Patterson, Roofline, CACM 2009). Pure; words by explain().
#pragma once

#include <QString>
#include <cstdint>

namespace fettle::ui {

struct Roof {
    double flopsPerSecond = 0, bytesPerSecond = 0;  // measured on this machine; 0: unknown
    bool known() const { return flopsPerSecond > 0 && bytesPerSecond > 0; }
};

enum class Limit { Unknown, Compute, Memory, Latency /* too little work to fill the machine */ };

struct Diagnosis {
    Limit limit = Limit::Unknown;
    double intensity = 0;       // FLOP per byte
    double achieved = 0;        // FLOP per second
    double attainable = 0;      // FLOP per second at this intensity
    double ofRoof = 0;          // lower bound of time / measured time, in [0, 1] when the roof is right
    double bytesPerSecond = 0;  // achieved
};

// flops, bytes: of one occurrence; ns: its measured time.
Diagnosis diagnose(const Roof& roof, double flops, double bytes, int64_t ns);

// One sentence with numbers; caches in bytes, 0: unknown.
QString explain(const Diagnosis& diagnosis, const Roof& roof, double bytes, int64_t ns, int64_t l1, int64_t l2,
                int64_t l3);

}  // namespace fettle::ui
