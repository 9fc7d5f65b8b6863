// SPDX-License-Identifier: GPL-3.0-or-later
// Where a session's file goes.
#pragma once

#include <filesystem>
#include <string>

namespace fettle::session {

bool canWriteIn(const std::filesystem::path& folder);

// The user's data folder for sessions whose model lies in a read-only folder: $XDG_DATA_HOME/fettle/sessions, else
// ~/.local/share/fettle/sessions (XDG Base Directory Specification 0.8).
std::filesystem::path dataFolder();

// models/digits.onnx -> models/digits.fettle; in a read-only folder DATA/digits-<8 digits of the sha256>.fettle.
std::filesystem::path sessionPathFor(const std::filesystem::path& model, const std::string& sha256);

// digits.fettle, digits-2.fettle, digits-3.fettle ...: the first that does not exist.
std::filesystem::path freePath(const std::filesystem::path& wanted);

}  // namespace fettle::session
