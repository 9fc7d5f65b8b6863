// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, with its shortcut; menus and toolbar are made of these.
#pragma once

#include <QAction>
#include <QMenuBar>

#include "ui/shell/theme.h"

namespace fettle::ui {

struct Actions {
    Actions(Theme* theme, QObject* parent);

    QAction *open, *openSample, *exportModel, *closeSession, *quit;
    QAction *find, *clearSelection, *copyName;
    QAction *profile, *profileDefault, *dimensions;
    QAction *tune, *pause, *stop, *tuneOptions;
    QAction *restoreLayout, *layoutTune, *layoutInspect;
    QAction *themeSystem, *themeLight, *themeDark;
    QAction *shortcuts, *about;

    void applyTheme();

private:
    Theme* theme_;
};

struct Shortcut {
    QString keys, what;
};
QList<Shortcut> shortcutList();  // for the "?" dialog

}  // namespace fettle::ui
