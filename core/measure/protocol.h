// SPDX-License-Identifier: GPL-3.0-or-later
// What goes through the pipe to the builder and the runner: frames of a JSON text and binary blobs. All little-endian:
//
//   frame   = "FTL1" u32 crc32c(payload)  u64 payload bytes  payload
//   payload = u32 JSON bytes  JSON  u32 number of blobs  { u64 bytes  bytes }
//
// The other end is not trusted: lengths are checked before anything is allocated or read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace fettle::measure {

inline constexpr int kProtocolVersion = 1;
inline constexpr size_t kFrameHeaderBytes = 16;
inline constexpr uint64_t kMaxFrameBytes = uint64_t{4} << 30;

struct Message {
    std::string json;
    std::vector<std::vector<std::byte>> blobs;
};

// A message to be written; points at data that outlive the call.
struct MessageView {
    std::string json;
    std::vector<std::span<const std::byte>> blobs;
};
MessageView viewOf(const Message& message);

struct FrameHeader {
    uint32_t crc = 0;
    uint64_t payloadBytes = 0;
};

// The frame in pieces, in order: the small ones (header, lengths, JSON) are in `owned`; nothing large is copied.
struct EncodedFrame {
    std::vector<std::vector<std::byte>> owned;
    std::vector<std::span<const std::byte>> pieces;
};
EncodedFrame encodeFrame(const MessageView& message);

Result<FrameHeader> decodeHeader(std::span<const std::byte, kFrameHeaderBytes> header);
Result<Message> decodePayload(const FrameHeader& header, std::span<const std::byte> payload);

}  // namespace fettle::measure
