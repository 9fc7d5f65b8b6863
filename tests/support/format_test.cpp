// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/format.h"

#include <clocale>
#include <limits>

#include <gtest/gtest.h>

namespace fettle {
namespace {

TEST(Format, Latency) {
    EXPECT_EQ(formatLatency(0), "0 ns");
    EXPECT_EQ(formatLatency(812), "812 ns");
    EXPECT_EQ(formatLatency(5123), "5.12 us");
    EXPECT_EQ(formatLatency(45678), "45.7 us");
    EXPECT_EQ(formatLatency(999960), "1.000 ms");
    EXPECT_EQ(formatLatency(1234000), "1.234 ms");
    EXPECT_EQ(formatLatency(12.4e6), "12.4 ms");
    EXPECT_EQ(formatLatency(999.96e6), "1.00 s");
    EXPECT_EQ(formatLatency(2.5e9), "2.50 s");
    EXPECT_EQ(formatLatency(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Format, Ms) {
    EXPECT_EQ(formatMs(162000), "0.162");
    EXPECT_EQ(formatMs(5100000, 2), "5.10");
}

TEST(Format, BytesAndCounts) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(999), "999 B");
    EXPECT_EQ(formatBytes(3.62e6), "3.62 MB");
    EXPECT_EQ(formatBytes(999999), "1.00 MB");
    EXPECT_EQ(formatCount(12), "12");
    EXPECT_EQ(formatCount(8.13e6), "8.13 M");
    EXPECT_EQ(formatCount(1.2e9), "1.20 G");
    EXPECT_EQ(formatCount(150e9), "150 G");
}

TEST(Format, Ratio) {
    EXPECT_EQ(formatRatio(2.4314), "2.43\u00d7");
    EXPECT_EQ(formatRatio(250.4), "250\u00d7");
}

TEST(Format, Duration) {
    EXPECT_EQ(formatDuration(0), "0 s");
    EXPECT_EQ(formatDuration(0.34), "0.3 s");
    EXPECT_EQ(formatDuration(45), "45 s");
    EXPECT_EQ(formatDuration(180), "3 min");
    EXPECT_EQ(formatDuration(4800), "1 h 20 min");
    EXPECT_EQ(formatDuration(7200), "2 h");
    EXPECT_EQ(formatDuration(5 * 86400), "5 days");
    EXPECT_EQ(formatDuration(-1), "unknown");
}

TEST(Format, DoubleHasNoNegativeZeroAndNoLocale) {
    EXPECT_EQ(formatDouble(-0.0001, 2), "0.00");
    EXPECT_EQ(formatDouble(-0.5, 1), "-0.5");
    EXPECT_EQ(formatDouble(std::numeric_limits<double>::quiet_NaN(), 2), "nan");
    std::string before = std::setlocale(LC_ALL, nullptr);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8")) {
        EXPECT_EQ(formatDouble(1.5, 2), "1.50");
    }
    std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace fettle
