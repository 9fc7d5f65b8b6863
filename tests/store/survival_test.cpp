// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a session file when things go wrong: a killed writer, a full disk, damage, an older format.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "core/store/schema.h"
#include "core/store/session_file.h"
#include "core/support/random.h"
#include "tests/store/failing_vfs.h"
#include "tests/store/fixture.h"

namespace fettle::store {
namespace {

using test::Folder;
using test::trial;

// Appends batches for ever; writes the last id of each to `pipe` once appendTrials returned.
[[noreturn]] void tuneUntilKilled(const std::filesystem::path& file, int pipe) {
    auto session = SessionFile::open(file, SessionFile::Mode::ReadWrite);
    if (!session) _exit(1);
    for (int number = 0;; ++number) {
        std::vector<TrialRow> rows;
        for (int k = 0; k <= number % 7; ++k) rows.push_back(trial(k, number));
        if (!(*session)->appendTrials(rows)) _exit(2);
        const int64_t last = rows.back().id;
        if (write(pipe, &last, sizeof last) != sizeof last) _exit(3);
    }
}

TEST(Survival, noAcknowledgedTrialIsLostByKilling) {
    Folder folder;
    const auto file = folder / "a.fettle";
    ASSERT_TRUE(SessionFile::create(file, {}));
    Rng rng(7);
    int64_t acknowledged = 0;
    for (int round = 0; round < 20; ++round) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) tuneUntilKilled(file, ends[1]);
        close(ends[1]);
        usleep(static_cast<useconds_t>(3000 + rng.below(40000)));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
        for (int64_t last; read(ends[0], &last, sizeof last) == sizeof last;) acknowledged = last;
        close(ends[0]);

        auto session = SessionFile::open(file, SessionFile::Mode::ReadWrite);
        ASSERT_TRUE(session) << session.error().message();
        EXPECT_EQ((*session)->notice(), "");
        const auto rows = *(*session)->trials();
        ASSERT_GE(static_cast<int64_t>(rows.size()), acknowledged);
        for (size_t k = 0; k < rows.size(); ++k) ASSERT_EQ(rows[k].id, static_cast<int64_t>(k) + 1);
        EXPECT_EQ((*session)->damagedRows(), 0);
    }
    EXPECT_GT(acknowledged, 100) << "the children did too little for this test to mean anything";
}

TEST(Survival, aKilledSessionOpensInAReadOnlyFolder) {
    Folder folder;
    const auto file = folder / "a.fettle";
    ASSERT_TRUE(SessionFile::create(file, {}));
    const pid_t child = fork();
    if (child == 0) {
        auto session = SessionFile::open(file, SessionFile::Mode::ReadWrite);
        std::vector<TrialRow> rows = {trial(0, 0), trial(0, 1)};
        if (!session || !(*session)->appendTrials(rows)) _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    std::filesystem::remove(folder / "a.fettle-shm");  // as after a copy to other media
    folder.forbidWriting();
    test::asNobody([&] {
        auto reader = SessionFile::open(file, SessionFile::Mode::ReadOnly);
        ASSERT_TRUE(reader) << reader.error().message();
        EXPECT_EQ((*reader)->trials()->size(), 2u);
    });
}

TEST(Survival, aFullDiskIsSaidAndPasses) {
    Folder folder;
    test::FailingVfs vfs;
    auto session = *SessionFile::create(folder / "a.fettle", {});
    std::vector<TrialRow> first = {trial(0, 0)}, second = {trial(0, 1), trial(0, 2)};
    ASSERT_TRUE(session->appendTrials(first));
    vfs.failFrom(0, SQLITE_FULL);
    const Status failed = session->appendTrials(second);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message(), "cannot save the trials (" + (folder / "a.fettle").string() +
                                            "): the disk is full. Free some space; nothing that was saved is lost.");
    EXPECT_EQ(session->trials()->size(), 1u);
    vfs.heal();
    ASSERT_TRUE(session->appendTrials(second));
    const auto rows = *session->trials();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows.back().id, 3);
}

// Every I/O operation of a short session fails once, with each kind of failure: each call either succeeds or says so,
// and afterwards the file opens with exactly the trials whose saving had succeeded.
TEST(Survival, everyFailingIoOperationLosesNothingThatWasSaved) {
    for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
        int failures = 0;
        for (int at = 0;; ++at) {
            Folder folder;
            const auto file = folder / "a.fettle";
            int saved = 0;
            bool reached = false;
            {
                test::FailingVfs vfs;
                vfs.failFrom(at, code);
                auto session = SessionFile::create(file, {});
                for (int batch = 0; session && batch < 3; ++batch) {
                    std::vector<TrialRow> rows = {trial(0, batch), trial(1, batch)};
                    if ((*session)->appendTrials(rows)) ++saved;
                }
                reached = vfs.failed();
                vfs.heal();
            }
            if (!reached) break;
            ++failures;
            if (!std::filesystem::exists(file)) continue;  // the creation failed and left nothing
            auto session = SessionFile::open(file, SessionFile::Mode::ReadWrite);
            ASSERT_TRUE(session) << "operation " << at << ": " << session.error().message();
            EXPECT_EQ((*session)->notice(), "") << "operation " << at;
            const auto rows = *(*session)->trials();
            EXPECT_EQ(rows.size(), 2u * saved) << "operation " << at;
        }
        EXPECT_GT(failures, 10);
    }
}

struct Damage {
    const char* name;
    std::streamoff from, bytes;
    int64_t atLeast;
};

TEST(Survival, aDamagedFileIsMovedAsideAndItsRowsRecovered) {
    const Damage rows[] = {{"magic", 0, 16, 400}, {"header", 0, 100, 400}, {"first page", 0, 4096, 400}};
    for (const Damage& row : rows) {
        Folder folder;
        const auto file = folder / "a.fettle";
        {
            SessionInfo info;
            info.modelName = "digits";
            auto session = *SessionFile::create(file, info);
            std::vector<TrialRow> trials;
            for (int k = 0; k < 400; ++k) trials.push_back(trial(k % 5, k));
            ASSERT_TRUE(session->appendTrials(trials));
        }
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
            .seekp(row.from)
            .write(std::string(static_cast<size_t>(row.bytes), 'x').data(), row.bytes);
        auto session = SessionFile::open(file, SessionFile::Mode::ReadWrite);
        ASSERT_TRUE(session) << row.name << ": " << session.error().message();
        EXPECT_EQ((*session)->notice(),
                  "The session file was damaged. 400 trials of 0 tasks were recovered; the damaged file is kept as "
                  "a.fettle-damaged.")
            << row.name;
        EXPECT_EQ((*session)->info()->modelName, "digits") << row.name;
        EXPECT_GE(static_cast<int64_t>((*session)->trials()->size()), row.atLeast) << row.name;
        EXPECT_EQ((*session)->damagedRows(), 0) << row.name;
        session->reset();
        EXPECT_EQ(folder.names(), "a.fettle a.fettle-damaged ") << row.name;
    }
}

TEST(Survival, anOlderFormatIsBroughtUpToDateWithACopyKept) {
    Folder folder;
    const auto file = folder / "old.fettle";
    const char* one = "CREATE TABLE t(a); INSERT INTO t VALUES(1)";
    const char* both[] = {one, "ALTER TABLE t ADD COLUMN b; UPDATE t SET b=2"};
    const char* broken[] = {one, "ALTER TABLE t ADD COLUMN b; UPDATE t SET nosuch=2"};
    auto connection = *Connection::open(file, Connection::Mode::Create);
    ASSERT_TRUE(migrate(connection, {&one, 1}));

    EXPECT_FALSE(migrate(connection, broken));
    EXPECT_EQ(*connection.number("PRAGMA user_version", "test"), 1) << "a failed step leaves the old format";
    EXPECT_EQ(*connection.number("SELECT count(*) FROM pragma_table_info('t')", "test"), 1);

    ASSERT_TRUE(migrate(connection, both));
    EXPECT_EQ(*connection.number("PRAGMA user_version", "test"), 2);
    EXPECT_EQ(*connection.number("SELECT b FROM t", "test"), 2);
    auto copy = *Connection::open(folder / "old.fettle-v1.backup", Connection::Mode::ReadOnly);
    EXPECT_EQ(*copy.number("PRAGMA user_version", "test"), 1);
    EXPECT_EQ(*copy.number("SELECT a FROM t", "test"), 1);
    EXPECT_FALSE(checkVersion(copy, both, true)) << "an old file cannot be brought up to date read-only";
}

}  // namespace
}  // namespace fettle::store
