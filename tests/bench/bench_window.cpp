// SPDX-License-Identifier: GPL-3.0-or-later
// 20,000 synthetic trials at 1,000 a second into the real window: how long the event loop is ever kept waiting.
// Prints p50, p99 and the longest gap in milliseconds; fails (exit code 1) when p99 is 50 ms or more.
#include <QApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "tests/ui/synthetic_session.h"
#include "ui/shell/main_window.h"

namespace {

using namespace fettle;

constexpr int kTrials = 20000, kPerSecond = 1000, kBatch = 10;

// Feeds from a thread of its own, as the engine does.
void feed(ui::test::SyntheticDriver& driver, std::atomic<bool>& done) {
    const auto start = std::chrono::steady_clock::now();
    for (int sent = 0; sent < kTrials; sent += kBatch) {
        driver.pushTrials(kBatch);
        std::this_thread::sleep_until(start + std::chrono::milliseconds(1000LL * (sent + kBatch) / kPerSecond));
    }
    done = true;
}

double at(const std::vector<double>& sorted, double quantile) {
    return sorted[std::min(sorted.size() - 1, size_t(quantile * double(sorted.size())))];
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QTemporaryDir folder;
    ui::Theme theme(application);
    std::shared_ptr<ui::test::SyntheticDriver> driver;
    ui::MainWindow window(&theme, std::make_unique<ui::Settings>(folder.filePath("fettle.ini")),
                          ui::test::syntheticOpener({}, &driver));
    window.show();
    QEventLoop opening;
    QObject::connect(window.session(), &ui::SessionController::opened, &opening, &QEventLoop::quit);
    window.openFile("synthetic.onnx");
    opening.exec();
    window.tune();
    window.pages()->setCurrentIndex(1);  // Tune: the page with most to draw

    std::vector<double> gaps;
    QElapsedTimer clock;
    QTimer pulse;
    pulse.setTimerType(Qt::PreciseTimer);
    pulse.setInterval(0);
    std::atomic<bool> done = false;
    qint64 last = 0;
    QObject::connect(&pulse, &QTimer::timeout, [&] {
        const qint64 now = clock.nsecsElapsed();
        gaps.push_back(double(now - last) * 1e-6);
        last = now;
        if (done) QCoreApplication::exit();  // quit() would close the window, and its session, first
        std::this_thread::sleep_for(std::chrono::microseconds(500));  // leave the core to the feeder
        last = clock.nsecsElapsed();
    });
    int page = 1;
    QTimer turn;  // look at every page meanwhile
    QObject::connect(&turn, &QTimer::timeout,
                     [&] { window.pages()->setCurrentIndex(page++ % window.pages()->count()); });
    turn.start(2500);
    clock.start();
    pulse.start();
    std::thread feeder([&] { feed(*driver, done); });
    QApplication::exec();
    feeder.join();
    QCoreApplication::processEvents();

    std::sort(gaps.begin(), gaps.end());
    // Most turns of the loop are idle; what matters is how long a click would wait, so weigh each gap by its length.
    double total = 0, sum = 0, p99 = 0;
    for (double gap : gaps) total += gap;
    for (double gap : gaps)
        if ((sum += gap) >= 0.99 * total) {
            p99 = gap;
            break;
        }
    std::printf("trials shown %zu of %d\n", window.session()->data().trials.size(), kTrials);
    std::printf(
        "event-loop gap, ms: p50 %.2f  p99 %.2f  longest %.2f  (99 %% of all waiting time is in gaps up to %.2f)\n",
        at(gaps, 0.5), at(gaps, 0.99), gaps.back(), p99);
    window.close();
    driver.reset();
    QThreadPool::globalInstance()->waitForDone();
    return p99 < 50 ? 0 : 1;
}
