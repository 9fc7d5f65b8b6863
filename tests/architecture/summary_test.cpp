// SPDX-License-Identifier: GPL-3.0-or-later
// The last line of make test must not lie: what tests/summarize.awk makes of passes, failures, skips and crashes.
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace fettle {
namespace {

struct Outcome {
    std::string text, last;
    bool ok;
};

Outcome summarize(const std::string& log) {
    std::string file = testing::TempDir() + "fettle-summary-" + std::to_string(getpid()) + ".txt";
    std::ofstream(file) << log;
    FILE* pipe = popen(("awk -f '" FETTLE_SOURCE_DIR "/tests/summarize.awk' '" + file + "'").c_str(), "r");
    Outcome outcome;
    char buffer[4096];
    while (size_t got = fread(buffer, 1, sizeof buffer, pipe)) outcome.text.append(buffer, got);
    outcome.ok = pclose(pipe) == 0;
    std::remove(file.c_str());
    std::string trimmed = outcome.text.substr(0, outcome.text.find_last_not_of('\n') + 1);
    outcome.last = trimmed.substr(trimmed.rfind('\n') + 1);
    return outcome;
}

TEST(Summary, AddsUpProgramsThatRunAtOnce) {
    Outcome outcome = summarize(
        "1: [ RUN      ] A.One\n2: [ RUN      ] B.One\n1: [       OK ] A.One (0 ms)\n2: [       OK ] B.One (12 ms)\n"
        "2: [  SKIPPED ] B.Two (0 ms)\n2: [  PASSED  ] 1 test.\n2: [  SKIPPED ] 1 test, listed below:\n"
        "2: [  SKIPPED ] B.Two\n1/3 Test #1: a ........................   Passed    0.01 sec\n"
        "2/3 Test #2: b ........................   Passed    0.02 sec\n"
        "3/3 Test #3: plain ....................   Passed    0.02 sec\n");
    EXPECT_EQ(outcome.last, "3 passed, 0 failed, 1 skipped");
    EXPECT_TRUE(outcome.ok);
    EXPECT_NE(outcome.text.find("skipped: B.Two"), std::string::npos);
}

TEST(Summary, ShowsWhatFailed) {
    Outcome outcome = summarize(
        "1: [ RUN      ] A.One\n1: a_test.cpp:7: Failure\n1: [  FAILED  ] A.One (0 ms)\n1: [ RUN      ] A.Two\n"
        "1: [       OK ] A.Two (0 ms)\n1: [  FAILED  ] 1 test, listed below:\n1: [  FAILED  ] A.One\n"
        "1/1 Test #1: a ........................***Failed    0.01 sec\n");
    EXPECT_EQ(outcome.last, "1 passed, 1 failed, 0 skipped");
    EXPECT_FALSE(outcome.ok);
    EXPECT_NE(outcome.text.find("a_test.cpp:7: Failure"), std::string::npos);
}

TEST(Summary, AScriptThatSkipsIsNamed) {
    Outcome outcome = summarize(
        "1: SKIPPED: no folder of models\n1/2 Test #1: all-models .......***Skipped   0.05 sec\n"
        "2: 3 kills, 0 trials lost\n2/2 Test #2: kill-and-resume ..   Passed   9.05 sec\n");
    EXPECT_EQ(outcome.last, "1 passed, 0 failed, 1 skipped");
    EXPECT_TRUE(outcome.ok);
    EXPECT_NE(outcome.text.find("skipped: all-models"), std::string::npos);
}

TEST(Summary, ACrashAndATimeLimitAreFailures) {
    Outcome outcome = summarize(
        "1: [ RUN      ] A.One\n1: [       OK ] A.One (0 ms)\n1: [ RUN      ] A.Two\n"
        "1/2 Test #1: a ........................***Exception: SegFault  0.01 sec\n"
        "2/2 Test #2: b ........................***Timeout 1500.02 sec\n");
    EXPECT_EQ(outcome.last, "1 passed, 2 failed, 0 skipped");
    EXPECT_FALSE(outcome.ok);
    EXPECT_NE(outcome.text.find("SegFault"), std::string::npos);
}

TEST(Summary, NothingAtAllIsAFailure) {
    Outcome outcome = summarize("No tests were found!!!\n");
    EXPECT_EQ(outcome.last, "0 passed, 1 failed, 0 skipped");
    EXPECT_FALSE(outcome.ok);
}

}  // namespace
}  // namespace fettle
