// SPDX-License-Identifier: GPL-3.0-or-later
// fettle [FILE]: the window. fettle --grab DIR FILE [--theme light|dark] [--scale 1|2] [--size WxH]: its pages as PNG.
#include <QApplication>
#include <QCommandLineParser>
#include <QThreadPool>
#include <clocale>
#include <csignal>
#include <cstdio>

#include "core/support/version.h"
#include "ui/shell/engine_driver.h"
#include "ui/shell/grab.h"
#include "ui/shell/icons.h"
#include "ui/shell/main_window.h"

namespace {

using namespace fettle;

// Read before there is an application: they decide which platform and ratio it starts with.
void prepareGrab(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument = argv[i];
        if (argument.startsWith("--grab") && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
        if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
        if (argument.startsWith("--scale=")) qputenv("QT_SCALE_FACTOR", argument.mid(8));
    }
}

int report(const Error& error) {
    std::fprintf(stderr, "fettle: error: %s\n", error.message().c_str());
    return int(error.code);
}

int grab(ui::MainWindow& window, const QString& folder, const QString& file) {
    if (!file.isEmpty()) {
        Error error;
        bool failed = false;
        QEventLoop loop;
        QObject::connect(window.session(), &ui::SessionController::opened, &loop, &QEventLoop::quit);
        QObject::connect(window.session(), &ui::SessionController::openFailed, &loop, [&](const Error& e) {
            error = e;
            failed = true;
            loop.quit();
        });
        window.openFile(file);
        loop.exec();
        if (failed) return report(error);
    }
    const Status done = ui::grabPages(window, folder);
    return done ? 0 : report(done.error());
}

int run(QApplication& application, const QCommandLineParser& options) {
    auto settings = std::make_unique<ui::Settings>(ui::Settings::defaultFile());
    ui::Theme theme(application);
    const QString wanted = options.value("theme");
    theme.setChoice(wanted == "light"  ? ui::ThemeChoice::Light
                    : wanted == "dark" ? ui::ThemeChoice::Dark
                                       : settings->theme());
    const QString file = options.positionalArguments().value(0);
    const bool grabbing = options.isSet("grab");
    if (grabbing) settings = std::make_unique<ui::Settings>(QString("/dev/null"));  // pictures do not depend on habits
    ui::MainWindow window(&theme, std::move(settings), ui::openEngine);
    const QStringList size = options.value("size").split('x');
    if (size.size() == 2) window.resize(size[0].toInt(), size[1].toInt());
    window.show();
    if (grabbing) return grab(window, options.value("grab"), file);
    if (!file.isEmpty()) window.openFile(file);
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is then an error of the write, as a full disk is
    prepareGrab(argc, argv);
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");  // QApplication took the user's; numbers in files have a point
    QLocale::setDefault(QLocale::c());
    QApplication::setApplicationName("fettle");
    QApplication::setApplicationVersion(version());
    QApplication::setDesktopFileName("org.fettle.Fettle");
    QApplication::setWindowIcon(ui::applicationIcon());
    QCommandLineParser options;
    options.setApplicationDescription(
        "Opens an ONNX model or a session, shows where its time goes, tunes it, exports it.");
    options.addHelpOption();
    options.addVersionOption();
    options.addPositionalArgument("FILE", "an .onnx model or a .fettle session", "[FILE]");
    options.addOption({"grab", "write every page as PNG into DIR, without a screen", "DIR"});
    options.addOption({"theme", "light or dark", "THEME"});
    options.addOption({"scale", "pixels per point: 1 or 2", "N"});
    options.addOption({"size", "size of the window, like 1440x900", "WxH"});
    options.process(application);
    const int code = run(application, options);
    QThreadPool::globalInstance()->waitForDone();  // sessions that are still closing
    return code;
}
