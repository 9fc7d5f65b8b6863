// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/session_file.h"

#include <chrono>
#include <fstream>
#include <mutex>

#include "core/store/recover.h"
#include "core/store/rows.h"
#include "core/store/schema.h"
#include "core/store/snapshot.h"
#include "core/store/writer_lock.h"
#include "core/support/log.h"

namespace fettle::store {
namespace {

constexpr auto kLockPatience = std::chrono::milliseconds(1000);

// Write-ahead log: readers never wait for the writer. NORMAL: a killed process loses nothing that was committed.
constexpr const char* kWriterPragmas =
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA wal_autocheckpoint=1000;PRAGMA foreign_keys=OFF";

}  // namespace

struct SessionFile::Impl {
    Impl(std::filesystem::path path, Connection opened) : file(std::move(path)), connection(std::move(opened)) {}

    std::optional<Snapshot> snapshot;  // removed last
    std::filesystem::path file;
    std::optional<WriterLock> lock;  // given up after the connection is closed
    Connection connection;
    std::string notice;
    mutable std::mutex mutex;
    mutable int64_t damaged = 0;

    // Calls take(statement) for every row; rows with a wrong checksum are left out and counted.
    template <class Row, class Take>
    Result<std::vector<Row>> rows(Statement statement, Take take) const {
        std::vector<Row> out;
        for (;;) {
            FETTLE_TRY(const bool more, statement.next());
            if (!more) return out;
            Row row = take(statement);
            if (statement.intact()) {
                out.push_back(std::move(row));
            } else if (damaged++ == 0) {
                log::warning("store", "a damaged row was left out (" + file.string() + ")");
            }
        }
    }

    Status putPair(const char* table, std::string_view key, std::string_view value, std::string_view doing) {
        FETTLE_TRY(
            Statement statement,
            Statement::prepare(connection, std::string("INSERT OR REPLACE INTO ") + table + " VALUES(?,?,?)", doing));
        statement.put(key);
        statement.put(value);
        return statement.finish();
    }
};

SessionFile::SessionFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SessionFile::~SessionFile() = default;

const std::filesystem::path& SessionFile::path() const {
    return impl_->file;
}

std::string SessionFile::notice() const {
    return impl_->notice;
}

int64_t SessionFile::damagedRows() const {
    std::lock_guard guard(impl_->mutex);
    return impl_->damaged;
}

Result<std::unique_ptr<SessionFile>> SessionFile::create(const std::filesystem::path& file, const SessionInfo& info) {
    FETTLE_TRY(WriterLock lock, WriterLock::take(file, kLockPatience));
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return fail(ErrorCode::Failed, "cannot make a session", file.string(), "a file of that name exists",
                    "Resume that session, or choose another name.");
    FETTLE_TRY(Connection connection, Connection::open(file, Connection::Mode::Create));
    auto impl = std::make_unique<Impl>(file, std::move(connection));
    impl->lock.emplace(std::move(lock));
    const Status made = [&]() -> Status {
        FETTLE_CHECK(impl->connection.run("PRAGMA page_size=" + std::to_string(kPageSize), "make a session"));
        FETTLE_CHECK(impl->connection.run(kWriterPragmas, "make a session"));
        FETTLE_CHECK(migrate(impl->connection, migrations()));
        FETTLE_TRY(Transaction transaction, Transaction::begin(impl->connection, "make a session"));
        for (const auto& [key, value] : infoPairs(info))
            FETTLE_CHECK(impl->putPair("info", key, value, "make a session"));
        return transaction.commit();
    }();
    if (made) return std::unique_ptr<SessionFile>(new SessionFile(std::move(impl)));
    impl.reset();
    for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(std::filesystem::path(file) += suffix, ignored);
    return tl::unexpected(made.error());
}

namespace {

// Opens and reads a little of every table, so that damage shows now and not in the middle of tuning.
Result<Connection> openWriter(const std::filesystem::path& file) {
    FETTLE_TRY(Connection connection, Connection::open(file, Connection::Mode::ReadWrite));
    if (sqlite3_db_readonly(connection.handle(), "main") == 1)
        return tl::unexpected(connection.error("write to the session", SQLITE_READONLY));
    FETTLE_CHECK(checkVersion(connection, migrations(), false));
    FETTLE_CHECK(connection.run(kWriterPragmas, "open the session"));
    FETTLE_CHECK(migrate(connection, migrations()));
    for (const char* table : {"info", "tasks", "trials", "cost_models", "profiles", "state"})
        FETTLE_CHECK(connection.number(std::string("SELECT count(*) FROM ") + table, "open the session"));
    return connection;
}

// SQLite says that a table is broken, or does not know the file although it may once have been a session.
bool looksDamaged(const Error& error, const std::filesystem::path& file) {
    char magic[16] = {};
    std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
    const bool isDatabase = std::string_view(magic, sizeof magic) == std::string_view("SQLite format 3", 16);
    return error.why == "the file is damaged" || (error.code == ErrorCode::BadModel && !isDatabase);
}

}  // namespace

Result<std::unique_ptr<SessionFile>> SessionFile::open(const std::filesystem::path& file, Mode mode) {
    std::error_code code;
    const auto status = std::filesystem::status(file, code);
    if (!std::filesystem::exists(status))
        return fail(ErrorCode::BadModel, "cannot open the session", file.string(), "there is no such file");
    if (!std::filesystem::is_regular_file(status))
        return fail(ErrorCode::BadModel, "cannot open the session", file.string(), "it is not a file",
                    "Choose a .fettle file.");
    if (std::filesystem::file_size(file, code) == 0)
        return fail(ErrorCode::BadModel, "cannot open the session", file.string(), "the file is empty",
                    "Choose a .fettle file.");
    if (mode == Mode::ReadOnly) {
        FETTLE_TRY(auto opened, openReader(file));
        auto impl = std::make_unique<Impl>(file, std::move(opened.connection));
        impl->snapshot = std::move(opened.snapshot);
        FETTLE_CHECK(checkVersion(impl->connection, migrations(), true));
        return std::unique_ptr<SessionFile>(new SessionFile(std::move(impl)));
    }
    FETTLE_TRY(WriterLock lock, WriterLock::take(file, kLockPatience));
    std::string notice;
    auto connection = openWriter(file);
    if (!connection && looksDamaged(connection.error(), file)) {
        FETTLE_TRY(notice, recover(file));
        connection = openWriter(file);
    }
    if (!connection) return tl::unexpected(connection.error());
    auto impl = std::make_unique<Impl>(file, std::move(*connection));
    impl->lock.emplace(std::move(lock));
    impl->notice = notice;
    return std::unique_ptr<SessionFile>(new SessionFile(std::move(impl)));
}

Result<SessionInfo> SessionFile::info() const {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Statement statement,
               Statement::prepare(impl_->connection, "SELECT key,value,crc FROM info", "read the session"));
    using Pair = std::pair<std::string, std::string>;
    FETTLE_TRY(const auto pairs, impl_->rows<Pair>(std::move(statement), [](Statement& in) {
        std::string key = in.text();
        return Pair(std::move(key), in.text());
    }));
    return infoFrom({pairs.begin(), pairs.end()});
}

Status SessionFile::setSettings(const std::string& json) {
    std::lock_guard guard(impl_->mutex);
    return impl_->putPair("info", "settings", json, "save the settings");
}

Status SessionFile::putTasks(const std::vector<TaskRow>& tasks) {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Transaction transaction, Transaction::begin(impl_->connection, "save the tasks"));
    FETTLE_CHECK(impl_->connection.run("DELETE FROM tasks", "save the tasks"));
    FETTLE_TRY(Statement out, Statement::prepare(impl_->connection, "INSERT INTO tasks VALUES(?,?,?,?,?,?,?,?,?,?)",
                                                 "save the tasks"));
    for (const TaskRow& row : tasks) {
        out.put(int64_t{row.id});
        for (const std::string* text : {&row.name, &row.kind, &row.detail}) out.put(std::string_view(*text));
        out.put(int64_t{row.weight});
        out.put(row.flops);
        out.put(row.bytes);
        out.put(static_cast<int64_t>(row.structuralHash));
        out.put(std::string_view(row.defaultTrace));
        FETTLE_CHECK(out.finish());
    }
    return transaction.commit();
}

Result<std::vector<TaskRow>> SessionFile::tasks() const {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Statement statement,
               Statement::prepare(impl_->connection, "SELECT * FROM tasks ORDER BY id", "read the tasks"));
    return impl_->rows<TaskRow>(std::move(statement), [](Statement& in) {
        TaskRow row{};
        row.id = static_cast<int>(in.integer());
        for (std::string* text : {&row.name, &row.kind, &row.detail}) *text = in.text();
        row.weight = static_cast<int>(in.integer());
        row.flops = in.real();
        row.bytes = in.real();
        row.structuralHash = static_cast<uint64_t>(in.integer());
        row.defaultTrace = in.text();
        return row;
    });
}

Status SessionFile::appendTrials(std::vector<TrialRow>& rows) {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Transaction transaction, Transaction::begin(impl_->connection, "save the trials"));
    FETTLE_TRY(int64_t id, impl_->connection.number("SELECT max(id) FROM trials", "save the trials"));
    FETTLE_TRY(Statement out,
               Statement::prepare(impl_->connection, "INSERT INTO trials VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                  "save the trials"));
    for (TrialRow& row : rows) {
        row.id = ++id;
        putTrial(out, row);
        FETTLE_CHECK(out.finish());
    }
    return transaction.commit();
}

Result<std::vector<TrialRow>> SessionFile::trials(int64_t afterId, std::optional<int> task) const {
    std::lock_guard guard(impl_->mutex);
    std::string sql = "SELECT ";
    sql.append(kTrialColumns).append(" FROM trials WHERE id>?");
    sql.append(task ? " AND task=? ORDER BY id" : " ORDER BY id");
    FETTLE_TRY(Statement statement, Statement::prepare(impl_->connection, sql, "read the trials"));
    statement.bind(afterId);
    if (task) statement.bind(int64_t{*task});
    return impl_->rows<TrialRow>(std::move(statement), takeTrial);
}

Result<int64_t> SessionFile::trialCount() const {
    std::lock_guard guard(impl_->mutex);
    return impl_->connection.number("SELECT count(*) FROM trials", "read the trials");
}

Status SessionFile::putCostModel(const ModelRow& row) {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Transaction transaction, Transaction::begin(impl_->connection, "save the cost model"));
    FETTLE_TRY(const auto kept, modelRows());
    FETTLE_CHECK(impl_->connection.run("DELETE FROM cost_models WHERE length(bytes)>0", "save the cost model"));
    FETTLE_TRY(Statement out,
               Statement::prepare(impl_->connection, "INSERT OR REPLACE INTO cost_models VALUES(?,?,?,?,?,?,?)",
                                  "save the cost model"));
    const auto put = [&](const ModelRow& model, bool withBytes) {
        out.put(int64_t{model.version});
        out.put(int64_t{model.trainedOn});
        out.put(int64_t{model.heldOut});
        out.put(model.spearman);
        out.put(model.topK);
        out.putBlob(withBytes ? std::span<const std::byte>(model.bytes) : std::span<const std::byte>());
        return out.finish();
    };
    for (const ModelRow& model : kept)
        if (!model.bytes.empty()) FETTLE_CHECK(put(model, false));
    FETTLE_CHECK(put(row, true));
    return transaction.commit();
}

Result<std::vector<ModelRow>> SessionFile::modelRows() const {
    FETTLE_TRY(Statement statement, Statement::prepare(impl_->connection, "SELECT * FROM cost_models ORDER BY version",
                                                       "read the cost models"));
    return impl_->rows<ModelRow>(std::move(statement), [](Statement& in) {
        ModelRow row{};
        row.version = static_cast<int>(in.integer());
        row.trainedOn = static_cast<int>(in.integer());
        row.heldOut = static_cast<int>(in.integer());
        row.spearman = in.real();
        row.topK = in.real();
        row.bytes = in.blob();
        return row;
    });
}

Result<std::vector<ModelRow>> SessionFile::costModels() const {
    std::lock_guard guard(impl_->mutex);
    return modelRows();
}

Status SessionFile::putProfile(const ProfileRow& row) {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Transaction transaction, Transaction::begin(impl_->connection, "save the profile"));
    FETTLE_TRY(const int64_t last, impl_->connection.number("SELECT max(id) FROM profiles", "save the profile"));
    FETTLE_TRY(Statement out,
               Statement::prepare(impl_->connection, "INSERT INTO profiles VALUES(?,?,?,?,?)", "save the profile"));
    out.put(last + 1);
    out.put(std::string_view(row.label));
    out.put(row.unixSeconds);
    out.put(std::string_view(row.json));
    FETTLE_CHECK(out.finish());
    return transaction.commit();
}

Result<std::vector<ProfileRow>> SessionFile::profiles() const {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Statement statement,
               Statement::prepare(impl_->connection, "SELECT * FROM profiles ORDER BY id", "read the profiles"));
    return impl_->rows<ProfileRow>(std::move(statement), [](Statement& in) {
        ProfileRow row;
        row.id = in.integer();
        row.label = in.text();
        row.unixSeconds = in.real();
        row.json = in.text();
        return row;
    });
}

Status SessionFile::putValue(const std::string& key, const std::string& value) {
    std::lock_guard guard(impl_->mutex);
    return impl_->putPair("state", key, value, "save the state");
}

Result<std::optional<std::string>> SessionFile::value(const std::string& key) const {
    std::lock_guard guard(impl_->mutex);
    FETTLE_TRY(Statement statement,
               Statement::prepare(impl_->connection, "SELECT key,value,crc FROM state WHERE key=?", "read the state"));
    statement.bind(std::string_view(key));
    FETTLE_TRY(const auto values, impl_->rows<std::string>(std::move(statement), [](Statement& in) {
        in.text();
        return in.text();
    }));
    return values.empty() ? std::nullopt : std::optional<std::string>(values.front());
}

}  // namespace fettle::store
