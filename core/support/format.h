// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them; always with '.' as the decimal point, whatever the locale.
#pragma once

#include <cstdint>
#include <string>

namespace fettle {

std::string formatLatency(double nanoseconds);               // "812 ns", "5.12 us", "1.234 ms", "2.50 s"
std::string formatMs(double nanoseconds, int decimals = 3);  // "0.162" (unit in the header)
std::string formatBytes(double bytes);                       // "3.62 MB" (powers of 1000)
std::string formatCount(double count);                       // "8.13 M", "1.20 G"
std::string formatRatio(double ratio);                       // "2.43x" with the multiplication sign
std::string formatDuration(double seconds);                  // "45 s", "3 min", "1 h 20 min"
std::string formatDouble(double value, int decimals);

}  // namespace fettle
