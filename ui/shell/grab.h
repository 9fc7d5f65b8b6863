// SPDX-License-Identifier: GPL-3.0-or-later
// Renders every page of an open session to PNG files: for tests, documents and reports.
#pragma once

#include <QString>

#include "core/support/error.h"

namespace fettle::ui {

class MainWindow;

// Writes start.png when no session is open; else overview.png tune.png flame.png code.png and window.png (the whole
// window at Overview), window-tune.png and so on. Runs the event loop meanwhile.
Status grabPages(MainWindow& window, const QString& folder);

// Runs the event loop until the window has settled, at most this long. False: it did not.
bool waitUntilSettled(MainWindow& window, int milliseconds);

}  // namespace fettle::ui
