// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/grab.h"

#include <QDir>
#include <QEventLoop>
#include <QTabWidget>
#include <QTimer>

#include "ui/charts/plot.h"
#include "ui/shell/main_window.h"

namespace fettle::ui {

namespace {

constexpr int kFramesMs = 120;  // a few frames of the charts' timer, and a batch of events

void runFor(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

// A chart that is drawn slowly backs off; a picture wants it now.
void drawCharts(QWidget& window) {
    for (Plot* plot : window.findChildren<Plot*>()) {
        if (!plot->isVisible()) continue;
        plot->drawFrame();
        plot->replot(QCustomPlot::rpImmediateRefresh);
    }
}

Status save(QWidget& widget, const QString& file) {
    if (widget.grab().save(file)) return {};
    return fail(ErrorCode::Failed, "cannot write the picture", file.toStdString(), "the file cannot be made",
                "Choose a folder that you may write to.");
}

}  // namespace

bool waitUntilSettled(MainWindow& window, int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    do runFor(kFramesMs);
    while (!window.settled() && clock.elapsed() < milliseconds);
    return window.settled();
}

Status grabPages(MainWindow& window, const QString& folder) {
    if (!QDir().mkpath(folder))
        return fail(ErrorCode::Failed, "cannot write pictures", folder.toStdString(), "the folder cannot be made");
    runFor(kFramesMs);
    if (!window.session()->isOpen()) return save(window, folder + "/start.png");
    const char* names[] = {"overview", "tune", "flame", "code"};
    for (int page = 0; page < window.pages()->count() && page < 4; ++page) {
        window.pages()->setCurrentIndex(page);
        waitUntilSettled(window, 20000);
        drawCharts(window);
        const QString name = folder + '/' + names[page] + ".png";
        FETTLE_CHECK(save(*window.pages()->currentWidget(), name));
        FETTLE_CHECK(save(window, page == 0 ? folder + "/window.png" : folder + "/window-" + names[page] + ".png"));
    }
    return {};
}

}  // namespace fettle::ui
