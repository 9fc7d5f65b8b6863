// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the main window and what their actions do.
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QShortcut>
#include <QTabWidget>

#include "ui/docks/bottom_dock.h"
#include "ui/docks/dock.h"
#include "ui/docks/operators_dock.h"
#include "ui/pages/flame_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sample_model.h"
#include "ui/shell/small_dialogs.h"
#include "ui/shell/tool_row.h"
#include "ui/widgets/banner.h"

namespace fettle::ui {

void MainWindow::makeMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(actions_.open);
    recentMenu_ = file->addMenu(tr("Open &recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, [this] {
        recentMenu_->clear();
        for (const RecentSession& recent : settings_->recent())
            recentMenu_->addAction(recent.file, this, [this, path = recent.file] { openFile(path); });
        if (recentMenu_->isEmpty()) recentMenu_->addAction(tr("Nothing yet"))->setEnabled(false);
    });
    file->addAction(actions_.openSample);
    file->addSeparator();
    file->addAction(actions_.exportModel);
    file->addSeparator();
    file->addAction(actions_.closeSession);
    file->addAction(actions_.quit);
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addActions({actions_.find, actions_.copyName, actions_.clearSelection});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (QDockWidget* dock : std::initializer_list<QDockWidget*>{operatorsDock_, inspectorDock_, bottom_})
        view->addAction(dock->toggleViewAction());
    view->addSeparator();
    view->addActions({actions_.layoutTune, actions_.layoutInspect, actions_.restoreLayout});
    view->addSeparator();
    QMenu* theme = view->addMenu(tr("&Theme"));
    theme->addActions({actions_.themeSystem, actions_.themeLight, actions_.themeDark});
    QMenu* session = menuBar()->addMenu(tr("&Session"));
    session->addActions({actions_.profile, actions_.profileDefault, actions_.dimensions});
    QMenu* tune = menuBar()->addMenu(tr("&Tune"));
    tune->addActions({actions_.tune, actions_.pause, actions_.stop});
    tune->addSeparator();
    tune->addAction(actions_.tuneOptions);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addActions({actions_.shortcuts, actions_.about});
}

void MainWindow::makePageShortcuts() {
    // The numbers of the full list of pages, so that they stay the same when Graph and Compare are there.
    const struct {
        int key;
        int page;
    } keys[] = {{Qt::Key_1, 0}, {Qt::Key_3, 1}, {Qt::Key_4, 2}, {Qt::Key_5, 3}};
    for (const auto& row : keys) {
        auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key(row.key)), this);
        connect(shortcut, &QShortcut::activated, this, [this, page = row.page] { pages_->setCurrentIndex(page); });
    }
}

void MainWindow::connectActions() {
    const Actions& a = actions_;
    auto on = [this](QAction* action, auto&& slot) { connect(action, &QAction::triggered, this, slot); };
    on(a.open, [this] { askFile(); });
    on(a.openSample, [this] { openSample(); });
    on(a.exportModel, [this] { exportModel(); });
    on(a.closeSession, [this] {
        rememberSession();
        session_->close();
    });
    on(a.quit, [this] { close(); });
    on(a.find, [this] {
        if (pages_->isVisible() && pages_->currentWidget() == flame_)
            flame_->focusSearch();
        else
            operators_->focusFilter();
    });
    on(a.clearSelection, [this] { selection_->clear(); });
    on(a.copyName, [this] {
        if (const TaskState* task = session_->data().task(selection_->task()))
            QApplication::clipboard()->setText(QString::fromStdString(task->row.name));
    });
    on(a.profile, [this] { profile(true); });
    on(a.profileDefault, [this] { profile(false); });
    on(a.dimensions, [this] { changeDimensions(); });
    on(a.tune, [this] { tune(); });
    on(a.pause, [this] { session_->pauseOrResume(); });
    on(a.stop, [this] { session_->stop(); });
    on(a.tuneOptions, [this] { changeOptions(); });
    on(a.restoreLayout, [this] { defaultLayout(); });
    on(a.layoutTune, [this] {
        defaultLayout();
        pages_->setCurrentIndex(1);
    });
    on(a.layoutInspect, [this] {
        defaultLayout();
        bottom_->hide();
        pages_->setCurrentIndex(3);
    });
    on(a.themeSystem, [this] { chooseTheme(ThemeChoice::System); });
    on(a.themeLight, [this] { chooseTheme(ThemeChoice::Light); });
    on(a.themeDark, [this] { chooseTheme(ThemeChoice::Dark); });
    on(a.shortcuts, [this] { showShortcuts(theme_, this); });
    on(a.about, [this] { showAbout(); });
    a.openSample->setEnabled(!sampleModelFile().isEmpty());
    connect(theme_, &Theme::changed, this, [this] { actions_.applyTheme(); });
    connect(tools_, &ToolRow::targetChosen, this, &MainWindow::changeTarget);
    connect(tools_, &ToolRow::optionsChosen, this, &MainWindow::changeOptions);
    connect(tools_, &ToolRow::budgetChosen, this, [this] {
        const Budget budget = tools_->budget();
        options_.trials = budget.trials;
        options_.minutes = budget.minutes;
        settings_->setBudget(options_.trials, options_.minutes, options_.threads);
    });
    connect(banner_, &Banner::actionChosen, this, [this] {
        banner_->hide();
        changeDimensions();
    });
}

void MainWindow::askFile() {
    const QString folder = session_->isOpen() ? QFileInfo(session_->filePath()).path() : QString();
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a model or a session"), folder,
                                                      tr("Models and sessions (*.onnx *.fettle);;All files (*)"));
    if (!file.isEmpty()) openFile(file);
}

void MainWindow::openSample() {
    const QString file = sampleModelForUser();
    if (!file.isEmpty()) return openFile(file);
    Error error;
    error.what = "cannot open the sample model";
    error.why = "it cannot be copied into your data folder";
    startBanner_->showError(error);
}

void MainWindow::changeDimensions() {
    const auto outline = session_->data().outline;
    if (!outline || outline->info.dims.empty() || session_->busy()) return;
    const auto dims = askDimensions(theme_, outline->info.dims, this);
    if (!dims || *dims == outline->info.dims) return;
    session::OpenOptions options = session_->openOptions();
    options.dims = *dims;
    options.newSession = true;  // kernels of other shapes are another session
    const QString model = QString::fromStdString(outline->info.modelPath);
    session_->open(QFileInfo::exists(model) ? model : session_->filePath(), options);
}

void MainWindow::changeTarget(const QString& target) {
    const auto outline = session_->data().outline;
    if (!session_->isOpen() || !outline || outline->info.target == target.toStdString()) return;
    session::OpenOptions options;
    options.dims = outline->info.dims;
    options.target = target.toStdString();
    options.newSession = true;  // times of another machine are another session
    const QString model = QString::fromStdString(outline->info.modelPath);
    session_->open(QFileInfo::exists(model) ? model : session_->filePath(), options);
}

void MainWindow::changeOptions() {
    const auto outline = session_->data().outline;
    const int cores = outline ? outline->target.cores : target::detectHost().cores;
    const auto options = askTuneOptions(theme_, tuneOptions(), cores, !session_->data().trials.empty(), this);
    if (!options) return;
    options_ = *options;
    tools_->setBudget({options->trials, options->minutes});
    settings_->setBudget(options->trials, options->minutes, options->threads);
}

void MainWindow::chooseTheme(ThemeChoice choice) {
    if (choice != theme_->choice()) {
        theme_->setChoice(choice);
        settings_->setTheme(choice);
    }
    actions_.themeSystem->setChecked(choice == ThemeChoice::System);
    actions_.themeLight->setChecked(choice == ThemeChoice::Light);
    actions_.themeDark->setChecked(choice == ThemeChoice::Dark);
}

void MainWindow::showAbout() {
    QMessageBox::about(this, tr("About Fettle"),
                       tr("<h3>Fettle %1</h3><p>An auto-tuning compiler for ONNX models.</p>"
                          "<p>GPL-3.0-or-later; what it exports is yours.</p>")
                           .arg(QCoreApplication::applicationVersion()));
}

}  // namespace fettle::ui
