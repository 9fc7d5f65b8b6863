// SPDX-License-Identifier: GPL-3.0-or-later
// A helper program that answers one message with one message and is started again after it died. Not thread-safe:
// one user at a time.
#pragma once

#include <functional>
#include <future>
#include <thread>

#include "core/measure/process.h"

namespace fettle::measure {

// Starts processes from a thread that lives as long as it does: a child's PDEATHSIG follows the thread that forked it.
class SpawnThread {
public:
    SpawnThread();
    ~SpawnThread();
    Result<std::unique_ptr<Process>> spawn(const std::string& program, const std::vector<std::string>& arguments);

private:
    struct State;
    std::unique_ptr<State> state_;
    std::thread thread_;
};

struct CallFailure {
    ChannelEnd end = ChannelEnd::None;  // None: it could not be started; see `error`
    ExitReport exit;                    // Closed: how it ended
    Error error;                        // always set, in words
};

class Child {
public:
    Child(std::string program, std::vector<std::string> arguments, std::shared_ptr<SpawnThread> spawner);

    // Starts it when it is not running. After any failure it is dead, and the next call starts a new one.
    tl::expected<Message, CallFailure> call(const MessageView& message, std::chrono::milliseconds timeout,
                                            const CancelToken* cancel = nullptr);
    Status start();                                      // and checks the protocol's version
    uint64_t generation() const { return generation_; }  // grows with each start: what the last one knew is gone
    bool running() const { return process_ != nullptr; }
    void stop() { process_.reset(); }

private:
    CallFailure failed(ChannelEnd end, std::chrono::milliseconds timeout, std::string why);
    std::string program_;
    std::vector<std::string> arguments_;
    std::shared_ptr<SpawnThread> spawner_;
    std::unique_ptr<Process> process_;
    uint64_t generation_ = 0;
};

}  // namespace fettle::measure
