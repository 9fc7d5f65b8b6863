// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/log.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fettle {
namespace {

TEST(Log, SinksSeeEveryLevelUntilRemoved) {
    std::vector<log::Line> lines;
    int id = log::addSink([&](const log::Line& line) { lines.push_back(line); });
    log::debug("search", "round 3");
    log::info("measure", "worker started");
    log::removeSink(id);
    log::info("measure", "not seen");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].level, log::Level::Debug);
    EXPECT_EQ(lines[0].category, "search");
    EXPECT_EQ(lines[0].text, "round 3");
    EXPECT_GT(lines[1].unixSeconds, 1.6e9);
}

TEST(Log, StderrHasWarningsAndAbove) {
    testing::internal::CaptureStderr();
    log::info("onnx", "quiet {}");
    log::warning("onnx", "braces {} stay as they are");
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(text, "fettle: warning: onnx: braces {} stay as they are\n");

    log::setStderrLevel(log::Level::Error);
    testing::internal::CaptureStderr();
    log::warning("onnx", "hidden");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    log::setStderrLevel(log::Level::Warning);
}

TEST(Log, ASinkMayRemoveItself) {
    int calls = 0, id = 0;
    id = log::addSink([&](const log::Line&) {
        ++calls;
        log::removeSink(id);
    });
    log::info("a", "1");
    log::info("a", "2");
    EXPECT_EQ(calls, 1);
}

TEST(Log, ManyThreadsLoseNothing) {
    std::atomic<int> seen = 0;
    int id = log::addSink([&](const log::Line&) { ++seen; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 250; ++i) log::debug("t", "x");
        });
    for (auto& thread : threads) thread.join();
    log::removeSink(id);
    EXPECT_EQ(seen, 1000);
}

}  // namespace
}  // namespace fettle
