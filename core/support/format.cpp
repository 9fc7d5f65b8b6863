// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/format.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace fettle {
namespace {

struct Unit {
    double size;
    const char* name;
};

// Three significant figures in the largest unit that keeps the number at 1 or more; rounding up to 1000 moves on to the
// next unit ("999.9 us" is "1.00 ms" at three figures). `units` go from small to large.
template <size_t N>
std::string inUnits(double value, const Unit (&units)[N], int digits) {
    if (!std::isfinite(value)) return formatDouble(value, 0);
    double magnitude = std::fabs(value);
    size_t i = 0;
    while (i + 1 < N && magnitude >= units[i + 1].size * (1 - 0.5 * std::pow(10.0, -digits))) ++i;
    double scaled = value / units[i].size;
    int decimals = digits - 1;
    for (double limit = 10; decimals > 0 && std::fabs(scaled) >= limit * (1 - 0.5 * std::pow(10.0, -digits));
         limit *= 10)
        --decimals;
    if (i == 0 && scaled == std::trunc(scaled)) decimals = 0;
    std::string text = formatDouble(scaled, decimals);
    return *units[i].name ? text + " " + units[i].name : text;
}

}  // namespace

std::string formatDouble(double value, int decimals) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char buffer[400];
    auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::fixed, decimals);
    if (error != std::errc()) return "nan";
    std::string text(buffer, end);
    if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);  // no "-0.00"
    return text;
}

std::string formatLatency(double nanoseconds) {
    if (std::isfinite(nanoseconds) && std::fabs(nanoseconds) >= 0.9995e6 && std::fabs(nanoseconds) < 9.9995e6)
        return formatDouble(nanoseconds / 1e6, 3) + " ms";  // where models and operators live: one figure more
    static constexpr Unit kUnits[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    return inUnits(nanoseconds, kUnits, 3);
}

std::string formatMs(double nanoseconds, int decimals) {
    return formatDouble(nanoseconds / 1e6, decimals);
}

std::string formatBytes(double bytes) {
    static constexpr Unit kUnits[] = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
    return inUnits(bytes, kUnits, 3);
}

std::string formatCount(double count) {
    static constexpr Unit kUnits[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}};
    return inUnits(count, kUnits, 3);
}

std::string formatRatio(double ratio) {
    return formatDouble(ratio, std::fabs(ratio) < 100 ? 2 : 0) + "\u00d7";
}

std::string formatDuration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return "unknown";
    auto whole = static_cast<int64_t>(std::llround(seconds));
    if (seconds > 0 && seconds < 9.5) return formatDouble(seconds, 1) + " s";
    if (whole < 60) return std::to_string(whole) + " s";
    int64_t minutes = std::llround(seconds / 60);
    if (minutes < 60) return std::to_string(minutes) + " min";
    if (minutes < 48 * 60) {
        int64_t rest = minutes % 60;
        return std::to_string(minutes / 60) + " h" + (rest ? " " + std::to_string(rest) + " min" : "");
    }
    return std::to_string(std::llround(seconds / 86400)) + " days";
}

}  // namespace fettle
