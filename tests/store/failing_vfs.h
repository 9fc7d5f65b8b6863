// SPDX-License-Identifier: GPL-3.0-or-later
// A SQLite VFS over the default one whose writes fail on demand. Registered as the default while it lives.
#pragma once

namespace fettle::test {

class FailingVfs {
public:
    FailingVfs();
    ~FailingVfs();
    void failFrom(int operation, int code);  // the nth write, truncate or sync from now on fails, and all later ones
    void heal();
    bool failed() const;  // since failFrom
};

}  // namespace fettle::test
