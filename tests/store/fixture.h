// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the session file share: a temporary folder, made-up trials, a life without root's rights.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/store/session_file.h"

namespace fettle::test {

class Folder {
public:
    Folder();
    ~Folder();
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::string names() const;  // sorted, each followed by a blank
    void forbidWriting();       // until the end of the test

private:
    std::filesystem::path path_;
};

store::TrialRow trial(int task, int number);  // deterministic, every field set

void execute(const std::filesystem::path& database, const char* sql);  // with SQLite's own hands

// Runs the body in a child process as an unprivileged user when this one is root (who may write everywhere).
// Failures in the body fail the test.
void asNobody(const std::function<void()>& body);

}  // namespace fettle::test
