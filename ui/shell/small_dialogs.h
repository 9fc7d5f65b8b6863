// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs that ask for a few values: dynamic dimensions, tune options; and the list of shortcuts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/session/tuning_session.h"
#include "ui/shell/theme.h"

class QWidget;

namespace fettle::ui {

// Values for the model's dynamic dimensions; nothing when the user cancels.
std::optional<std::map<std::string, int64_t>> askDimensions(Theme* theme, const std::map<std::string, int64_t>& now,
                                                            QWidget* parent);

// Trials or minutes, threads, seed, operators. `coresOfTarget` bounds the threads.
std::optional<session::TuneOptions> askTuneOptions(Theme* theme, const session::TuneOptions& now, int coresOfTarget,
                                                   bool threadsFixed, QWidget* parent);

void showShortcuts(Theme* theme, QWidget* parent);

}  // namespace fettle::ui
