// SPDX-License-Identifier: GPL-3.0-or-later
// Counted words: English without a translation file says "1 task" and "34 tasks".
#pragma once

#include <QString>

namespace fettle::ui {

// `text` is what tr("%n task(s)", nullptr, count) gave; a translation has its own plural and no "(s)".
inline QString counted(QString text, qint64 count) { return text.replace("(s)", count == 1 ? "" : "s"); }

}  // namespace fettle::ui
