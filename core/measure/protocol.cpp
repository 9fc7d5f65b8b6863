// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/protocol.h"

#include <cstring>

#include "core/support/hash.h"

namespace fettle::measure {

namespace {

constexpr uint32_t kMagic = 0x314c5446;  // "FTL1"

template <class T>
void append(std::vector<std::byte>& out, T value) {
    for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

template <class T>
T load(std::span<const std::byte> bytes) {
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * i));
    return value;
}

auto broken(std::string why) {
    return fail(ErrorCode::Failed, "cannot read a message of the measuring process", "", std::move(why));
}

// Takes bytes from the front of a payload.
class Cursor {
public:
    explicit Cursor(std::span<const std::byte> rest) : rest_(rest) {}
    bool take(uint64_t bytes, std::span<const std::byte>& out) {
        if (bytes > rest_.size()) return false;
        out = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return true;
    }
    template <class T>
    bool number(T& out) {
        std::span<const std::byte> bytes;
        if (!take(sizeof(T), bytes)) return false;
        out = load<T>(bytes);
        return true;
    }
    size_t left() const { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
};

}  // namespace

MessageView viewOf(const Message& message) {
    MessageView view{message.json, {}};
    for (const auto& blob : message.blobs) view.blobs.emplace_back(blob);
    return view;
}

EncodedFrame encodeFrame(const MessageView& message) {
    EncodedFrame frame;
    frame.owned.resize(2 + message.blobs.size());  // never grows: pieces point into it
    std::vector<std::byte>& start = frame.owned[1];
    append(start, static_cast<uint32_t>(message.json.size()));
    const auto* text = reinterpret_cast<const std::byte*>(message.json.data());
    start.insert(start.end(), text, text + message.json.size());
    append(start, static_cast<uint32_t>(message.blobs.size()));

    frame.pieces.emplace_back();  // the header, once the sum is known
    frame.pieces.emplace_back(start);
    for (size_t i = 0; i < message.blobs.size(); ++i) {
        append(frame.owned[2 + i], static_cast<uint64_t>(message.blobs[i].size()));
        frame.pieces.emplace_back(frame.owned[2 + i]);
        frame.pieces.push_back(message.blobs[i]);
    }
    uint32_t crc = 0;
    uint64_t bytes = 0;
    for (const auto& piece : frame.pieces) {
        if (!piece.empty()) crc = crc32c(piece, crc);
        bytes += piece.size();
    }
    append(frame.owned[0], kMagic);
    append(frame.owned[0], crc);
    append(frame.owned[0], bytes);
    frame.pieces[0] = frame.owned[0];
    return frame;
}

Result<FrameHeader> decodeHeader(std::span<const std::byte, kFrameHeaderBytes> header) {
    if (load<uint32_t>(header.subspan<0, 4>()) != kMagic) return broken("it does not begin with the mark FTL1");
    FrameHeader result{load<uint32_t>(header.subspan<4, 4>()), load<uint64_t>(header.subspan<8, 8>())};
    if (result.payloadBytes > kMaxFrameBytes)
        return broken("it claims " + std::to_string(result.payloadBytes) + " bytes, more than a frame may have");
    return result;
}

Result<Message> decodePayload(const FrameHeader& header, std::span<const std::byte> payload) {
    if (payload.size() != header.payloadBytes) return broken("it was cut short");
    if (crc32c(payload) != header.crc) return broken("its checksum does not match");
    Cursor cursor(payload);
    uint32_t jsonBytes = 0, blobs = 0;
    std::span<const std::byte> json;
    if (!cursor.number(jsonBytes) || !cursor.take(jsonBytes, json)) return broken("its text runs past its end");
    if (!cursor.number(blobs) || blobs > cursor.left() / sizeof(uint64_t)) return broken("its blobs run past its end");
    Message message;
    message.json.assign(reinterpret_cast<const char*>(json.data()), json.size());
    for (uint32_t i = 0; i < blobs; ++i) {
        uint64_t bytes = 0;
        std::span<const std::byte> blob;
        if (!cursor.number(bytes) || !cursor.take(bytes, blob)) return broken("a blob runs past its end");
        message.blobs.emplace_back(blob.begin(), blob.end());
    }
    if (cursor.left() != 0) return broken("bytes are left over after its last blob");
    return message;
}

}  // namespace fettle::measure
