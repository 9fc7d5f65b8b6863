// SPDX-License-Identifier: GPL-3.0-or-later
// The window: docks round the pages, and what connects them to the session. Does no work itself.
#pragma once

#include <QMainWindow>
#include <memory>

#include "ui/shell/actions.h"
#include "ui/shell/settings.h"
#include "ui/shell/ui_context.h"

class QStackedWidget;
class QTabWidget;
class QMenu;

namespace fettle::ui {

class Banner;
class BottomDock;
class CodePage;
class Dock;
class FlamePage;
class InspectorPanel;
class OperatorsPanel;
class OverviewPage;
class StartPage;
class StatusLine;
class ToolRow;
class TunePage;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // `settings` may be shared with nobody; everything outlives the window but the driver that `opener` makes.
    MainWindow(Theme* theme, std::unique_ptr<Settings> settings, DriverOpener opener);
    ~MainWindow() override;

    void openFile(const QString& file, bool resume = false);
    SessionController* session() { return session_; }
    SelectionContext* selection() { return selection_; }
    QTabWidget* pages() { return pages_; }
    bool settled() const;  // nothing is being opened or built: a picture would not change by itself

public slots:
    void tune();
    void exportModel();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeCentre();
    void makeDocks();
    void makeMenus();
    void makePageShortcuts();
    void connectActions();
    void connectSession();
    void askFile();
    void openSample();
    void sessionOpened();
    void sessionClosed();
    void refresh(unsigned changes);
    void refreshActions();
    void refreshFlame();
    void setFollowing(bool on);
    void profile(bool best);
    void changeDimensions();
    void changeTarget(const QString& target);
    void changeOptions();
    session::TuneOptions tuneOptions() const;
    void defaultLayout();
    void showDocks(bool on);
    void showStart();
    void suggestWorst();
    void rememberSession();
    void chooseTheme(ThemeChoice choice);
    void showAbout();

    Theme* theme_;
    std::unique_ptr<Settings> settings_;
    Actions actions_;
    FrameTimer* frames_;
    SelectionContext* selection_;
    SessionController* session_;
    UiContext context_;

    ToolRow* tools_;
    StatusLine* status_;
    QStackedWidget* centre_;
    QTabWidget* pages_;
    Banner *banner_, *startBanner_;
    StartPage* start_;
    OverviewPage* overview_;
    TunePage* tunePage_;
    FlamePage* flame_;
    CodePage* code_;
    OperatorsPanel* operators_;
    InspectorPanel* inspector_;
    Dock *operatorsDock_, *inspectorDock_;
    BottomDock* bottom_;
    QMenu* recentMenu_;
    session::TuneOptions options_;
    bool resumeWhenOpen_ = false, following_ = true, askDimensions_ = false;
    bool worstShown_ = false;  // the slowest operator has been selected once all were measured
    QByteArray layout_;        // of the docks while the start page hides them
};

}  // namespace fettle::ui
