// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "core/measure/child.h"

namespace fettle::measure {
namespace {

std::unique_ptr<Process> shell(const std::string& script) {
    auto process = Process::spawn("/bin/sh", {"-c", script});
    EXPECT_TRUE(process) << process.error().message();
    return std::move(*process);
}

size_t openDescriptors() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(Process, ReportsHowItEnded) {
    const std::chrono::seconds grace(10);
    EXPECT_EQ(shell("exit 7")->waitExit(grace).text(), "exit code 7");
    EXPECT_EQ(shell("kill -SEGV $$")->waitExit(grace).text(), "SIGSEGV");
    EXPECT_EQ(shell("echo one >&2; echo two words >&2; kill -ABRT $$")->waitExit(grace).text(), "SIGABRT: two words");
    EXPECT_EQ(shell("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1")->waitExit(grace).lastWords.size(), 400u);
}

TEST(Process, KillsWhatStays) {
    const auto process = shell("exec sleep 100");
    EXPECT_EQ(process->waitExit(std::chrono::milliseconds(50)).text(), "SIGKILL");
    const auto other = shell("exec sleep 100");
    EXPECT_EQ(other->kill().text(), "SIGKILL");
    EXPECT_EQ(other->kill().text(), "SIGKILL");  // and again: no harm
}

TEST(Process, LeavesNoZombieAndNoDescriptor) {
    const size_t before = openDescriptors();
    for (int i = 0; i < 20; ++i) shell(i % 2 ? "exec sleep 100" : "exit 0");
    EXPECT_EQ(openDescriptors(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(Process, ChildrenInheritOnlyTheirPipe) {
    const auto first = shell("exec sleep 100");
    const std::string socket =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(first->socket())).string();
    const auto third = shell("ls -l /proc/self/fd | grep -cF '" + socket + "' >&2");
    EXPECT_EQ(third->waitExit(std::chrono::seconds(10)).lastWords, "0");
}

TEST(Process, DiesWithTheThreadThatMadeIt) {
    pid_t pid = 0;
    std::unique_ptr<Process> process;
    std::thread([&] {
        process = shell("exec sleep 100");
        pid = process->pid();
    }).join();
    EXPECT_EQ(process->waitExit(std::chrono::seconds(5)).text(), "SIGKILL");
}

TEST(Child, ThatDoesNotSpeakTheProtocolIsAnErrorWithItsWords) {
    Child child("/bin/sh", {"-c", "echo no such option >&2; exit 2"}, std::make_shared<SpawnThread>());
    const auto started = child.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().why, "it ended with exit code 2: no such option");
    EXPECT_FALSE(child.running());
}

}  // namespace
}  // namespace fettle::measure
