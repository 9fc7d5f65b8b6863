// SPDX-License-Identifier: GPL-3.0-or-later
// A child process on a socket pair: its stdin and stdout are our channel, its stderr goes to memory, from which the
// last line is read when it dies. It dies with the thread that spawned it (PDEATHSIG). No zombies, no leaked
// descriptors, no SIGPIPE.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/measure/channel.h"

namespace fettle::measure {

struct ExitReport {
    bool signalled = false;
    int code = 0;              // exit code, or the signal's number
    std::string lastWords;     // the last line of its stderr, at most 400 bytes
    std::string text() const;  // "SIGSEGV: write to ..." or "exit code 3"
};

const char* signalName(int number);  // "SIGSEGV"; "signal 99" is made by the caller

class Process {
public:
    // Errors: ErrorCode::MissingTarget when the program is not there.
    static Result<std::unique_ptr<Process>> spawn(const std::string& program,
                                                  const std::vector<std::string>& arguments);
    ~Process();  // kills and reaps
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    Channel& channel() { return channel_; }
    pid_t pid() const { return pid_; }
    int socket() const { return socket_; }
    ExitReport kill();                                     // SIGKILL, reaped
    ExitReport waitExit(std::chrono::milliseconds grace);  // after its end of the channel closed; kills when it stays

private:
    Process(pid_t pid, int socket, int errorFd)
        : pid_(pid), socket_(socket), errorFd_(errorFd), channel_(socket, socket) {}
    std::string readLastWords() const;
    bool reap(bool block);
    pid_t pid_;
    int socket_, errorFd_;
    bool reaped_ = false;
    int status_ = 0;
    Channel channel_;
};

// The folder of the running program.
std::string ownProgramDir();

}  // namespace fettle::measure
