// SPDX-License-Identifier: GPL-3.0-or-later
// One writer per session file: flock(2) on NAME-lock, whose text names the holder. The kernel drops the lock when the
// holder dies, however it dies, so a stale one cannot stay. A separate file, because closing any descriptor of the
// database would drop SQLite's own POSIX locks.
#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

#include "core/support/error.h"

namespace fettle::store {

class WriterLock {
public:
    // Waits up to `patience`, then fails and names the holder.
    static Result<WriterLock> take(const std::filesystem::path& database, std::chrono::milliseconds patience);
    WriterLock(WriterLock&& other) noexcept
        : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    WriterLock& operator=(WriterLock&&) = delete;
    ~WriterLock();

private:
    WriterLock(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}
    std::filesystem::path file_;
    int descriptor_;
};

}  // namespace fettle::store
