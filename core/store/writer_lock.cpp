// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace fettle::store {
namespace {

std::string holderText() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return "process " + std::to_string(getpid()) + " on " + host;
}

std::string readHolder(int descriptor) {
    char text[512];
    const ssize_t got = pread(descriptor, text, sizeof text, 0);
    return got > 0 ? std::string(text, static_cast<size_t>(got)) : "another program";
}

// The file that we locked may have been removed by its last holder between open and flock.
bool stillNamed(int descriptor, const std::filesystem::path& file) {
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& database, std::chrono::milliseconds patience) {
    std::filesystem::path file = database;
    file += "-lock";
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (descriptor < 0)
            return fail(ErrorCode::Failed, "cannot write to the session", database.string(), std::strerror(errno),
                        "Choose another place for the session file.");
        WriterLock lock(file, descriptor);
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            if (!stillNamed(descriptor, file)) continue;
            const std::string text = holderText();
            if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text.data(), text.size(), 0) < 0) {
                // the lock holds; only its holder's name is missing (a full disk)
            }
            return lock;
        }
        const std::string holder = readHolder(descriptor);
        close(std::exchange(lock.descriptor_, -1));
        if (std::chrono::steady_clock::now() >= until)
            return fail(ErrorCode::Failed, "cannot write to the session", database.string(),
                        "it is in use by " + holder, "Close it there, or open the session to look only.");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

WriterLock::~WriterLock() {
    if (descriptor_ < 0) return;
    // Only the holder removes the file, and while it still holds the lock.
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && stillNamed(descriptor_, file_)) unlink(file_.c_str());
    close(descriptor_);
}

}  // namespace fettle::store
