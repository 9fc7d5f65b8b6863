// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/wire.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fettle::onnx {

namespace {

// The fields of each message that hold messages (onnx.proto): enough to follow the nesting.
enum class Message : uint8_t { Model, Graph, Node, Attribute, Function, Leaf };

Message fieldMessage(Message parent, uint64_t field) {
    switch (parent) {
        case Message::Model:
            return field == 7 ? Message::Graph : field == 25 ? Message::Function : Message::Leaf;
        case Message::Graph:
            return field == 1 ? Message::Node : Message::Leaf;
        case Message::Function:
            return field == 7 ? Message::Node : Message::Leaf;
        case Message::Node:
            return field == 5 ? Message::Attribute : Message::Leaf;
        case Message::Attribute:
            return field == 6 || field == 11 ? Message::Graph : Message::Leaf;
        case Message::Leaf:
            break;
    }
    return Message::Leaf;
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::optional<uint64_t> varint() {
        uint64_t value = 0;
        for (int shift = 0; shift < 70 && at < bytes_.size(); shift += 7) {
            const uint8_t byte = static_cast<uint8_t>(bytes_[at++]);
            if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }
    size_t at = 0;

private:
    std::string_view bytes_;
};

struct Open {
    Message message;
    size_t end;
};

std::string truncated(uint64_t claimed, size_t left, size_t at) {
    return "the file is truncated: at byte " + std::to_string(at) + " it claims more bytes than the file has (" +
           std::to_string(claimed) + " claimed, " + std::to_string(left) + " left)";
}

constexpr const char* kNotOnnx = "it is not an ONNX model: its bytes are no protobuf message";

}  // namespace

std::string whyNotModel(std::string_view bytes) {
    if (bytes.empty()) return "it is not an ONNX model (empty file)";
    Reader reader(bytes);
    std::vector<Open> open = {{Message::Model, bytes.size()}};
    size_t fields = 0;
    while (!open.empty()) {
        if (reader.at >= open.back().end) {
            open.pop_back();
            continue;
        }
        const auto tag = reader.varint();
        if (!tag || *tag >> 3 == 0 || *tag >> 3 > (1u << 29) || (*tag & 7) == 6 || (*tag & 7) == 7 || (*tag & 7) == 3 ||
            (*tag & 7) == 4)
            return kNotOnnx;
        const uint64_t kind = *tag & 7;
        // a model's own fields (onnx.proto): anything else at the top is another kind of file
        if (open.size() == 1 && *tag >> 3 > 40) return kNotOnnx;
        ++fields;
        const auto length = kind == 1   ? std::optional<uint64_t>(8)
                            : kind == 5 ? std::optional<uint64_t>(4)
                                        : reader.varint();
        if (!length) return "the file is truncated after " + std::to_string(bytes.size()) + " bytes";
        if (kind == 0) continue;
        if (*length > bytes.size() - reader.at)
            return fields < 2 ? std::string(kNotOnnx) : truncated(*length, bytes.size() - reader.at, reader.at);
        if (*length > open.back().end - reader.at) return kNotOnnx;
        const Message inner = kind == 2 ? fieldMessage(open.back().message, *tag >> 3) : Message::Leaf;
        if (inner == Message::Leaf) {
            reader.at += *length;
            continue;
        }
        if (open.size() > kMaxNesting)
            return "it is nested too deeply: more than " + std::to_string(kMaxNesting) + " messages within each other";
        open.push_back({inner, reader.at + *length});
    }
    return kNotOnnx;
}

}  // namespace fettle::onnx
