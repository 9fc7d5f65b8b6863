// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace fettle::measure {

namespace {

constexpr int kPollMs = 20;
constexpr size_t kGrowBytes = size_t{16} << 20;  // a claimed length is believed this much at a time

// How long one poll may last; 0 when the deadline has passed.
int pollMs(const Channel::Wait& wait) {
    if (!wait.deadline) return wait.cancel ? kPollMs : -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*wait.deadline - Clock::now()).count();
    if (left <= 0) return 0;
    return static_cast<int>(wait.cancel ? std::min<long>(left, kPollMs) : std::min<long>(left, 1 << 30));
}

ssize_t sendSome(int fd, std::span<const std::byte> bytes) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 && errno == ENOTSOCK ? ::write(fd, bytes.data(), bytes.size()) : sent;
}

}  // namespace

ChannelEnd Channel::ready(int fd, short events, const Wait& wait) const {
    for (;;) {
        if (wait.cancel && wait.cancel->cancelled()) return ChannelEnd::Cancelled;
        pollfd poll{fd, events, 0};
        const int ms = pollMs(wait);
        const int count = ::poll(&poll, 1, ms);
        if (count > 0) return ChannelEnd::None;  // a hang-up shows in the read or write that follows
        if (count < 0 && errno != EINTR) return ChannelEnd::Closed;
        if (wait.deadline && Clock::now() >= *wait.deadline) return ChannelEnd::Timeout;
    }
}

ChannelEnd Channel::write(const MessageView& message, const Wait& wait, std::string*) {
    const EncodedFrame frame = encodeFrame(message);
    for (std::span<const std::byte> piece : frame.pieces) {
        while (!piece.empty()) {
            if (const ChannelEnd end = ready(writeFd_, POLLOUT, wait); end != ChannelEnd::None) return end;
            const ssize_t sent = sendSome(writeFd_, piece);
            if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (sent <= 0) return ChannelEnd::Closed;
            piece = piece.subspan(static_cast<size_t>(sent));
        }
    }
    return ChannelEnd::None;
}

ChannelEnd Channel::readExactly(std::span<std::byte> into, const Wait& wait) {
    while (!into.empty()) {
        if (const ChannelEnd end = ready(readFd_, POLLIN, wait); end != ChannelEnd::None) return end;
        const ssize_t got = ::read(readFd_, into.data(), into.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return ChannelEnd::Closed;
        into = into.subspan(static_cast<size_t>(got));
    }
    return ChannelEnd::None;
}

ChannelEnd Channel::read(Message& message, const Wait& wait, std::string* why) {
    const auto broken = [&](const Error& error) {
        if (why) *why = error.why;
        return ChannelEnd::Broken;
    };
    std::array<std::byte, kFrameHeaderBytes> header{};
    if (const ChannelEnd end = readExactly(header, wait); end != ChannelEnd::None) return end;
    const auto decoded = decodeHeader(header);
    if (!decoded) return broken(decoded.error());
    std::vector<std::byte> payload;
    while (payload.size() < decoded->payloadBytes) {
        const size_t have = payload.size();
        payload.resize(std::min<uint64_t>(decoded->payloadBytes, have + std::max(have, kGrowBytes)));
        const ChannelEnd end = readExactly(std::span(payload).subspan(have), wait);
        if (end != ChannelEnd::None) return end;
    }
    auto parsed = decodePayload(*decoded, payload);
    if (!parsed) return broken(parsed.error());
    message = std::move(*parsed);
    return ChannelEnd::None;
}

}  // namespace fettle::measure
