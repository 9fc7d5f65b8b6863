// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/actions.h"

#include <QActionGroup>
#include <QCoreApplication>

#include "ui/shell/icons.h"

namespace fettle::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Actions", text);
}

QAction* make(QObject* parent, const QString& text, const QKeySequence& keys = {}, const char* icon = nullptr) {
    auto* action = new QAction(text, parent);
    if (!keys.isEmpty()) action->setShortcut(keys);
    if (icon) action->setProperty("iconName", icon);
    return action;
}

}  // namespace

Actions::Actions(Theme* theme, QObject* parent) : theme_(theme) {
    open = make(parent, tr("&Open\u2026"), QKeySequence(Qt::CTRL | Qt::Key_O), "document-open");
    openSample = make(parent, tr("Open &sample"));
    exportModel = make(parent, tr("&Export .so\u2026"), QKeySequence(Qt::CTRL | Qt::Key_E), "document-export");
    closeSession = make(parent, tr("&Close session"), QKeySequence(Qt::CTRL | Qt::Key_W));
    quit = make(parent, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
    quit->setMenuRole(QAction::QuitRole);
    find = make(parent, tr("&Find"), QKeySequence(Qt::CTRL | Qt::Key_F), "edit-find");
    clearSelection = make(parent, tr("&Clear filter and trial"), QKeySequence(Qt::Key_Escape));
    copyName = make(parent, tr("Copy operator &name"), {}, "edit-copy");
    profile = make(parent, tr("&Profile"), {}, "office-chart-bar");
    profileDefault = make(parent, tr("Profile the &default schedules"));
    dimensions = make(parent, tr("&Dimensions\u2026"));
    tune = make(parent, tr("&Tune"), QKeySequence(Qt::Key_F5), "media-playback-start");
    pause = make(parent, tr("&Pause"), QKeySequence(Qt::Key_F6), "media-playback-pause");
    stop = make(parent, tr("&Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5), "media-playback-stop");
    tuneOptions = make(parent, tr("&Options\u2026"), {}, "configure");
    restoreLayout = make(parent, tr("&Restore default layout"));
    layoutTune = make(parent, tr("Layout: T&une"));
    layoutInspect = make(parent, tr("Layout: &Inspect"));
    auto* group = new QActionGroup(parent);
    themeSystem = make(parent, tr("Follow the s&ystem"));
    themeLight = make(parent, tr("&Light"));
    themeDark = make(parent, tr("&Dark"));
    for (QAction* action : {themeSystem, themeLight, themeDark}) {
        action->setCheckable(true);
        group->addAction(action);
    }
    shortcuts = make(parent, tr("&Keyboard shortcuts"), QKeySequence(Qt::Key_Question));
    about = make(parent, tr("&About Fettle"));
    about->setMenuRole(QAction::AboutRole);
    for (QAction* action :
         {profile, profileDefault, dimensions, tune, pause, stop, exportModel, closeSession, copyName})
        action->setEnabled(false);
    applyTheme();
}

void Actions::applyTheme() {
    for (QAction* action : {open, exportModel, find, copyName, profile, tune, pause, stop, tuneOptions})
        action->setIcon(themedIcon(action->property("iconName").toString(), theme_->tokens().text1));
}

QList<Shortcut> shortcutList() {
    return {{"Ctrl+O", tr("Open a model or a session")},
            {"F5", tr("Tune")},
            {"F6", tr("Pause, and go on")},
            {"Shift+F5", tr("Stop")},
            {"Ctrl+E", tr("Export the compiled model")},
            {"Ctrl+F", tr("Filter operators; in Flame: search spans")},
            {"Ctrl+1, 3, 4, 5", tr("Overview, Tune, Flame, Code")},
            {"W A S D, arrows", tr("Move and zoom in Flame")},
            {"Backspace", tr("Back in Flame")},
            {"Esc", tr("Clear filter and trial")},
            {"Ctrl+C", tr("Copy the selected row")},
            {"?", tr("This list")}};
}

}  // namespace fettle::ui
