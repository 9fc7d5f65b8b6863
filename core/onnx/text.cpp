// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/text.h"

#include <cstdint>
#include <cstdio>

namespace fettle::onnx {

namespace {

// The length of the UTF-8 character at `at` (RFC 3629), or 0.
size_t characterLength(const std::string& text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
    const uint32_t lead = byte(at);
    if (lead < 0x80) return 1;
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    uint32_t code = lead & (0x7f >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    const bool tooShort = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    return tooShort || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

}  // namespace

bool validUtf8(const std::string& text) {
    for (size_t at = 0; at < text.size();) {
        const size_t length = characterLength(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

std::string shown(const std::string& text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        if (result.size() > 200) return result + "...";
        const size_t length = characterLength(text, at);
        const uint8_t byte = static_cast<uint8_t>(text[at]);
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", byte);
            result += hex;
            ++at;
        } else {
            result += text.substr(at, length);
            at += length;
        }
    }
    return result;
}

}  // namespace fettle::onnx
