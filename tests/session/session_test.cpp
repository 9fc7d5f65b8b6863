// SPDX-License-Identifier: GPL-3.0-or-later
// The whole session on the sample model, with an evaluator that makes up latencies: what is kept, what is told, what
// happens when it is stopped, resumed, destroyed.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

#include "core/session/settings.h"
#include "tests/session/fake_evaluator.h"
#include "tests/store/fixture.h"

namespace fettle::session {
namespace {

using test::FakeLog;
using test::Folder;

class SessionTest : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::copy_file(std::string(FETTLE_SOURCE_DIR) + "/resources/sample/digits_mobilenet/model.onnx",
                                   model());
    }
    std::filesystem::path model() const { return folder / "digits.onnx"; }
    std::filesystem::path file() const { return folder / "digits.fettle"; }

    std::unique_ptr<TuningSession> open(const std::filesystem::path& path, OpenOptions more = {}) {
        OpenOptions options = test::withFake(log);
        options.readOnly = more.readOnly;
        options.newSession = more.newSession;
        options.sessionFile = more.sessionFile;
        auto session = TuningSession::open(path, options);
        EXPECT_TRUE(session) << session.error().message();
        return session ? std::move(*session) : nullptr;
    }
    TuneOptions budget(int trials) {
        TuneOptions options;
        options.trials = trials;
        return options;
    }
    // Runs to the end; the events, without Progress.
    std::vector<Event> finish(TuningSession& session) {
        session.wait();
        return session.poll();
    }
    std::vector<store::TrialRow> stored() {
        return *(*store::SessionFile::open(file(), store::SessionFile::Mode::ReadOnly))->trials();
    }

    Folder folder;
    std::shared_ptr<FakeLog> log = std::make_shared<FakeLog>();
};

template <class T>
std::vector<T> only(const std::vector<Event>& events) {
    std::vector<T> out;
    for (const Event& event : events)
        if (const T* found = std::get_if<T>(&event)) out.push_back(*found);
    return out;
}

std::vector<store::TrialRow> shownTrials(const std::vector<Event>& events) {
    std::vector<store::TrialRow> out;
    for (const TrialsMeasured& batch : only<TrialsMeasured>(events))
        out.insert(out.end(), batch.trials.begin(), batch.trials.end());
    return out;
}

TEST_F(SessionTest, opensAModelWithoutMakingAFile) {
    auto session = open(model());
    EXPECT_FALSE(session->outline()->tasks.empty());
    EXPECT_EQ(session->sessionPath(), file());
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_EQ(only<TaskAdded>(session->poll()).size(), session->outline()->tasks.size());
}

TEST_F(SessionTest, measuresEveryDefaultFirstAndThenSearches) {
    auto session = open(model());
    const size_t tasks = session->outline()->tasks.size();
    ASSERT_TRUE(session->tune(budget(static_cast<int>(tasks) + 64)));
    EXPECT_FALSE(session->tune(budget(1))) << "busy";
    const auto events = finish(*session);
    const auto trials = shownTrials(events);
    ASSERT_GT(trials.size(), tasks);
    for (size_t k = 0; k < trials.size(); ++k) {
        EXPECT_EQ(trials[k].id, static_cast<int64_t>(k) + 1);
        EXPECT_EQ(trials[k].origin == "default", k < tasks) << k;
    }
    const auto finished = only<Finished>(events);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_FALSE(finished[0].failed) << finished[0].error.message();
    EXPECT_FALSE(only<CostModelTrained>(events).empty());
    const TuneSummary summary = session->summary();
    EXPECT_EQ(summary.ok, static_cast<int>(trials.size()));
    EXPECT_GT(summary.baselineNs, 0);
    EXPECT_LE(summary.bestNs, summary.baselineNs);
    EXPECT_EQ(stored().size(), trials.size());
}

TEST_F(SessionTest, theSameSeedGivesTheSameFirstRound) {
    std::vector<std::string> traces[2];
    for (int run = 0; run < 2; ++run) {
        OpenOptions options;
        options.newSession = true;
        auto session = open(model(), options);
        ASSERT_TRUE(session->tune(budget(static_cast<int>(session->outline()->tasks.size()) + 48)));
        for (const auto& trial : shownTrials(finish(*session)))
            traces[run].push_back(std::to_string(trial.task) + " " + trial.trace);
    }
    EXPECT_EQ(traces[0], traces[1]);
    EXPECT_TRUE(std::filesystem::exists(folder / "digits-2.fettle"));
}

TEST_F(SessionTest, resumesWithoutMeasuringAnythingTwice) {
    std::set<std::pair<int, std::string>> seen;
    size_t total = 0;
    for (int run = 0; run < 3; ++run) {
        auto session = open(run == 0 ? model() : file());
        ASSERT_TRUE(session->tune(budget(60)));
        const auto events = finish(*session);
        ASSERT_FALSE(only<Finished>(events).back().failed) << only<Finished>(events).back().error.message();
        session.reset();
        const auto rows = stored();
        ASSERT_GE(rows.size(), total + 60);
        for (size_t k = total; k < rows.size(); ++k)
            EXPECT_TRUE(seen.insert({rows[k].task, rows[k].trace}).second) << "measured again: " << rows[k].trace;
        total = rows.size();
        EXPECT_EQ(rows[total - 1].origin == "default", false);
    }
}

// The fake kernels run at a few Gflop/s at most: under the busy machine's ceiling every task would look finished.
TEST_F(SessionTest, aBusyMachinesCeilingDoesNotEndTheSearch) {
    log->quietAfter = 1;
    log->busyFlops = 1;
    log->quietFlops = 1e15;
    auto session = open(model());
    const size_t tasks = session->outline()->tasks.size();
    ASSERT_TRUE(session->tune(budget(static_cast<int>(tasks) + 64)));
    EXPECT_GE(shownTrials(finish(*session)).size(), tasks + 64);
}

TEST_F(SessionTest, theBestCeilingIsKept) {
    const double probes[] = {4e14, 9e14, 3e14};
    for (const double probe : probes) {
        log->quietFlops = probe;
        auto session = open(std::filesystem::exists(file()) ? file() : model());
        ASSERT_TRUE(session->tune(budget(4)));
        finish(*session);
    }
    const auto kept =
        (*store::SessionFile::open(file(), store::SessionFile::Mode::ReadOnly))->value("ceilings 1 threads");
    ASSERT_TRUE(kept && *kept);
    EXPECT_EQ(rooflineFromJson(**kept).flopsPerSecond, 9e14);
}

TEST_F(SessionTest, reopeningTellsWhatIsInTheFile) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(80)));
    const auto shown = shownTrials(finish(*session));
    const TuneSummary before = session->summary();
    session.reset();
    for (const auto& path : {model(), file()}) {  // the model finds its session
        session = open(path);
        const auto events = session->poll();
        EXPECT_EQ(shownTrials(events).size(), shown.size());
        EXPECT_EQ(session->summary().bestNs, before.bestNs);
        EXPECT_EQ(session->summary().quality.version, before.quality.version);
        session.reset();
    }
}

TEST_F(SessionTest, nothingIsShownThatIsNotSaved) {
    auto session = open(model());
    log->delayMs = 1;
    ASSERT_TRUE(session->tune(budget(120)));
    size_t shown = 0;
    while (session->state() == State::Tuning) {
        shown += shownTrials(session->poll()).size();
        ASSERT_LE(shown, shown > 0 ? stored().size() : 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GT(shown, 0u);
}

TEST_F(SessionTest, pausesAndGoesOnWithWhatWasProposed) {
    auto session = open(model());
    log->delayMs = 4;
    ASSERT_TRUE(session->tune(budget(100)));
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    session->pause();
    while (session->state() != State::Paused) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const size_t atPause = stored().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(stored().size(), atPause);
    log->delayMs = 0;
    session->resumeTuning();
    const auto events = finish(*session);
    EXPECT_FALSE(only<Finished>(events).back().cancelled);
    EXPECT_GE(stored().size(), 100u);
    std::set<std::string> programs;
    for (const std::string& text : log->take()) EXPECT_TRUE(programs.insert(text).second) << "measured twice";
}

TEST_F(SessionTest, stopsAndIsDestroyedAtAnyMoment) {
    for (int ms : {0, 1, 5, 20, 60, 120}) {
        OpenOptions options;
        options.newSession = true;
        auto session = open(model(), options);
        log->delayMs = 1;
        ASSERT_TRUE(session->tune(budget(1000)));
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        if (ms == 20) {
            session->stop();
            const auto events = finish(*session);
            EXPECT_TRUE(only<Finished>(events).back().cancelled);
            EXPECT_TRUE(session->tune(budget(10))) << "can go on after a stop";
        }
        if (ms == 60) session->pause();
    }
}

TEST_F(SessionTest, failuresAreTrialsToo) {
    auto session = open(model());
    log->failEvery = 3;
    ASSERT_TRUE(session->tune(budget(120)));
    finish(*session);
    const TuneSummary summary = session->summary();
    EXPECT_GT(summary.crash, 10);
    for (size_t k = 0; k < summary.taskBestNs.size(); ++k) EXPECT_GT(summary.taskTrials[k], 0);
    for (const auto& row : stored()) EXPECT_EQ(row.error, row.status != 0 ? "crash: SIGSEGV" : "");
}

TEST_F(SessionTest, whenNothingWorksTheCauseIsSaid) {
    auto session = open(model());
    log->failEvery = 1;
    ASSERT_TRUE(session->tune(budget(500)));
    const auto finished = only<Finished>(finish(*session)).back();
    EXPECT_TRUE(finished.failed);
    EXPECT_NE(finished.error.message().find("crash: SIGSEGV"), std::string::npos) << finished.error.message();
    EXPECT_LE(session->summary().crash, 2 * static_cast<int>(session->outline()->tasks.size())) << "defaults only";
    log->failEvery = 0;
    ASSERT_TRUE(session->tune(budget(50)));
    EXPECT_FALSE(only<Finished>(finish(*session)).back().failed);
}

// Of two candidates predicted by one version in a round, both say so, though a newer one is trained meanwhile.
TEST_F(SessionTest, aTrialNamesTheModelThatPredictedIt) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(static_cast<int>(session->outline()->tasks.size()) + 450)));
    const auto events = finish(*session);
    std::set<int> known;
    std::map<int, std::set<int>> versionsOfRound;
    for (const Event& event : events) {
        if (const auto* trained = std::get_if<CostModelTrained>(&event)) known.insert(trained->quality.version);
        const auto* batch = std::get_if<TrialsMeasured>(&event);
        if (!batch) continue;
        for (const store::TrialRow& trial : batch->trials) {
            if (trial.modelVersion == 0) continue;
            EXPECT_TRUE(known.contains(trial.modelVersion)) << "trial " << trial.id;
            versionsOfRound[trial.round].insert(trial.modelVersion);
        }
    }
    EXPECT_FALSE(versionsOfRound.empty());
    for (const auto& [round, versions] : versionsOfRound) EXPECT_EQ(versions.size(), 1u) << "round " << round;
}

TEST_F(SessionTest, aBrokenRunnerEndsTheWorkAndSaysSo) {
    auto session = open(model());
    log->broken = true;
    ASSERT_TRUE(session->tune(budget(50)));
    const auto finished = only<Finished>(finish(*session)).back();
    EXPECT_TRUE(finished.failed);
    EXPECT_EQ(finished.error.code, ErrorCode::MissingTarget);
    EXPECT_EQ(session->state(), State::Failed);
    log->broken = false;
    ASSERT_TRUE(session->tune(budget(50)));
    EXPECT_FALSE(only<Finished>(finish(*session)).back().failed);
}

TEST_F(SessionTest, aSessionWithoutItsModelStillShowsItsTrials) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(40)));
    finish(*session);
    const size_t tasks = session->outline()->tasks.size();
    session.reset();
    std::filesystem::remove(model());
    session = open(file());
    EXPECT_EQ(session->outline()->model, nullptr);
    EXPECT_EQ(session->outline()->tasks.size(), tasks);
    const auto events = session->poll();
    EXPECT_GE(shownTrials(events).size(), 40u);
    const auto warnings = only<Warning>(events);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].error.next, "Put the model back there, or beside the session file.");
    ASSERT_TRUE(session->tune(budget(10)));
    EXPECT_TRUE(only<Finished>(finish(*session)).back().failed);
}

// A flipped byte fails a row's checksum; what the model still knows of the task must not be lost with the row.
TEST_F(SessionTest, damagedTaskRowsAreFoundAgainInTheModel) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(40)));
    finish(*session);
    const auto tasks = session->outline()->tasks;
    const size_t trials = stored().size();
    session.reset();
    test::execute(file(), "UPDATE tasks SET name='flipped' WHERE id IN (0, 3)");
    OpenOptions look;
    look.readOnly = true;
    const auto reader = open(file(), look);
    ASSERT_EQ(reader->outline()->tasks.size(), tasks.size());
    EXPECT_EQ(reader->outline()->tasks[3].name, tasks[3].name);
    EXPECT_EQ(only<Warning>(reader->poll()).size(), 1u);  // left out damaged rows
    session = open(file());
    ASSERT_TRUE(session->tune(budget(5)));
    EXPECT_FALSE(only<Finished>(finish(*session)).back().failed);
    session.reset();
    EXPECT_GT(stored().size(), trials);
    const auto repaired = *store::SessionFile::open(file(), store::SessionFile::Mode::ReadOnly);
    EXPECT_EQ(repaired->tasks()->size(), tasks.size());
    EXPECT_EQ(repaired->damagedRows(), 0);
}

TEST_F(SessionTest, aDamagedTaskRowKeepsItsPlaceWithoutAModel) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(40)));
    finish(*session);
    const auto tasks = session->outline()->tasks;
    session.reset();
    std::filesystem::remove(model());
    test::execute(file(), "UPDATE tasks SET name='flipped' WHERE id=2");
    session = open(file());
    ASSERT_EQ(session->outline()->tasks.size(), tasks.size());
    EXPECT_EQ(session->outline()->tasks[2].name, "(damaged)");
    EXPECT_EQ(session->outline()->tasks[3].name, tasks[3].name);
}

// Fewer tasks than the model has, and no damage: another version of Fettle fused them in another way.
TEST_F(SessionTest, otherTasksWithoutDamageAreRefused) {
    auto session = open(model());
    ASSERT_TRUE(session->tune(budget(40)));
    finish(*session);
    session.reset();
    test::execute(file(), "DELETE FROM tasks WHERE id=3");
    session = open(file());
    const auto warnings = only<Warning>(session->poll());
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].error.why, "another version of Fettle found other tasks in this model");
}

TEST_F(SessionTest, anotherProcessSeesTrialsAsTheyCome) {
    auto writer = open(model());
    ASSERT_TRUE(writer->tune(budget(30)));
    finish(*writer);
    OpenOptions look;
    look.readOnly = true;
    auto reader = open(file(), look);
    size_t seen = shownTrials(reader->poll()).size();
    const size_t before = seen;
    ASSERT_TRUE(writer->tune(budget(40)));
    finish(*writer);
    const size_t all = stored().size();
    for (int k = 0; k < 200 && seen < all; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        seen += shownTrials(reader->poll()).size();
    }
    EXPECT_EQ(seen, all);
    EXPECT_GT(all, before);
    ASSERT_TRUE(reader->tune(budget(10)));
    EXPECT_EQ(only<Finished>(finish(*reader)).back().error.why, "it was opened to look only");
}

TEST_F(SessionTest, triesAScheduleByHand) {
    auto session = open(model());
    ASSERT_TRUE(session->tryTrace(0, ""));
    const auto events = finish(*session);
    const auto trials = shownTrials(events);
    ASSERT_EQ(trials.size(), 1u) << only<Finished>(events).back().error.message();
    EXPECT_EQ(trials[0].origin, "manual");
    ASSERT_TRUE(session->tryTrace(0, "vectorize nosuch.loop"));
    EXPECT_TRUE(only<Finished>(finish(*session)).back().failed);
}

TEST_F(SessionTest, scriptsComeFirst) {
    auto session = open(model());
    TuneOptions options = budget(static_cast<int>(session->outline()->tasks.size()) + 64);
    options.scheduleScripts = {"match *\n# as it is\n"};
    options.operators = {"*Conv*"};
    ASSERT_TRUE(session->tune(options));
    std::set<int> manual, searched;
    for (const auto& trial : shownTrials(finish(*session))) {
        if (trial.origin == "default") continue;
        EXPECT_FALSE(trial.origin == "manual" && searched.contains(trial.task));
        if (trial.origin == "manual")
            manual.insert(trial.task);
        else
            searched.insert(trial.task);
        EXPECT_NE(session->outline()->tasks[static_cast<size_t>(trial.task)].name.find("onv"), std::string::npos);
    }
    EXPECT_FALSE(manual.empty());
}

TEST_F(SessionTest, showsASchedule) {
    auto session = open(model());
    const std::string trace = schedule::print(session->bestTrace(0));
    EXPECT_EQ(*session->show(0, trace, "trace"), trace);
    EXPECT_NE(session->show(0, trace, "loops")->find("for"), std::string::npos);
    EXPECT_EQ(session->show(0, trace, "asm")->substr(0, 13), "# assembly of");
    EXPECT_EQ(session->show(0, trace, "picture").error().code, ErrorCode::Usage);
    EXPECT_FALSE(session->show(999, trace, "loops"));
}

TEST_F(SessionTest, aModelInAReadOnlyFolderKeepsItsSessionElsewhere) {
    Folder data;
    folder.forbidWriting();
    setenv("XDG_DATA_HOME", (data / "").c_str(), 1);
    test::asNobody([&] {
        auto session = TuningSession::open(model(), test::withFake(log));
        ASSERT_TRUE(session) << session.error().message();
        EXPECT_EQ((*session)->sessionPath().parent_path(), data / "fettle/sessions");
        const auto warnings = only<Warning>((*session)->poll());
        ASSERT_FALSE(warnings.empty());
        EXPECT_EQ(warnings[0].error.why, "the model's folder is read-only");
        ASSERT_TRUE((*session)->tune(budget(20)));
        EXPECT_FALSE(only<Finished>(finish(**session)).back().failed);
        EXPECT_TRUE(std::filesystem::exists((*session)->sessionPath()));
    });
    unsetenv("XDG_DATA_HOME");
}

struct BadFile {
    const char* name;
    std::function<std::filesystem::path(const Folder&)> make;
    const char* why;
};

TEST_F(SessionTest, refusesWhatIsNotAModel) {
    const BadFile rows[] = {
        {"missing", [](const Folder& f) { return f / "nosuch.onnx"; }, "there is no such file"},
        {"folder", [](const Folder& f) { return f / ""; }, "it is a folder"},
        {"truncated",
         [this](const Folder& f) {
             std::ifstream in(model(), std::ios::binary);
             std::string bytes((std::istreambuf_iterator<char>(in)), {});
             std::ofstream(f / "cut.onnx", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
             return f / "cut.onnx";
         },
         ""},
    };
    for (const BadFile& row : rows) {
        const auto session = TuningSession::open(row.make(folder), test::withFake(log));
        ASSERT_FALSE(session) << row.name;
        EXPECT_EQ(session.error().code, ErrorCode::BadModel) << row.name << ": " << session.error().message();
        EXPECT_EQ(session.error().why.substr(0, std::strlen(row.why)), row.why) << row.name;
        EXPECT_FALSE(session.error().where.empty()) << row.name;
    }
}

}  // namespace
}  // namespace fettle::session
