// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/session_file.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "tests/store/fixture.h"

namespace fettle::store {
namespace {

using test::Folder;
using test::trial;

SessionInfo sampleInfo() {
    SessionInfo info;
    info.modelPath = "models/d'été.onnx";
    info.modelSha256 = std::string(64, 'a');
    info.modelName = "digits";
    info.target = "host";
    info.targetCpu = "znver5";
    info.dims = {{"batch", 4}, {"seq len", 128}};
    info.settingsJson = R"({"trials":256})";
    info.fettleVersion = "0.1.0";
    info.createdUnix = 1764600000.25;
    return info;
}

std::unique_ptr<SessionFile> mustCreate(const std::filesystem::path& file) {
    auto created = SessionFile::create(file, sampleInfo());
    EXPECT_TRUE(created) << created.error().message();
    return std::move(*created);
}

std::unique_ptr<SessionFile> mustOpen(const std::filesystem::path& file, SessionFile::Mode mode) {
    auto opened = SessionFile::open(file, mode);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(*opened) : nullptr;
}

// Every field of a row as text, so that one comparison shows what differs.
std::string text(const TrialRow& row) {
    std::string out = std::to_string(row.id) + "|" + std::to_string(row.task) + "|" + std::to_string(row.round) + "|" +
                      row.trace + "|" + row.origin + "|" + std::to_string(row.predictedNs) + "|" +
                      std::to_string(row.modelVersion) + "|" + std::to_string(row.status) + "|";
    for (int64_t sample : row.samplesNs) out += std::to_string(sample) + ",";
    return out + "|" + std::to_string(row.minNs) + "|" + std::to_string(row.medianNs) + "|" +
           std::to_string(row.maxRelError) + "|" + row.error + "|" + std::to_string(row.unixSeconds) + "|" +
           std::to_string(row.compileMs) + "|" + std::to_string(row.runMs);
}

TEST(SessionFile, everythingComesBack) {
    Folder folder;
    const auto file = folder / "digits %20?#.fettle";
    std::vector<TrialRow> rows = {trial(0, 1), trial(1, 2), trial(0, 3)};
    rows[1].status = 4;
    rows[1].error = "wrong result: output 0 at 17: 1 instead of 2\nline two";
    rows[1].maxRelError = std::nan("");
    rows[2].maxRelError = -0.0;
    {
        auto session = mustCreate(file);
        ASSERT_TRUE(session->putTasks({{0, "Conv_0 + Clip_1", "convolution", "3x3", 2, 1e6, 2e5, ~0ull, "unroll a.b\n"},
                                       {1, "Gemm", "matmul", "", 1, 5e5, 1e5, 7, ""}}));
        ASSERT_TRUE(session->appendTrials(rows));
        ASSERT_TRUE(session->putCostModel({1, 16, 0, 0, 0, {std::byte{1}, std::byte{2}}}));
        ASSERT_TRUE(session->putCostModel({2, 32, 16, 0.5, 0.75, {std::byte{3}}}));
        ASSERT_TRUE(session->putProfile({0, "default schedule", 12.5, R"({"spans":[]})"}));
        ASSERT_TRUE(session->putValue("round", "3"));
        ASSERT_TRUE(session->putValue("round", "4"));
    }
    auto session = mustOpen(file, SessionFile::Mode::ReadOnly);
    const SessionInfo info = *session->info();
    EXPECT_EQ(info.modelPath, "models/d'été.onnx");
    EXPECT_EQ(info.dims, (std::map<std::string, int64_t>{{"batch", 4}, {"seq len", 128}}));
    EXPECT_EQ(info.settingsJson, R"({"trials":256})");
    EXPECT_EQ(info.createdUnix, 1764600000.25);
    const auto tasks = *session->tasks();
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks[0].structuralHash, ~0ull);
    EXPECT_EQ(tasks[0].defaultTrace, "unroll a.b\n");
    const auto trials = *session->trials();
    ASSERT_EQ(trials.size(), 3u);
    EXPECT_EQ(text(trials[0]), text(rows[0]));
    EXPECT_EQ(trials[1].error, rows[1].error);
    EXPECT_TRUE(std::isinf(trials[1].maxRelError));
    EXPECT_EQ(session->trials(2)->size(), 1u);
    EXPECT_EQ(session->trials(0, 1)->size(), 1u);
    EXPECT_EQ(*session->trialCount(), 3);
    const auto models = *session->costModels();
    ASSERT_EQ(models.size(), 2u);
    EXPECT_TRUE(models[0].bytes.empty());
    EXPECT_EQ(models[1].bytes.size(), 1u);
    EXPECT_EQ(models[1].spearman, 0.5);
    EXPECT_EQ(session->profiles()->at(0).label, "default schedule");
    EXPECT_EQ(session->value("round")->value(), "4");
    EXPECT_FALSE(session->value("absent")->has_value());
    EXPECT_EQ(session->damagedRows(), 0);
}

TEST(SessionFile, aReaderSeesTrialsAsTheyCome) {
    Folder folder;
    auto writer = mustCreate(folder / "a.fettle");
    auto reader = mustOpen(folder / "a.fettle", SessionFile::Mode::ReadOnly);
    std::thread tuning([&] {
        for (int k = 0; k < 50; ++k) {
            std::vector<TrialRow> rows = {trial(k, k), trial(k, k + 1)};
            ASSERT_TRUE(writer->appendTrials(rows));
        }
    });
    int64_t seen = 0;
    while (seen < 100) {
        const auto rows = reader->trials(seen);
        ASSERT_TRUE(rows) << rows.error().message();
        ASSERT_EQ(rows->size() % 2, 0u) << "half of a batch was visible";
        for (const TrialRow& row : *rows) ASSERT_EQ(row.id, ++seen);
    }
    tuning.join();
}

TEST(SessionFile, namesWhoHoldsIt) {
    Folder folder;
    auto first = mustCreate(folder / "a.fettle");
    const auto second = SessionFile::open(folder / "a.fettle", SessionFile::Mode::ReadWrite);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Failed);
    EXPECT_NE(second.error().why.find("in use by process " + std::to_string(getpid()) + " on "), std::string::npos)
        << second.error().message();
    first.reset();
    EXPECT_TRUE(SessionFile::open(folder / "a.fettle", SessionFile::Mode::ReadWrite));
    EXPECT_EQ(folder.names(), "a.fettle ");
}

TEST(SessionFile, aLockFileWithoutAHolderIsTaken) {
    Folder folder;
    mustCreate(folder / "a.fettle");
    std::ofstream(folder / "a.fettle-lock") << "process 1 on elsewhere";
    EXPECT_TRUE(SessionFile::open(folder / "a.fettle", SessionFile::Mode::ReadWrite));
}

TEST(SessionFile, doesNotOverwrite) {
    Folder folder;
    mustCreate(folder / "a.fettle");
    const auto again = SessionFile::create(folder / "a.fettle", sampleInfo());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().why, "a file of that name exists");
}

struct Refusal {
    const char* name;
    std::function<void(const std::filesystem::path&)> spoil;
    const char* message;
};

TEST(SessionFile, refusesWhatItCannotUse) {
    const auto sql = [](const char* text) {
        return [text](const std::filesystem::path& file) { test::execute(file, text); };
    };
    const Refusal rows[] = {
        {"newer", sql("PRAGMA user_version=99"),
         "cannot open the session (FILE): a newer Fettle made it (format 99, this one reads up to 1). Update Fettle."},
        {"other program", sql("PRAGMA application_id=1"),
         "cannot open the session (FILE): the file is not a Fettle session. Choose a .fettle file."},
        {"text",
         [](const std::filesystem::path& file) { std::ofstream(file, std::ios::trunc) << "not a session, but text"; },
         "cannot open the session (FILE): the file is not a Fettle session. Choose a .fettle file."},
        {"empty", [](const std::filesystem::path& file) { std::ofstream(file, std::ios::trunc); },
         "cannot open the session (FILE): the file is empty. Choose a .fettle file."},
        {"gone", [](const std::filesystem::path& file) { std::filesystem::remove(file); },
         "cannot open the session (FILE): there is no such file."},
        {"folder",
         [](const std::filesystem::path& file) {
             std::filesystem::remove(file);
             std::filesystem::create_directory(file);
         },
         "cannot open the session (FILE): it is not a file. Choose a .fettle file."},
    };
    for (const Refusal& row : rows) {
        for (const auto mode : {SessionFile::Mode::ReadWrite, SessionFile::Mode::ReadOnly}) {
            Folder folder;
            const auto file = folder / "a.fettle";
            mustCreate(file);
            row.spoil(file);
            const auto opened = SessionFile::open(file, mode);
            ASSERT_FALSE(opened) << row.name;
            std::string message = opened.error().message();
            if (const size_t at = message.find(file.string()); at != std::string::npos)
                message.replace(at, file.string().size(), "FILE");
            EXPECT_EQ(message, row.message) << row.name;
            EXPECT_EQ(folder.names(), row.name == std::string("gone") ? "" : "a.fettle ") << row.name;
        }
    }
}

TEST(SessionFile, leavesOutRowsWithFlippedBytes) {
    Folder folder;
    const auto file = folder / "a.fettle";
    {
        auto session = mustCreate(file);
        std::vector<TrialRow> rows;
        for (int k = 0; k < 10; ++k) rows.push_back(trial(0, k));
        ASSERT_TRUE(session->appendTrials(rows));
    }
    test::execute(file, "UPDATE trials SET min_ns=min_ns+1 WHERE id=4; UPDATE trials SET trace='x' WHERE id=7");
    auto session = mustOpen(file, SessionFile::Mode::ReadOnly);
    const auto rows = *session->trials();
    EXPECT_EQ(rows.size(), 8u);
    EXPECT_EQ(session->damagedRows(), 2);
    for (const TrialRow& row : rows) EXPECT_TRUE(row.id != 4 && row.id != 7);
}

TEST(SessionFile, opensInAReadOnlyFolder) {
    Folder folder;
    const auto file = folder / "a.fettle";
    {
        auto session = mustCreate(file);
        std::vector<TrialRow> rows = {trial(0, 1)};
        ASSERT_TRUE(session->appendTrials(rows));
    }
    folder.forbidWriting();
    test::asNobody([&] {
        auto reader = SessionFile::open(file, SessionFile::Mode::ReadOnly);
        ASSERT_TRUE(reader) << reader.error().message();
        EXPECT_EQ((*reader)->trials()->size(), 1u);
        const auto writer = SessionFile::open(file, SessionFile::Mode::ReadWrite);
        ASSERT_FALSE(writer);
        EXPECT_EQ(writer.error().next, "Choose another place for the session file.");
        EXPECT_FALSE(SessionFile::create(folder / "new.fettle", sampleInfo()));
    });
}

}  // namespace
}  // namespace fettle::store
