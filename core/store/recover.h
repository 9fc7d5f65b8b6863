// SPDX-License-Identifier: GPL-3.0-or-later
// Saves what can be read of a session file that SQLite refuses.
#pragma once

#include <filesystem>
#include <string>

#include "core/support/error.h"

namespace fettle::store {

// Moves `file` (and its -wal) aside to NAME-damaged[-N] and puts a new session file with every readable row in its
// place; the sentence says how many and where the old file is. Fails, leaving the file alone, when nothing of a
// session can be read from it.
Result<std::string> recover(const std::filesystem::path& file);

}  // namespace fettle::store
