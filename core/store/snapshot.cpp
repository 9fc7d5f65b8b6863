// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/snapshot.h"

#include <cstdlib>

namespace fettle::store {

namespace fs = std::filesystem;

Result<Snapshot> Snapshot::take(const fs::path& file) {
    std::error_code code;
    std::string pattern = (fs::temp_directory_path(code) / "fettle-look-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
        return fail(ErrorCode::Failed, "cannot look into the session", file.string(),
                    "no temporary folder can be made for it");
    Snapshot snapshot{fs::path(pattern)};
    fs::copy_file(file, snapshot.file(), code);
    const fs::path log = fs::path(file) += "-wal";
    if (!code && fs::exists(log)) fs::copy_file(log, fs::path(snapshot.file()) += "-wal", code);
    if (code) return fail(ErrorCode::Failed, "cannot look into the session", file.string(), code.message());
    fs::permissions(snapshot.file(), fs::perms::owner_read | fs::perms::owner_write, code);
    return snapshot;
}

Snapshot::~Snapshot() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

namespace {

Result<Connection> openAndRead(const fs::path& file, Connection::Mode mode) {
    FETTLE_TRY(Connection connection, Connection::open(file, mode));
    FETTLE_CHECK(connection.number("SELECT count(*) FROM sqlite_master", "open the session"));
    return connection;
}

}  // namespace

Result<Reader> openReader(const fs::path& file) {
    // Able to write, though it never does: then SQLite removes its -wal and -shm when the last one leaves.
    auto connection = openAndRead(file, Connection::Mode::ReadWrite);
    if (connection && connection->run("PRAGMA query_only=1", "open the session"))
        return Reader{{}, std::move(*connection)};
    const Error first = connection ? Error{} : connection.error();
    if (first.code == ErrorCode::BadModel || first.why == "the file is damaged") return tl::unexpected(first);
    std::error_code code;
    const fs::path log = fs::path(file) += "-wal";
    if (fs::exists(log, code) && fs::file_size(log, code) > 0) {
        FETTLE_TRY(Snapshot snapshot, Snapshot::take(file));
        FETTLE_TRY(Connection copied, openAndRead(snapshot.file(), Connection::Mode::ReadWrite));
        return Reader{std::move(snapshot), std::move(copied)};
    }
    FETTLE_TRY(Connection still, openAndRead(file, Connection::Mode::Immutable));
    return Reader{{}, std::move(still)};
}

}  // namespace fettle::store
