// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/fixture.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace fettle::test {

namespace fs = std::filesystem;

Folder::Folder() {
    std::string pattern = (fs::temp_directory_path() / "fettle-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    fs::permissions(path_, fs::perms::all);
}

Folder::~Folder() {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, ignored);
    fs::remove_all(path_, ignored);
}

std::string Folder::names() const {
    std::set<std::string> sorted;
    for (const auto& entry : fs::directory_iterator(path_)) sorted.insert(entry.path().filename().string());
    std::string out;
    for (const std::string& name : sorted) out += name + " ";
    return out;
}

void Folder::forbidWriting() {
    for (const auto& entry : fs::directory_iterator(path_))
        fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(path_,
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
}

store::TrialRow trial(int task, int number) {
    store::TrialRow row;
    row.task = task;
    row.round = number / 4;
    row.trace = "split conv.oc 16 -> oc0 oc1\nunroll conv.oc1 # " + std::to_string(number) + "\n";
    row.origin = "evolved";
    row.predictedNs = 1000.5 + number;
    row.modelVersion = number / 4;
    for (int k = 0; k < 5; ++k) row.samplesNs.push_back(1000 + 7 * number + k);
    row.minNs = row.samplesNs.front();
    row.medianNs = row.samplesNs[2];
    row.maxRelError = 1e-6 * number;
    row.unixSeconds = 1764600000.0 + number;
    row.compileMs = 8.25;
    row.runMs = 3.5;
    return row;
}

void execute(const fs::path& database, const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
}

void asNobody(const std::function<void()>& body) {
    if (geteuid() != 0) return body();
    const pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
        body();
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the body failed as an unprivileged user (see above)";
}

}  // namespace fettle::test
