// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with a made-up session: opening, following, closing at the wrong moment, a bad settings file.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>

#include "tests/ui/synthetic_session.h"
#include "ui/docks/bottom_dock.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/banner.h"

namespace fettle::ui {
namespace {

class WindowTest : public testing::Test {
protected:
    WindowTest() : theme(*qApp) {}
    ~WindowTest() override {
        driver.reset();
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
    }

    std::unique_ptr<MainWindow> makeWindow(test::SyntheticOptions options = {}) {
        auto window = std::make_unique<MainWindow>(&theme, std::make_unique<Settings>(folder.filePath("fettle.ini")),
                                                   test::syntheticOpener(options, &driver));
        window->show();
        return window;
    }

    void open(MainWindow& window) {
        QSignalSpy opened(window.session(), &SessionController::opened);
        window.openFile("synthetic.onnx");
        ASSERT_TRUE(opened.wait(5000));
    }

    QTemporaryDir folder;
    Theme theme;
    std::shared_ptr<test::SyntheticDriver> driver;
};

TEST_F(WindowTest, ShowsTrialsOfASessionAndSelectsTheWorstOperator) {
    auto window = makeWindow();
    open(*window);
    window->tune();
    QSignalSpy changed(window->session(), &SessionController::changed);
    driver->pushTrials(200);
    ASSERT_TRUE(changed.wait(2000));
    const SessionData& data = window->session()->data();
    EXPECT_EQ(data.trials.size(), 200u);
    EXPECT_EQ(window->findChild<BottomDock*>()->trialModel()->rowCount(), 200);
    EXPECT_EQ(window->selection()->task(), data.operators[data.slowestOperator()].task);
    EXPECT_FALSE(window->selection()->chosenByUser());
    // An operator that the user chose stays chosen.
    window->selection()->selectTask(7);
    driver->pushTrials(200);
    ASSERT_TRUE(changed.wait(2000));
    EXPECT_EQ(window->selection()->task(), 7);
}

TEST_F(WindowTest, KeepsTheModelsRulesWhileStreaming) {
    auto window = makeWindow();
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (QTableView* view : window->findChildren<QTableView*>())
        if (view->model())
            testers.push_back(std::make_unique<QAbstractItemModelTester>(
                view->model(), QAbstractItemModelTester::FailureReportingMode::Fatal));
    EXPECT_GE(testers.size(), 4u);
    open(*window);
    QSignalSpy changed(window->session(), &SessionController::changed);
    for (int batch = 0; batch < 10; ++batch) {
        driver->pushTrials(100);
        ASSERT_TRUE(changed.wait(2000));
        window->pages()->setCurrentIndex(batch % window->pages()->count());
    }
    EXPECT_EQ(window->session()->data().trials.size(), 1000u);
}

TEST_F(WindowTest, ClosesWhileAModelIsLoading) {
    {
        auto window = makeWindow({.openMs = 150});
        window->openFile("synthetic.onnx");
        EXPECT_TRUE(window->session()->opening());
        window->close();
    }
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    driver.reset();
    EXPECT_EQ(test::SyntheticDriver::alive, 0) << "the session that was opened too late is closed";
}

TEST_F(WindowTest, ClosesWhileTuningAndWhileCodeIsBeingBuilt) {
    {
        auto window = makeWindow({.showMs = 150});
        open(*window);
        window->tune();
        driver->pushTrials(100);
        window->pages()->setCurrentIndex(window->pages()->count() - 1);
        QTest::qWait(400);  // the page has asked for its artefacts
        driver->pushTrials(100);
        window->close();
    }
    driver.reset();
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    EXPECT_EQ(test::SyntheticDriver::alive, 0);
}

TEST_F(WindowTest, OpeningASecondFileDropsTheFirst) {
    auto window = makeWindow({.openMs = 50});
    QSignalSpy opened(window->session(), &SessionController::opened);
    window->openFile("first.onnx");
    window->openFile("second.onnx");
    ASSERT_TRUE(opened.wait(5000));
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    EXPECT_EQ(opened.count(), 1);
    EXPECT_TRUE(window->session()->filePath().endsWith("second.onnx"));
}

TEST_F(WindowTest, ShowsAnErrorWhereItHappened) {
    auto window = makeWindow();
    QSignalSpy failed(window->session(), &SessionController::openFailed);
    window->openFile("missing.onnx");
    ASSERT_TRUE(failed.wait(5000));
    Banner* shown = nullptr;
    for (Banner* banner : window->findChildren<Banner*>())
        if (banner->isVisible()) shown = banner;
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->error().why, "there is no such file");
    EXPECT_TRUE(shown->accessibleName().contains("Check the name."));
}

TEST_F(WindowTest, StartsWithABadSettingsFile) {
    QFile file(folder.filePath("fettle.ini"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(
        "[window]\ngeometry=@ByteArray(nonsense)\nlayout=\xff\xfe\x00[[[\ntheme=7\n[tune]\ntrials=many\nminutes=nan\n["
        "recent]\nsize=9999999\n");
    file.close();
    auto window = makeWindow();
    EXPECT_TRUE(window->isVisible());
    open(*window);
    EXPECT_TRUE(window->session()->isOpen());
}

TEST_F(WindowTest, RemembersTheSessionAndTheLayout) {
    {
        auto window = makeWindow();
        open(*window);
        QSignalSpy changed(window->session(), &SessionController::changed);
        window->tune();
        driver->pushTrials(100);
        ASSERT_TRUE(changed.wait(2000));
        window->close();
    }
    Settings settings(folder.filePath("fettle.ini"));
    ASSERT_EQ(settings.recent().size(), 1);
    EXPECT_EQ(settings.recent()[0].trials, 100);
    EXPECT_EQ(settings.recent()[0].model, "synthetic.onnx");
    EXPECT_GT(settings.recent()[0].baselineNs, settings.recent()[0].bestNs);
    EXPECT_FALSE(settings.layout().isEmpty());
}

TEST_F(WindowTest, EveryViewHasAnAccessibleName) {
    auto window = makeWindow();
    open(*window);
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        const bool custom = QByteArray(widget->metaObject()->className()).startsWith("fettle::ui::") &&
                            widget->focusPolicy() != Qt::NoFocus;
        const bool view = qobject_cast<const QTableView*>(widget);
        if ((custom || view) && widget->isVisible() && !qobject_cast<const QLabel*>(widget)) {
            EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
        }
    }
}

}  // namespace
}  // namespace fettle::ui
