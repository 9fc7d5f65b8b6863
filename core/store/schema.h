// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a session file and their history. A new version is a new row at the end of migrations().
#pragma once

#include <span>

#include "core/store/sqlite.h"

namespace fettle::store {

inline constexpr int64_t kApplicationId = 0x46544c45;  // "FTLE", PRAGMA application_id
inline constexpr int kPageSize = 4096;

// user_version k+1 is reached by running migrations()[k] on a file of version k.
std::span<const char* const> migrations();

// Brings an open database to the newest version: a copy of the old file first (NAME-vN.backup beside it, unless it is
// new), then all steps in one transaction. A file of a newer Fettle or of another program is an error.
Status migrate(const Connection& connection, std::span<const char* const> steps);
// What migrate() would refuse; for files opened read-only also an older version is refused.
Status checkVersion(const Connection& connection, std::span<const char* const> steps, bool readOnly);

}  // namespace fettle::store
