// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges, ticks, bins and end labels of charts: pure functions, tested without a screen.
#pragma once

#include <QString>
#include <vector>

namespace fettle::ui {

struct Span {
    double low = 0, high = 1;
};

// The range that shows the quantiles [low, high] of the finite values, widened by `margin` of its length (on a
// logarithmic axis: of its ratio). An empty or constant set gives a range around the value (or [0, 1]).
Span quantileSpan(std::vector<double> values, double low, double high, double margin, bool logarithmic);
int countOutside(const std::vector<double>& values, const Span& span);  // non-finite values are not counted

// About `count` ticks at 1, 2, 2.5 or 5 times a power of ten, all inside the span.
std::vector<double> linearTicks(const Span& span, int count);
// Ticks at 1-2-3-5 times powers of ten; thinned to 1-2-5, then to decades when there would be more than `most`.
std::vector<double> logTicks(const Span& span, int most);
QString tickText(double value);  // shortest text: "0.5", "200", "12.5"

struct Histogram {
    std::vector<double> edges;  // bins + 1
    std::vector<int> counts;
    int total = 0, most = 0;
};
// Equal bins between the least and the greatest value; of equal ratio when logarithmic (values <= 0 are ignored).
Histogram histogram(const std::vector<double>& values, int bins, bool logarithmic);

// Moves label centres apart so that neighbours are at least `spacing` apart and all lie inside [low, high], each as
// near to where it wants to be as that allows; the order is kept. Units: pixels.
std::vector<double> spreadLabels(const std::vector<double>& wanted, double spacing, double low, double high);

}  // namespace fettle::ui
