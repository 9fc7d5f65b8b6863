// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/end-to-end/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace fettle::test {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
}

// Reads once from a pipe that poll() found ready; closes it at its end.
void readSome(int& pipe, std::string& into) {
    char buffer[1 << 16];
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got > 0) into.append(buffer, static_cast<size_t>(got));
    if (got > 0 || (got < 0 && errno == EINTR)) return;
    close(pipe);
    pipe = -1;
}

}  // namespace

Program::Program(const std::vector<std::string>& command, const HowToRun& how) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
        ADD_FAILURE() << "no pipe: " << strerror(errno);
        return;
    }
    // Everything that allocates comes before the fork: other threads may hold the allocator's lock.
    std::vector<char*> arguments, environment;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<std::string> own;
    for (const auto& [name, value] : how.environment) own.push_back(name + "=" + value);
    for (char** entry = environ; *entry; ++entry) {
        const bool replaced = std::any_of(how.environment.begin(), how.environment.end(), [&](const auto& e) {
            return std::string(*entry).rfind(e.first + "=", 0) == 0;
        });
        if (!replaced) environment.push_back(*entry);
    }
    for (std::string& entry : own) environment.push_back(entry.data());
    environment.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        if (how.asNobody && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(126);
        execvpe(arguments[0], arguments.data(), environment.data());
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
}

Program::~Program() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        finish();
    }
}

bool Program::pump(double seconds) {
    pollfd ends[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};  // negative ones are ignored
    if (out_ < 0 && err_ < 0) return false;
    const int ready = poll(ends, 2, static_cast<int>(std::max(0.0, seconds) * 1000) + 1);
    if (ready == 0) return false;
    if (ends[0].revents) readSome(out_, result_.out);
    if (ends[1].revents) readSome(err_, result_.err);
    return true;
}

bool Program::waitForError(const std::string& text, double seconds) {
    const auto from = Clock::now();
    while (result_.err.find(text) == std::string::npos)
        if (!pump(seconds - secondsSince(from))) return false;
    return true;
}

void Program::signal(int number) {
    kill(pid_, number);
}

Finished Program::finish(double seconds) {
    const auto from = Clock::now();
    while (secondsSince(from) < seconds && pump(seconds - secondsSince(from))) continue;
    if (secondsSince(from) >= seconds) kill(pid_, SIGKILL);
    int status = 0;
    if (pid_ > 0) waitpid(pid_, &status, 0);
    pid_ = -1;
    for (int* end : {&out_, &err_})
        if (*end >= 0) close(std::exchange(*end, -1));
    result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result_;
}

Finished run(const std::vector<std::string>& command, const HowToRun& how) {
    return Program(command, how).finish();
}

std::vector<float> lastFloats(const fs::path& file, size_t count) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    std::vector<float> values;
    if (bytes.size() < count * sizeof(float)) return values;
    values.resize(count);
    std::memcpy(values.data(), bytes.data() + bytes.size() - count * sizeof(float), count * sizeof(float));
    return values;
}

size_t argmax(const std::vector<float>& values) {
    return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

double maxAbsDifference(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size() || a.empty()) return std::numeric_limits<double>::infinity();
    double most = 0;
    for (size_t k = 0; k < a.size(); ++k) {
        const double difference = std::abs(double(a[k]) - double(b[k]));
        if (!(difference <= most)) most = difference;  // a NaN stays
    }
    return most;
}

std::vector<float> runExample(const fs::path& folder, const fs::path& scratch) {
    const std::string program = scratch / "example", prefix = scratch / "out";
    const Finished compiled = run({"cc", "-std=c99", folder / "example.c", "-ldl", "-o", program});
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    const std::vector<float> image = lastFloats(sampleFolder() / "test_data_set_0/input_0.pb", 32 * 32);
    std::ofstream(scratch / "in0.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size() * sizeof(float)));
    const Finished ran = run({program, "-m", folder / "model.so", "-n", "3", "-o", prefix, scratch / "in0.bin"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return lastFloats(prefix + "0.bin", 10);
}

fs::path sampleFolder() {
    return fs::path(FETTLE_SOURCE_DIR) / "resources/sample/digits_mobilenet";
}

}  // namespace fettle::test
