// SPDX-License-Identifier: GPL-3.0-or-later
// Looking into a session without writing to it, also where nothing can be written.
#pragma once

#include <filesystem>
#include <optional>

#include "core/store/sqlite.h"

namespace fettle::store {

// A private copy of a session in the temporary folder; removed with its owner.
class Snapshot {
public:
    static Result<Snapshot> take(const std::filesystem::path& file);
    Snapshot(Snapshot&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    Snapshot& operator=(Snapshot&& other) noexcept {
        std::swap(folder_, other.folder_);
        return *this;
    }
    ~Snapshot();
    std::filesystem::path file() const { return folder_ / "session.fettle"; }

private:
    explicit Snapshot(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_;
};

struct Reader {
    std::optional<Snapshot> snapshot;  // outlives the connection
    Connection connection;
};

// Beside a writer when the folder lets SQLite share its index; a file in a read-only folder as it is; with a -wal that
// its writer could not fold in (killed, then made read-only), through a private copy.
Result<Reader> openReader(const std::filesystem::path& file);

}  // namespace fettle::store
