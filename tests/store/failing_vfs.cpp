// SPDX-License-Identifier: GPL-3.0-or-later
// https://www.sqlite.org/vfs.html; the shape follows SQLite's own test_vfs idea of a shim in front of the real file.
#include "tests/store/failing_vfs.h"

#include <sqlite3.h>

namespace fettle::test {
namespace {

struct State {
    int countdown = -1, code = SQLITE_OK;
    bool failed = false;
} state;

struct File {
    sqlite3_file base;
};  // followed by the real file
sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}

int verdict() {
    if (state.code == SQLITE_OK || state.countdown-- > 0) return SQLITE_OK;
    state.countdown = 0;
    state.failed = true;
    return state.code;
}

#define FORWARD(name, parameters, arguments)         \
    int name parameters {                            \
        return real(file)->pMethods->name arguments; \
    }
#define FAILABLE(name, parameters, arguments)                      \
    int name parameters {                                          \
        const int code = verdict();                                \
        return code ? code : real(file)->pMethods->name arguments; \
    }

FORWARD(xClose, (sqlite3_file * file), (real(file)))
FORWARD(xRead, (sqlite3_file * file, void* data, int size, sqlite3_int64 at), (real(file), data, size, at))
FAILABLE(xWrite, (sqlite3_file * file, const void* data, int size, sqlite3_int64 at), (real(file), data, size, at))
FAILABLE(xTruncate, (sqlite3_file * file, sqlite3_int64 size), (real(file), size))
FAILABLE(xSync, (sqlite3_file * file, int flags), (real(file), flags))
FORWARD(xFileSize, (sqlite3_file * file, sqlite3_int64* size), (real(file), size))
FORWARD(xLock, (sqlite3_file * file, int kind), (real(file), kind))
FORWARD(xUnlock, (sqlite3_file * file, int kind), (real(file), kind))
FORWARD(xCheckReservedLock, (sqlite3_file * file, int* out), (real(file), out))
FORWARD(xFileControl, (sqlite3_file * file, int what, void* argument), (real(file), what, argument))
FORWARD(xSectorSize, (sqlite3_file * file), (real(file)))
FORWARD(xDeviceCharacteristics, (sqlite3_file * file), (real(file)))
FORWARD(xShmMap, (sqlite3_file * file, int page, int size, int extend, void volatile** out),
        (real(file), page, size, extend, out))
FORWARD(xShmLock, (sqlite3_file * file, int at, int n, int flags), (real(file), at, n, flags))
void xShmBarrier(sqlite3_file* file) {
    real(file)->pMethods->xShmBarrier(real(file));
}
FORWARD(xShmUnmap, (sqlite3_file * file, int remove), (real(file), remove))

const sqlite3_io_methods kMethods = {2,
                                     xClose,
                                     xRead,
                                     xWrite,
                                     xTruncate,
                                     xSync,
                                     xFileSize,
                                     xLock,
                                     xUnlock,
                                     xCheckReservedLock,
                                     xFileControl,
                                     xSectorSize,
                                     xDeviceCharacteristics,
                                     xShmMap,
                                     xShmLock,
                                     xShmBarrier,
                                     xShmUnmap,
                                     nullptr,
                                     nullptr};

sqlite3_vfs* original = nullptr;
sqlite3_vfs shim;

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = original->xOpen(original, name, real(file), flags, out);
    file->pMethods = real(file)->pMethods ? &kMethods : nullptr;
    return code;
}

}  // namespace

FailingVfs::FailingVfs() {
    state = {};
    original = sqlite3_vfs_find(nullptr);
    shim = *original;
    shim.zName = "failing";
    shim.szOsFile = static_cast<int>(sizeof(File)) + original->szOsFile;
    shim.xOpen = open;
    sqlite3_vfs_register(&shim, 1);
}

FailingVfs::~FailingVfs() {
    sqlite3_vfs_unregister(&shim);
    sqlite3_vfs_register(original, 1);
}

void FailingVfs::failFrom(int operation, int code) {
    state = {operation, code, false};
}

void FailingVfs::heal() {
    state.code = SQLITE_OK;
}

bool FailingVfs::failed() const {
    return state.failed;
}

}  // namespace fettle::test
