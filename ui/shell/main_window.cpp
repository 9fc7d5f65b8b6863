// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "core/session/settings.h"
#include "ui/docks/bottom_dock.h"
#include "ui/docks/dock.h"
#include "ui/docks/inspector_dock.h"
#include "ui/docks/operators_dock.h"
#include "ui/pages/code_page.h"
#include "ui/pages/flame_page.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/start_page.h"
#include "ui/pages/tune_page.h"
#include "ui/shell/export_dialog.h"
#include "ui/shell/icons.h"
#include "ui/shell/sample_model.h"
#include "ui/shell/small_dialogs.h"
#include "ui/shell/status_line.h"
#include "ui/shell/tool_row.h"
#include "ui/widgets/banner.h"

namespace fettle::ui {

MainWindow::MainWindow(Theme* theme, std::unique_ptr<Settings> settings, DriverOpener opener)
    : theme_(theme),
      settings_(std::move(settings)),
      actions_(theme, this),
      frames_(new FrameTimer(this)),
      selection_(new SelectionContext(this)),
      session_(new SessionController(std::move(opener), this)),
      context_{theme, selection_, session_, frames_} {
    setWindowTitle(tr("Fettle"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setMinimumSize(960, 600);
    options_.trials = settings_->budgetTrials();
    options_.minutes = settings_->budgetMinutes();
    options_.threads = settings_->threads();
    tools_ = new ToolRow(theme, actions_);
    tools_->setBudget({options_.trials, options_.minutes});
    addToolBar(tools_);
    status_ = new StatusLine(context_);
    statusBar()->addWidget(status_, 1);
    statusBar()->setSizeGripEnabled(false);
    makeCentre();
    makeDocks();
    makeMenus();
    makePageShortcuts();
    connectActions();
    connectSession();
    resize(1440, 900);
    defaultLayout();
    if (!settings_->geometry().isEmpty()) restoreGeometry(settings_->geometry());
    if (!settings_->layout().isEmpty()) restoreState(settings_->layout(), Settings::kLayoutVersion);
    layout_ = saveState(Settings::kLayoutVersion);
    showDocks(false);
    chooseTheme(theme_->choice());
    refreshActions();
}

MainWindow::~MainWindow() {
    // Views hold references to the session's data: they go first.
    session_->close();
    delete takeCentralWidget();
    for (QDockWidget* dock : findChildren<QDockWidget*>()) delete dock;
}

void MainWindow::makeCentre() {
    overview_ = new OverviewPage(context_);
    tunePage_ = new TunePage(context_);
    flame_ = new FlamePage(theme_, selection_);
    code_ = new CodePage(context_);
    pages_ = new QTabWidget;
    pages_->setObjectName("pages");
    pages_->setDocumentMode(true);
    pages_->addTab(overview_, tr("Overview"));
    pages_->addTab(tunePage_, tr("Tune"));
    pages_->addTab(flame_, tr("Flame"));
    pages_->addTab(code_, tr("Code"));
    banner_ = new Banner(theme_);
    auto* work = new QFrame;
    work->setProperty("panel", true);
    auto* column = new QVBoxLayout(work);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addWidget(banner_);
    column->addWidget(pages_, 1);

    start_ = new StartPage(theme_, settings_.get());
    startBanner_ = new Banner(theme_);
    auto* startFrame = new QFrame;
    startFrame->setProperty("panel", true);
    auto* startColumn = new QVBoxLayout(startFrame);
    startColumn->setContentsMargins(1, 1, 1, 1);
    startColumn->setSpacing(0);
    startColumn->addWidget(startBanner_);
    startColumn->addWidget(start_, 1);
    centre_ = new QStackedWidget;
    centre_->addWidget(startFrame);
    centre_->addWidget(work);
    setCentralWidget(centre_);
    connect(start_, &StartPage::openChosen, this, &MainWindow::askFile);
    connect(start_, &StartPage::fileChosen, this, &MainWindow::openFile);
    connect(start_, &StartPage::sampleChosen, this, &MainWindow::openSample);
    connect(tunePage_, &TunePage::followingChosen, this, &MainWindow::setFollowing);
    connect(overview_, &OverviewPage::userZoomed, this, [this] { setFollowing(false); });
    connect(flame_, &FlamePage::profileRequested, this, [this] { profile(true); });
    connect(flame_, &FlamePage::exportFailed, this, [this](const Error& error) { banner_->showError(error); });
}

void MainWindow::makeDocks() {
    operators_ = new OperatorsPanel(context_);
    inspector_ = new InspectorPanel(context_);
    operatorsDock_ = new Dock(theme_, "operatorsDock", tr("Operators"), operators_);
    inspectorDock_ = new Dock(theme_, "inspectorDock", tr("Inspector"), inspector_);
    bottom_ = new BottomDock(context_);
    addDockWidget(Qt::LeftDockWidgetArea, operatorsDock_);
    addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    addDockWidget(Qt::BottomDockWidgetArea, bottom_);
    connect(inspector_, &InspectorPanel::openInCode, this, [this] { pages_->setCurrentWidget(code_); });
}

void MainWindow::defaultLayout() {
    for (QDockWidget* dock : std::initializer_list<QDockWidget*>{operatorsDock_, inspectorDock_, bottom_}) {
        dock->setFloating(false);
        dock->show();
    }
    addDockWidget(Qt::LeftDockWidgetArea, operatorsDock_);
    addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
    addDockWidget(Qt::BottomDockWidgetArea, bottom_);
    resizeDocks({operatorsDock_, inspectorDock_}, {theme_->px(300), theme_->px(340)}, Qt::Horizontal);
    resizeDocks({bottom_}, {theme_->px(190)}, Qt::Vertical);
}

// The start page has the window to itself; what was open before comes back with the session.
void MainWindow::showDocks(bool on) {
    if (on) {
        restoreState(layout_, Settings::kLayoutVersion);
        return;
    }
    if (centre_->currentIndex() == 1) layout_ = saveState(Settings::kLayoutVersion);
    for (QDockWidget* dock : std::initializer_list<QDockWidget*>{operatorsDock_, inspectorDock_, bottom_}) dock->hide();
}

void MainWindow::connectSession() {
    connect(session_, &SessionController::openStarted, this, [this] {
        banner_->hide();
        startBanner_->hide();
        refreshActions();
        status_->refresh();
    });
    connect(session_, &SessionController::opened, this, &MainWindow::sessionOpened);
    connect(session_, &SessionController::closed, this, &MainWindow::sessionClosed);
    connect(session_, &SessionController::changed, this, &MainWindow::refresh);
    connect(session_, &SessionController::openFailed, this, [this](const Error& error) {
        showStart();
        startBanner_->showError(error);
        resumeWhenOpen_ = false;
        refreshActions();
        status_->refresh();
    });
    connect(session_, &SessionController::failed, this, [this](const Error& error) { banner_->showError(error); });
    connect(session_, &SessionController::warned, this, [this](const Error& error) {
        bottom_->addWarning(error);
        if (error.what != "note") banner_->showError(error);  // a read-only folder, a session opened to look only
    });
    connect(session_, &SessionController::logged, this, [this](const QString& line) { bottom_->addLog(line); });
    connect(session_, &SessionController::profileReady, this, [this] { refreshFlame(); });
    connect(session_, &SessionController::finished, this, &MainWindow::rememberSession);
    connect(session_, &SessionController::roofMeasured, this, [this] {
        operators_->model()->setRoofline(session_->roof().flopsPerSecond, session_->roof().bytesPerSecond);
    });
    connect(status_, &StatusLine::followingChosen, this, &MainWindow::setFollowing);
}

void MainWindow::openFile(const QString& file, bool resume) {
    rememberSession();
    resumeWhenOpen_ = resume;
    session::OpenOptions options;
    options.target = tools_->target().toStdString();
    askDimensions_ = file.endsWith(".onnx", Qt::CaseInsensitive);
    selection_->clear();
    selection_->suggestOperator(-1, -1);
    session_->open(QFileInfo(file).absoluteFilePath(), options);
}

void MainWindow::sessionOpened() {
    const SessionData& data = session_->data();
    const bool fromStart = centre_->currentIndex() == 0;
    centre_->setCurrentIndex(1);
    if (fromStart) showDocks(true);
    tunePage_->resetSession();
    bottom_->resetSession();
    operators_->refresh(~0u);
    if (data.outline) {
        tools_->setTarget(
            QString::fromStdString(data.outline->info.target.empty() ? "host" : data.outline->info.target));
        setWindowTitle(QString::fromStdString(data.outline->info.modelName) + " \u2013 Fettle");
        const auto earlier = session::tuneOptionsFromJson(data.outline->info.settingsJson);
        if (!data.trials.empty()) options_.threads = earlier.threads;
        if (!data.outline->model)
            banner_->showNotice(tr("The model's file is gone or has changed"),
                                tr("Trials can be looked at; tuning needs %1.")
                                    .arg(QString::fromStdString(data.outline->info.modelPath)),
                                {});
        else
            for (const std::string& warning : data.outline->model->warnings) {
                Error error;
                error.what = warning;
                bottom_->addWarning(error);
            }
    }
    refreshFlame();
    rememberSession();
    if (std::exchange(resumeWhenOpen_, false))
        tune();
    else if (askDimensions_ && data.trials.empty() && data.outline && !data.outline->info.dims.empty()) {
        QStringList dims;
        for (const auto& [name, value] : data.outline->info.dims)
            dims << QString("%1 = %2").arg(QString::fromStdString(name)).arg(value);
        banner_->showNotice(tr("This model leaves dimensions open"), tr("Opened with %1.").arg(dims.join(", ")),
                            tr("Change\u2026"));
    }
    askDimensions_ = false;
}

void MainWindow::sessionClosed() {
    // The session's data are gone already: every model forgets its rows before a selection asks for one.
    operators_->refresh(~0u);
    tunePage_->resetSession();
    bottom_->resetSession();
    selection_->clear();
    selection_->suggestOperator(-1, -1);
    refreshFlame();
    setWindowTitle(tr("Fettle"));
    worstShown_ = false;
    if (!session_->opening()) showStart();
    refresh(~0u);
}

void MainWindow::showStart() {
    showDocks(false);
    centre_->setCurrentIndex(0);
    start_->refresh();
}

// The worst operator is selected by itself, until the user chooses one or all have been measured.
void MainWindow::suggestWorst() {
    const SessionData& data = session_->data();
    if (worstShown_ || data.operators.empty()) return;
    const int slowest = std::max(0, data.slowestOperator());
    selection_->suggestOperator(data.operators[slowest].group, data.operators[slowest].task);
    worstShown_ = std::all_of(data.tasks.begin(), data.tasks.end(), [](const TaskState& t) { return t.nowNs() > 0; });
}

void MainWindow::refresh(unsigned changes) {
    const SessionData& data = session_->data();
    operators_->refresh(changes);
    operatorsDock_->setCount(operators_->countText());
    bottom_->refresh(changes);
    overview_->refresh(changes);
    tunePage_->refresh(changes);
    code_->refresh(changes);
    if (changes & (ChangedBest | ChangedTasks | ChangedTrials)) {
        suggestWorst();
        inspector_->refresh();
    }
    tools_->setHeadline(data.baselineNs(), data.modelNs());
    status_->refresh();
    refreshActions();
}

void MainWindow::refreshFlame() {
    const SessionData& data = session_->data();
    flame_->setProfiles(data.profiles, data.outline ? data.outline->model : nullptr);
}

void MainWindow::refreshActions() {
    const bool open = session_->isOpen(), busy = session_->busy();
    const session::State state = session_->data().state;
    const bool paused = state == session::State::Paused || state == session::State::Pausing;
    actions_.profile->setEnabled(open && !busy);
    actions_.profileDefault->setEnabled(open && !busy);
    actions_.tune->setEnabled(open && !busy);
    actions_.pause->setEnabled(session_->tuning());
    actions_.pause->setIconText(paused ? tr("Go on") : tr("Pause"));
    actions_.stop->setEnabled(busy && state != session::State::Stopping);
    actions_.exportModel->setEnabled(open && !busy);
    actions_.closeSession->setEnabled(open);
    actions_.copyName->setEnabled(open && selection_->task() >= 0);
    const auto& outline = session_->data().outline;
    actions_.dimensions->setEnabled(open && !busy && outline && !outline->info.dims.empty());
}

void MainWindow::setFollowing(bool on) {
    following_ = on;
    tunePage_->setFollowing(on);
    overview_->setFollowing(on);
    status_->setFollowing(on);
}

session::TuneOptions MainWindow::tuneOptions() const {
    session::TuneOptions options = options_;
    const Budget budget = tools_->budget();
    options.trials = budget.minutes > 0 ? 0 : budget.trials;
    options.minutes = budget.minutes;
    return options;
}

void MainWindow::tune() {
    if (!session_->isOpen()) return;
    banner_->hide();
    session_->tune(tuneOptions());
}

void MainWindow::profile(bool best) {
    banner_->hide();
    session_->profile(20, options_.threads, best);
}

void MainWindow::exportModel() {
    if (!session_->isOpen()) return;
    auto* dialog = new ExportDialog(context_, this);
    dialog->show();
}

bool MainWindow::settled() const {
    return !session_->opening() && code_->settled();
}

void MainWindow::rememberSession() {
    if (!session_->isOpen() || !session_->data().outline) return;
    const SessionData& data = session_->data();
    RecentSession recent;
    recent.file = session_->filePath();
    recent.model = QString::fromStdString(data.outline->info.modelName);
    if (recent.model.isEmpty()) recent.model = QFileInfo(recent.file).fileName();
    recent.target = QString::fromStdString(target::describe(data.outline->target))
                        .section(',', 0, 0)
                        .replace(" - ", QStringLiteral(" \u00b7 "));
    recent.trials = int(data.trials.size());
    recent.budget = data.progress.trialBudget > 0 ? recent.trials - data.progress.trials + data.progress.trialBudget
                                                  : recent.trials;
    recent.baselineNs = data.baselineNs();
    recent.bestNs = data.modelNs();
    recent.lastUsed = QDateTime::currentDateTime();
    recent.finished = recent.trials >= recent.budget;
    settings_->remember(recent);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    // Asks nothing: every trial that was shown is on disk already.
    rememberSession();
    if (centre_->currentIndex() == 1) layout_ = saveState(Settings::kLayoutVersion);
    settings_->setLayout(saveGeometry(), layout_);
    session_->close();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile()) openFile(urls.first().toLocalFile());
}

}  // namespace fettle::ui
