// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

namespace fettle::measure {

const char* signalName(int number) {
    switch (number) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGBUS:
            return "SIGBUS";
        case SIGILL:
            return "SIGILL";
        case SIGFPE:
            return "SIGFPE";
        case SIGABRT:
            return "SIGABRT";
        case SIGKILL:
            return "SIGKILL";
        case SIGTERM:
            return "SIGTERM";
        case SIGTRAP:
            return "SIGTRAP";
        case SIGSYS:
            return "SIGSYS";
        case SIGXCPU:
            return "SIGXCPU";
        case SIGXFSZ:
            return "SIGXFSZ";
        case SIGALRM:
            return "SIGALRM";
        case SIGPIPE:
            return "SIGPIPE";
        default:
            return "";
    }
}

std::string ExitReport::text() const {
    std::string result;
    if (!signalled) {
        result = "exit code " + std::to_string(code);
    } else {
        result = signalName(code);
        if (result.empty()) result = "signal " + std::to_string(code);
    }
    if (!lastWords.empty()) result += ": " + lastWords;
    return result;
}

namespace {

// Between fork and exec: only calls that are safe there.
[[noreturn]] void becomeChild(const char* program, char* const* arguments, int socket, int errorFd, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);  // Ctrl-C in a terminal is the parent's to handle: else the trial in flight would fail
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    dup2(socket, 0);
    dup2(socket, 1);
    dup2(errorFd, 2);
    execv(program, arguments);
    _exit(127);
}

}  // namespace

Result<std::unique_ptr<Process>> Process::spawn(const std::string& program, const std::vector<std::string>& arguments) {
    if (::access(program.c_str(), X_OK) != 0) {
        return fail(ErrorCode::MissingTarget, "cannot start " + std::filesystem::path(program).filename().string(),
                    program, std::strerror(errno),
                    "Install Fettle's programs in one folder, or build them with `make build`.");
    }
    const auto refused = [&](const char* what) {
        return fail(ErrorCode::Failed, "cannot start " + program, what, std::strerror(errno));
    };
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return refused("socketpair");
    const int errorFd = ::memfd_create("fettle-stderr", MFD_CLOEXEC);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) becomeChild(program.c_str(), argv.data(), sockets[1], errorFd, parent);
    ::close(sockets[1]);
    if (pid < 0) {
        ::close(sockets[0]);
        if (errorFd >= 0) ::close(errorFd);
        return refused("fork");
    }
    return std::unique_ptr<Process>(new Process(pid, sockets[0], errorFd));
}

Process::~Process() {
    kill();
    ::close(socket_);
    if (errorFd_ >= 0) ::close(errorFd_);
}

bool Process::reap(bool block) {
    while (!reaped_) {
        const pid_t got = ::waitpid(pid_, &status_, block ? 0 : WNOHANG);
        if (got == pid_ || (got < 0 && errno != EINTR)) reaped_ = true;
        if (got == 0) return false;
    }
    return true;
}

ExitReport Process::kill() {
    if (!reaped_) ::kill(pid_, SIGKILL);
    return waitExit(std::chrono::hours(1));
}

ExitReport Process::waitExit(std::chrono::milliseconds grace) {
    const auto end = Clock::now() + grace;
    while (!reap(false)) {
        if (Clock::now() >= end) {
            ::kill(pid_, SIGKILL);
            reap(true);
            break;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    ExitReport report;
    report.signalled = WIFSIGNALED(status_);
    report.code = report.signalled ? WTERMSIG(status_) : WEXITSTATUS(status_);
    report.lastWords = readLastWords();
    return report;
}

std::string Process::readLastWords() const {
    struct stat status {};
    const off_t size = errorFd_ >= 0 && ::fstat(errorFd_, &status) == 0 ? status.st_size : 0;
    std::array<char, 400> tail{};
    const off_t from = size > static_cast<off_t>(tail.size()) ? size - static_cast<off_t>(tail.size()) : 0;
    const ssize_t got = size > 0 ? ::pread(errorFd_, tail.data(), tail.size(), from) : 0;
    std::string text(tail.data(), got > 0 ? static_cast<size_t>(got) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (const size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return text;
}

std::string ownProgramDir() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

}  // namespace fettle::measure
