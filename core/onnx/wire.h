// SPDX-License-Identifier: GPL-3.0-or-later
// Protobuf says only "does not parse". This reads the wire format again to say why.
#pragma once

#include <string>
#include <string_view>

namespace fettle::onnx {

inline constexpr int kMaxNesting = 100;  // protobuf's own limit

// Why the bytes are no ModelProto, in words.
std::string whyNotModel(std::string_view bytes);

}  // namespace fettle::onnx
