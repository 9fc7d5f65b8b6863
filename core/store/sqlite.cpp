// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sqlite.h"

#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/support/hash.h"

namespace fettle::store {
namespace {

struct Explanation {
    int code;
    const char* why;
    const char* next;
};

// What a person can do about it. Other codes say SQLite's own words.
constexpr Explanation kExplanations[] = {
    {SQLITE_FULL, "the disk is full", "Free some space; nothing that was saved is lost."},
    {SQLITE_IOERR, "the disk reported an error", "Check the disk; nothing that was saved is lost."},
    {SQLITE_READONLY, "the file or its folder is read-only", "Choose another place for the session file."},
    {SQLITE_CANTOPEN, "the file cannot be opened or made there", "Check that the folder exists and can be written."},
    {SQLITE_BUSY, "another program is writing to it", "Close the other program and try again."},
    {SQLITE_CORRUPT, "the file is damaged", "`fettle-cli resume` recovers its rows."},
    {SQLITE_NOTADB, "the file is not a Fettle session", "Choose a .fettle file."},
};

std::string uriPath(const std::filesystem::path& file) {
    std::string out = "file:";
    for (unsigned char c : std::filesystem::absolute(file).string()) {
        if (std::isalnum(c) || c == '/' || c == '-' || c == '_' || c == '.') {
            out += static_cast<char>(c);
        } else {
            static const char* hex = "0123456789ABCDEF";
            out += {'%', hex[c >> 4], hex[c & 15]};
        }
    }
    return out;
}

}  // namespace

Result<Connection> Connection::open(const std::filesystem::path& file, Mode mode) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
    if (mode == Mode::Create) flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (mode == Mode::ReadWrite) flags |= SQLITE_OPEN_READWRITE;
    if (mode == Mode::ReadOnly || mode == Mode::Immutable) flags |= SQLITE_OPEN_READONLY;
    const std::string uri = uriPath(file) + (mode == Mode::Immutable ? "?immutable=1" : "");
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
    Connection connection;
    connection.handle_.reset(handle);
    connection.file_ = file;
    if (code != SQLITE_OK) return tl::unexpected(connection.error("open the session", code));
    sqlite3_busy_timeout(handle, 5000);
    return connection;
}

Error Connection::error(std::string_view doing, int code) const {
    Error error{ErrorCode::Failed, "cannot " + std::string(doing), file_.string(), {}, {}};
    for (const Explanation& row : kExplanations) {
        if (row.code != (code & 0xff)) continue;
        error.why = row.why;
        error.next = row.next;
        if (row.code == SQLITE_NOTADB) error.code = ErrorCode::BadModel;
        return error;
    }
    error.why = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
    return error;
}

Status Connection::run(std::string_view sql, std::string_view doing) const {
    const int code = sqlite3_exec(handle(), std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return tl::unexpected(error(doing, code));
    return {};
}

Result<int64_t> Connection::number(std::string_view sql, std::string_view doing) const {
    FETTLE_TRY(Statement statement, Statement::prepare(*this, sql, doing));
    FETTLE_TRY(const bool found, statement.next());
    return found ? statement.integer() : 0;
}

Result<Transaction> Transaction::begin(const Connection& connection, std::string_view doing) {
    FETTLE_CHECK(connection.run("BEGIN IMMEDIATE", doing));
    return Transaction(connection, doing);
}

Status Transaction::commit() {
    FETTLE_CHECK(connection_->run("COMMIT", doing_));
    connection_ = nullptr;
    return {};
}

Transaction::~Transaction() {
    // SQLite may have rolled back by itself (a full disk); then this fails, and there is nothing left to undo.
    if (connection_) sqlite3_exec(connection_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void RowCrc::bytes(char kind, const void* data, size_t size) {
    std::array<std::byte, 9> head{static_cast<std::byte>(kind)};
    for (int k = 0; k < 8; ++k) head[k + 1] = static_cast<std::byte>(static_cast<uint64_t>(size) >> (8 * k));
    crc_ = crc32c(head, crc_);
    crc_ = crc32c({static_cast<const std::byte*>(data), size}, crc_);
}

void RowCrc::add(int64_t value) {
    bytes('i', &value, sizeof value);
}

void RowCrc::add(double value) {
    bytes('r', &value, sizeof value);
}

void RowCrc::add(std::string_view text) {
    bytes('t', text.data(), text.size());
}

Result<Statement> Statement::prepare(const Connection& connection, std::string_view sql, std::string_view doing) {
    Statement statement;
    statement.connection_ = &connection;
    statement.doing_ = doing;
    sqlite3_stmt* handle = nullptr;
    const int code =
        sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
    if (code != SQLITE_OK) return tl::unexpected(connection.error(doing, code));
    statement.statement_.reset(handle);
    return statement;
}

void Statement::bind(int64_t value) {
    sqlite3_bind_int64(statement_.get(), ++column_, value);
}

void Statement::bind(std::string_view text) {
    sqlite3_bind_text(statement_.get(), ++column_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void Statement::put(int64_t value) {
    bind(value);
    crc_.add(value);
}

void Statement::put(double value) {
    // SQLite keeps neither NaN (it becomes NULL) nor the sign of zero, and the checksum must survive the way back.
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
    if (value == 0) value = 0;
    sqlite3_bind_double(statement_.get(), ++column_, value);
    crc_.add(value);
}

void Statement::put(std::string_view text) {
    bind(text);
    crc_.add(text);
}

void Statement::putBlob(std::span<const std::byte> bytes) {
    sqlite3_bind_blob64(statement_.get(), ++column_, bytes.empty() ? "" : static_cast<const void*>(bytes.data()),
                        bytes.size(), SQLITE_TRANSIENT);
    crc_.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Status Statement::finish() {
    bind(static_cast<int64_t>(crc_.value()));
    const int code = sqlite3_step(statement_.get());
    sqlite3_reset(statement_.get());
    column_ = 0;
    crc_ = RowCrc();
    if (code != SQLITE_DONE) return tl::unexpected(connection_->error(doing_, code));
    return {};
}

Result<bool> Statement::next() {
    column_ = 0;
    crc_ = RowCrc();
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return tl::unexpected(connection_->error(doing_, code));
}

int64_t Statement::integer() {
    const int64_t value = sqlite3_column_int64(statement_.get(), column_++);
    crc_.add(value);
    return value;
}

double Statement::real() {
    const double value = sqlite3_column_double(statement_.get(), column_++);
    crc_.add(value);
    return value;
}

std::string Statement::text() {
    const int at = column_++;
    const unsigned char* data = sqlite3_column_text(statement_.get(), at);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), at));
    std::string value(data ? reinterpret_cast<const char*>(data) : "", data ? size : 0);
    crc_.add(std::string_view(value));
    return value;
}

std::vector<std::byte> Statement::blob() {
    const int at = column_++;
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), at));
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), at));
    std::vector<std::byte> value(data, data ? data + size : data);
    crc_.add(std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
    return value;
}

bool Statement::intact() {
    return sqlite3_column_int64(statement_.get(), column_) == static_cast<int64_t>(crc_.value());
}

Status copyDatabase(const Connection& from, const std::filesystem::path& to) {
    FETTLE_TRY(const Connection target, Connection::open(to, Connection::Mode::Create));
    sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", from.handle(), "main");
    if (!backup) return tl::unexpected(target.error("make a copy", sqlite3_errcode(target.handle())));
    const int step = sqlite3_backup_step(backup, -1);
    const int code = sqlite3_backup_finish(backup);
    if (step != SQLITE_DONE) return tl::unexpected(target.error("make a copy", code != SQLITE_OK ? code : step));
    return {};
}

}  // namespace fettle::store
