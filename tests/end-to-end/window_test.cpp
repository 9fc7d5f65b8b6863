// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job through the real window and the real engine, on a copy of the bundled sample. Every wait is for a
// signal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <QApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QTimer>
#include <set>

#include "tests/end-to-end/program.h"
#include "ui/docks/bottom_dock.h"
#include "ui/shell/engine_driver.h"
#include "ui/shell/export_dialog.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/banner.h"

namespace fettle::ui {
namespace {

namespace fs = std::filesystem;
constexpr int kPatienceMs = 120'000;  // a busy machine is no failure

// A user without root's right to write anywhere, in every thread, until the end of the block.
class AsNobody {
public:
    AsNobody() : root_(geteuid() == 0) {
        if (root_ && (setresgid(65534, 65534, 0) != 0 || setresuid(65534, 65534, 0) != 0))
            ADD_FAILURE() << "cannot give up the rights of root";
    }
    ~AsNobody() {
        if (root_ && (setresuid(0, 0, 0) != 0 || setresgid(0, 0, 0) != 0)) ADD_FAILURE() << "cannot become root again";
    }

private:
    bool root_;
};

class EndToEnd : public testing::Test {
protected:
    EndToEnd() : theme(*qApp) { fs::copy_file(test::sampleFolder() / "model.onnx", file("digits.onnx")); }
    ~EndToEnd() override { finishWork(); }

    std::string file(const char* name) const { return folder.filePath(name).toStdString(); }
    static QString q(const std::string& text) { return QString::fromStdString(text); }

    // What a closed window leaves behind ends on threads of the pool.
    static void finishWork() {
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
    }

    void makeWindow(int trials = 32) {
        auto settings = std::make_unique<Settings>(folder.filePath("fettle.ini"));
        settings->setBudget(trials, 0, 1);
        window = std::make_unique<MainWindow>(&theme, std::move(settings), openEngine);
        window->show();
        ASSERT_TRUE(window->isVisible());
    }
    SessionController& session() { return *window->session(); }
    const SessionData& data() { return session().data(); }

    // Until `done` holds; looked at whenever the session tells a change.
    testing::AssertionResult await(const std::function<bool()>& done) {
        QSignalSpy changed(&session(), &SessionController::changed);
        const QDeadlineTimer deadline(kPatienceMs);
        while (!done())
            if (!changed.wait(int(std::max<qint64>(1, deadline.remainingTime()))) && !done())
                return testing::AssertionFailure()
                       << "waited in vain; the session is " << session::stateName(data().state) << " with "
                       << data().trials.size() << " trials";
        return testing::AssertionSuccess();
    }

    void open(const std::string& path) {
        QSignalSpy opened(&session(), &SessionController::opened);
        QSignalSpy failed(&session(), &SessionController::openFailed);
        QEventLoop loop;
        QObject::connect(&session(), &SessionController::opened, &loop, &QEventLoop::quit);
        QObject::connect(&session(), &SessionController::openFailed, &loop, &QEventLoop::quit);
        QTimer::singleShot(kPatienceMs, &loop, &QEventLoop::quit);
        window->openFile(q(path));
        loop.exec();
        ASSERT_EQ(failed.count(), 0) << (banner() ? words(banner()) : "no banner");
        ASSERT_EQ(opened.count(), 1) << "opening takes too long";
        ASSERT_TRUE(session().isOpen());
    }

    // The action as its menu has it, which must be enabled.
    void trigger(const char* text) {
        for (QAction* action : window->findChildren<QAction*>())
            if (action->text() == text) {
                ASSERT_TRUE(action->isEnabled()) << text;
                return action->trigger();
            }
        FAIL() << "no action " << text;
    }

    // Triggers it and waits for its Finished event.
    void finish(const char* text) {
        QSignalSpy finished(&session(), &SessionController::finished);
        QSignalSpy failed(&session(), &SessionController::failed);
        trigger(text);
        ASSERT_TRUE(finished.wait(kPatienceMs));
        ASSERT_EQ(failed.count(), 0);
    }

    const Banner* banner() {
        const Banner* shown = nullptr;
        for (const Banner* candidate : window->findChildren<Banner*>())
            if (candidate->isVisible()) shown = candidate;
        return shown;
    }
    static std::string words(const Banner* banner) {
        QStringList texts;
        for (const QLabel* label : banner->findChildren<QLabel*>())
            if (label->isVisible() && !label->text().isEmpty()) texts << label->text();
        return texts.join(" | ").toStdString();
    }

    // As in the title bar; it must ask nothing and must not wait for the work.
    void closePromptly() {
        QElapsedTimer clock;
        clock.start();
        EXPECT_TRUE(window->close());
        EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
        window.reset();
        EXPECT_LT(clock.elapsed(), 1000);
    }

    using Shown = std::map<int64_t, std::tuple<int, int, int64_t, std::string>>;
    Shown shownTrials() {
        Shown shown;
        for (const store::TrialRow& row : data().trials) shown[row.id] = {row.task, row.status, row.minNs, row.trace};
        return shown;
    }
    void expectAllThere(const Shown& before) {
        const Shown now = shownTrials();
        for (const auto& [id, trial] : before) {
            const auto found = now.find(id);
            ASSERT_NE(found, now.end()) << "trial " << id << " was shown and is lost";
            EXPECT_EQ(found->second, trial);
        }
    }

    QTemporaryDir folder;
    Theme theme;
    std::unique_ptr<MainWindow> window;
};

void expectEveryTaskMeasured(const SessionData& data) {
    for (const TaskState& task : data.tasks) {
        EXPECT_GT(task.ok, 0) << task.row.name;
        EXPECT_GT(task.bestNs, 0) << task.row.name;
    }
    EXPECT_EQ(data.failed(), 0);
}

TEST_F(EndToEnd, OpensProfilesTunesPausesClosesReopensAndExports) {
    makeWindow();
    ASSERT_NO_FATAL_FAILURE(open(file("digits.onnx")));
    EXPECT_GE(data().tasks.size(), 10u);
    EXPECT_TRUE(data().trials.empty());

    QSignalSpy profiled(&session(), &SessionController::profileReady);
    ASSERT_NO_FATAL_FAILURE(finish("&Profile"));
    EXPECT_EQ(profiled.count(), 1);
    ASSERT_EQ(data().profiles.size(), 1u);
    EXPECT_GT(data().profiles[0]->totalNs, 0);

    // Pause in the middle: nothing arrives while paused.
    ASSERT_NO_FATAL_FAILURE(trigger("&Tune"));
    ASSERT_TRUE(await([&] { return data().trials.size() >= 4; }));
    ASSERT_TRUE(await([&] { return data().state == session::State::Tuning; }));
    ASSERT_NO_FATAL_FAILURE(trigger("&Pause"));
    ASSERT_TRUE(await([&] { return data().state == session::State::Paused; }));
    const size_t paused = data().trials.size();
    EXPECT_LT(paused, 32u) << "the pause came too late to show anything";
    QSignalSpy noise(&session(), &SessionController::changed);
    EXPECT_FALSE(noise.wait(1500)) << "the session goes on while paused";
    EXPECT_EQ(data().trials.size(), paused);
    EXPECT_EQ(window->findChild<BottomDock*>()->trialModel()->rowCount(), int(paused));
    ASSERT_NO_FATAL_FAILURE(finish("&Pause"));  // goes on, to the end of its budget
    EXPECT_EQ(data().trials.size(), 32u);
    expectEveryTaskMeasured(data());

    // Close while tuning.
    ASSERT_NO_FATAL_FAILURE(trigger("&Tune"));
    ASSERT_TRUE(await([&] { return data().trials.size() > 32; }));
    EXPECT_TRUE(session().tuning());
    const Shown shown = shownTrials();
    closePromptly();
    finishWork();

    // Both ways back to the session: its file, and the model beside which it lies.
    for (const char* name : {"digits.fettle", "digits.onnx"}) {
        makeWindow();
        ASSERT_NO_FATAL_FAILURE(open(file(name)));
        expectAllThere(shown);
        EXPECT_EQ(data().profiles.size(), 1u);
        EXPECT_EQ(window->findChild<BottomDock*>()->trialModel()->rowCount(), int(data().trials.size()));
    }
    const size_t before = data().trials.size();
    ASSERT_NO_FATAL_FAILURE(finish("&Tune"));
    EXPECT_EQ(data().trials.size(), before + 32);
    expectAllThere(shown);
    expectEveryTaskMeasured(data());
    EXPECT_LE(data().modelNs(), data().baselineNs());

    // Export through the dialog, and use what it wrote as anyone would.
    ASSERT_NO_FATAL_FAILURE(trigger("&Export .so…"));
    auto* dialog = window->findChild<ExportDialog*>();
    ASSERT_TRUE(dialog);
    dialog->findChild<QLineEdit*>()->setText(q(file("exported")));
    QPushButton* button = nullptr;
    for (QPushButton* candidate : dialog->findChildren<QPushButton*>())
        if (candidate->text() == "Export") button = candidate;
    ASSERT_TRUE(button && button->isEnabled());
    QSignalSpy exported(&session(), &SessionController::exported);
    button->click();
    ASSERT_TRUE(exported.wait(kPatienceMs)) << (banner() ? words(banner()) : "no banner");
    const auto report = exported.at(0).at(0).value<compile::ExportReport>();
    EXPECT_TRUE(report.verification.ok);
    EXPECT_EQ(report.verification.outputs.size(), 1u);
    const std::vector<float> digits = test::runExample(file("exported"), folder.path().toStdString());
    const auto expected = test::lastFloats(test::sampleFolder() / "test_data_set_0/output_0.pb", 10);
    EXPECT_LE(test::maxAbsDifference(digits, expected), 1e-4);
    EXPECT_EQ(test::argmax(digits), 6u);
    closePromptly();
}

TEST_F(EndToEnd, StopEndsATuneAndKeepsItsTrials) {
    makeWindow(4000);
    ASSERT_NO_FATAL_FAILURE(open(file("digits.onnx")));
    ASSERT_NO_FATAL_FAILURE(trigger("&Tune"));
    ASSERT_TRUE(await([&] { return data().trials.size() >= 2; }));
    QSignalSpy finished(&session(), &SessionController::finished);
    ASSERT_NO_FATAL_FAILURE(trigger("&Stop"));
    ASSERT_TRUE(finished.count() > 0 || finished.wait(kPatienceMs));
    EXPECT_EQ(finished.at(0).at(0).toBool(), true) << "it was cancelled";
    EXPECT_FALSE(session().busy());
    EXPECT_EQ(data().failed(), 0) << "stopping fails no trial";
    const Shown shown = shownTrials();
    ASSERT_NO_FATAL_FAILURE(open(file("digits.fettle")));
    expectAllThere(shown);
}

TEST_F(EndToEnd, ClosesWhileTheModelIsLoading) {
    makeWindow();
    window->openFile(q(file("digits.onnx")));
    EXPECT_TRUE(session().opening());
    closePromptly();
    finishWork();
    EXPECT_FALSE(fs::exists(file("digits.fettle"))) << "a session is made with its first trial";
}

TEST_F(EndToEnd, WhatIsNoUsableModelIsNamedInABanner) {
    makeWindow();
    const fs::path bad = fs::path(FETTLE_SOURCE_DIR) / "tests/data/bad";
    const struct {
        std::string file;
        ErrorCode code;
        std::vector<std::string> says;
    } rows[] = {
        {bad / "09b_unknown_op.onnx",
         ErrorCode::UnsupportedOperators,
         {"the model uses operators that are not supported", "Nope_0", "opset 13"}},
        {bad / "03_truncated.onnx", ErrorCode::BadModel, {"cannot open 03_truncated.onnx", "truncated", "61 left"}},
        {file("missing.onnx"), ErrorCode::BadModel, {"cannot open the model", "there is no such file"}},
        {folder.path().toStdString(), ErrorCode::BadModel, {"cannot open the model", "it is a folder"}},
    };
    for (const auto& row : rows) {
        QSignalSpy failed(&session(), &SessionController::openFailed);
        window->openFile(q(row.file));
        ASSERT_TRUE(failed.wait(kPatienceMs)) << row.file;
        ASSERT_TRUE(banner()) << row.file;
        EXPECT_EQ(banner()->error().code, row.code) << row.file;
        for (const std::string& text : row.says)
            EXPECT_NE(words(banner()).find(text), std::string::npos) << text << " in: " << words(banner());
        EXPECT_FALSE(session().isOpen());
    }
    // A good model takes the banner away.
    ASSERT_NO_FATAL_FAILURE(open(file("digits.onnx")));
    EXPECT_EQ(banner(), nullptr);
}

TEST_F(EndToEnd, AModelInAReadOnlyFolderSaysWhereItsSessionGoes) {
    const fs::path locked = file("locked"), data = file("data");
    fs::create_directories(locked);
    fs::create_directories(data);
    fs::copy_file(file("digits.onnx"), locked / "digits.onnx");
    fs::permissions(locked,
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    for (const fs::path& path : {fs::path(folder.path().toStdString()), data}) fs::permissions(path, fs::perms::all);
    qputenv("XDG_DATA_HOME", data.c_str());
    {
        const AsNobody unprivileged;
        makeWindow();
        QSignalSpy warned(&session(), &SessionController::warned);
        ASSERT_NO_FATAL_FAILURE(open(locked / "digits.onnx"));
        EXPECT_TRUE(warned.count() > 0 || warned.wait(kPatienceMs));
        ASSERT_TRUE(banner());
        EXPECT_NE(words(banner()).find("the model's folder is read-only"), std::string::npos) << words(banner());
        EXPECT_NE(words(banner()).find((data / "fettle/sessions").string()), std::string::npos) << words(banner());
        closePromptly();
        finishWork();
    }
    qunsetenv("XDG_DATA_HOME");
    fs::permissions(locked, fs::perms::owner_all);
}

}  // namespace
}  // namespace fettle::ui
