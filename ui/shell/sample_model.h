// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled sample model: where it is installed, and a copy of it that a session can be saved beside.
#pragma once

#include <QString>

namespace fettle::ui {

QString sampleModelFile();  // empty: not installed
// Copies the sample into the user's data folder (once) and returns that file; empty when it cannot be written.
QString sampleModelForUser();

}  // namespace fettle::ui
