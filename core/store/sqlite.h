// SPDX-License-Identifier: GPL-3.0-or-later
// A thin cover over the SQLite C API for this room only: a connection, a statement, rows with a CRC32C.
// Every failure is an Error that names the file and says in words what SQLite meant ("the disk is full").
// https://www.sqlite.org/c3ref/intro.html
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace fettle::store {

class Connection {
public:
    enum class Mode { Create, ReadWrite, ReadOnly, Immutable };
    static Result<Connection> open(const std::filesystem::path& file, Mode mode);

    Connection() = default;
    Connection(Connection&&) = default;
    Connection& operator=(Connection&&) = default;

    // Runs one or more statements without parameters. `doing` completes "cannot ...": "save trials".
    Status run(std::string_view sql, std::string_view doing) const;
    Result<int64_t> number(std::string_view sql, std::string_view doing) const;  // the first column of the first row
    Error error(std::string_view doing, int code) const;
    sqlite3* handle() const { return handle_.get(); }
    const std::filesystem::path& file() const { return file_; }

private:
    struct Closer {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    std::unique_ptr<sqlite3, Closer> handle_;
    std::filesystem::path file_;
};

// BEGIN IMMEDIATE ... COMMIT; rolls back when it goes out of scope without commit().
class Transaction {
public:
    static Result<Transaction> begin(const Connection& connection, std::string_view doing);
    Status commit();
    Transaction(Transaction&& other) noexcept : connection_(other.connection_), doing_(std::move(other.doing_)) {
        other.connection_ = nullptr;
    }
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();

private:
    Transaction(const Connection& connection, std::string_view doing) : connection_(&connection), doing_(doing) {}
    const Connection* connection_;
    std::string doing_;
};

// CRC32C over the typed values of a row, in column order, little-endian. The last column of every table holds it.
class RowCrc {
public:
    void add(int64_t value);
    void add(double value);
    void add(std::string_view text);
    uint32_t value() const { return crc_; }

private:
    void bytes(char kind, const void* data, size_t size);
    uint32_t crc_ = 0;
};

// A prepared statement that writes or reads rows column by column, in order.
class Statement {
public:
    static Result<Statement> prepare(const Connection& connection, std::string_view sql, std::string_view doing);

    // Writing: put every column, then finish(), which appends the checksum and runs the statement. Reusable.
    void put(int64_t value);
    void put(double value);
    void put(std::string_view text);
    void putBlob(std::span<const std::byte> bytes);
    Status finish();
    // Parameters that are not columns of the row (keys of a query).
    void bind(int64_t value);
    void bind(std::string_view text);

    // Reading: next() is false after the last row; then take every column, then intact().
    Result<bool> next();
    int64_t integer();
    double real();
    std::string text();
    std::vector<std::byte> blob();
    bool intact();

private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    const Connection* connection_ = nullptr;
    std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
    std::string doing_;
    int column_ = 0;
    RowCrc crc_;
};

// A consistent copy through the backup API (a plain copy would miss what is still in the -wal).
Status copyDatabase(const Connection& from, const std::filesystem::path& to);

}  // namespace fettle::store
