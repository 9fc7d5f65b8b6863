// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/schema.h"

namespace fettle::store {
namespace {

// Times are nanoseconds in _ns, milliseconds in _ms, Unix seconds in unix_seconds. `crc` is RowCrc over the columns
// before it, in order.
constexpr const char* kVersion1 = R"(
CREATE TABLE info(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks(id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL,
    weight INTEGER NOT NULL, flops REAL NOT NULL, bytes REAL NOT NULL, structural_hash INTEGER NOT NULL,
    default_trace TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE trials(id INTEGER PRIMARY KEY, task INTEGER NOT NULL, round INTEGER NOT NULL, trace TEXT NOT NULL,
    origin TEXT NOT NULL, predicted_ns REAL NOT NULL, model_version INTEGER NOT NULL, status INTEGER NOT NULL,
    samples_ns BLOB NOT NULL, min_ns INTEGER NOT NULL, median_ns INTEGER NOT NULL, max_rel_error REAL NOT NULL,
    error TEXT NOT NULL, unix_seconds REAL NOT NULL, compile_ms REAL NOT NULL, run_ms REAL NOT NULL,
    crc INTEGER NOT NULL);
CREATE INDEX trials_of_task ON trials(task, id);
CREATE TABLE cost_models(version INTEGER PRIMARY KEY, trained_on INTEGER NOT NULL, held_out INTEGER NOT NULL,
    spearman REAL NOT NULL, top_k REAL NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE profiles(id INTEGER PRIMARY KEY, label TEXT NOT NULL, unix_seconds REAL NOT NULL, json TEXT NOT NULL,
    crc INTEGER NOT NULL);
CREATE TABLE state(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
)";

constexpr const char* kMigrations[] = {kVersion1};

}  // namespace

std::span<const char* const> migrations() {
    return kMigrations;
}

Status checkVersion(const Connection& connection, std::span<const char* const> steps, bool readOnly) {
    const std::string file = connection.file().string();
    FETTLE_TRY(const int64_t application, connection.number("PRAGMA application_id", "read the session"));
    FETTLE_TRY(const int64_t version, connection.number("PRAGMA user_version", "read the session"));
    FETTLE_TRY(const int64_t pages, connection.number("PRAGMA page_count", "read the session"));
    const bool isNew = pages == 0 || (application == 0 && version == 0 && pages <= 1);
    if (application != kApplicationId && (!isNew || readOnly))
        return fail(ErrorCode::BadModel, "cannot open the session", file, "the file is not a Fettle session",
                    "Choose a .fettle file.");
    const auto newest = static_cast<int64_t>(steps.size());
    if (version > newest)
        return fail(ErrorCode::Failed, "cannot open the session", file,
                    "a newer Fettle made it (format " + std::to_string(version) + ", this one reads up to " +
                        std::to_string(newest) + ")",
                    "Update Fettle.");
    if (readOnly && version < newest)
        return fail(ErrorCode::Failed, "cannot look into the session", file,
                    "an older Fettle made it (format " + std::to_string(version) + ")",
                    "Open it once for writing; it is then brought up to date, with a copy kept.");
    return {};
}

Status migrate(const Connection& connection, std::span<const char* const> steps) {
    FETTLE_CHECK(checkVersion(connection, steps, false));
    FETTLE_TRY(const int64_t version, connection.number("PRAGMA user_version", "read the session"));
    if (version == static_cast<int64_t>(steps.size())) return {};
    if (version > 0) {
        std::filesystem::path copy = connection.file();
        copy += "-v" + std::to_string(version) + ".backup";
        FETTLE_CHECK(copyDatabase(connection, copy));
    }
    FETTLE_TRY(Transaction transaction, Transaction::begin(connection, "bring the session up to date"));
    for (size_t k = static_cast<size_t>(version); k < steps.size(); ++k)
        FETTLE_CHECK(connection.run(steps[k], "bring the session up to date"));
    FETTLE_CHECK(connection.run("PRAGMA application_id=" + std::to_string(kApplicationId) +
                                    ";PRAGMA user_version=" + std::to_string(steps.size()),
                                "bring the session up to date"));
    return transaction.commit();
}

}  // namespace fettle::store
