// SPDX-License-Identifier: GPL-3.0-or-later
// Messages over a pair of file descriptors, with a deadline. Never raises SIGPIPE on sockets.
#pragma once

#include <chrono>
#include <optional>

#include "core/measure/protocol.h"
#include "core/support/cancel.h"

namespace fettle::measure {

using Clock = std::chrono::steady_clock;

// Why no message came.
enum class ChannelEnd { None, Closed, Timeout, Cancelled, Broken };

class Channel {
public:
    Channel() = default;
    Channel(int readFd, int writeFd) : readFd_(readFd), writeFd_(writeFd) {}  // not owned

    struct Wait {
        std::optional<Clock::time_point> deadline;  // none: for ever
        const CancelToken* cancel = nullptr;        // polled every 20 ms
    };
    // Both return None when done. `why` is set for Broken.
    ChannelEnd write(const MessageView& message, const Wait& wait, std::string* why = nullptr);
    ChannelEnd read(Message& message, const Wait& wait, std::string* why = nullptr);

private:
    ChannelEnd ready(int fd, short events, const Wait& wait) const;
    ChannelEnd readExactly(std::span<std::byte> into, const Wait& wait);
    int readFd_ = -1, writeFd_ = -1;
};

}  // namespace fettle::measure
