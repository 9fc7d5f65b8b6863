// SPDX-License-Identifier: GPL-3.0-or-later
// The one that drives the engine: a TuningSession behind the window's SessionDriver.
#pragma once

#include "ui/shell/session_driver.h"

namespace fettle::ui {

// Opens a model or a session. A session that another process is tuning is opened to look at, with a warning that says
// so.
Result<std::shared_ptr<SessionDriver>> openEngine(const std::filesystem::path& file,
                                                  const session::OpenOptions& options);

}  // namespace fettle::ui
