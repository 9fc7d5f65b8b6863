// SPDX-License-Identifier: GPL-3.0-or-later
// Reading files that are not trusted.
#pragma once

#include <filesystem>
#include <string>

#include "core/support/error.h"

namespace fettle::onnx {

inline constexpr int64_t kMaxModelBytes = (int64_t{1} << 31) - 1;  // what protobuf can hold

// The bytes of a regular file. Never waits on a pipe or a device.
Result<std::string> readFile(const std::filesystem::path& file, int64_t limit);

// Part of a file inside `folder` that a model names; length -1: up to the end. Refuses whatever leads out of the
// folder, links, and everything that is not a regular file with one name.
Result<std::string> readExternal(const std::filesystem::path& folder, const std::string& location, int64_t offset,
                                 int64_t length, int64_t limit);

}  // namespace fettle::onnx
