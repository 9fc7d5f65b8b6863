// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for the work of a session, shows its progress, and lets Ctrl-C stop it cleanly.
#pragma once

#include <functional>

#include "core/session/tuning_session.h"

namespace fettle::cli {

struct Outcome {
    bool cancelled = false;
    std::vector<session::Event> events;
};  // without Progress and trials

// `start` begins the work (tune, profile, export). The error is that of the Finished event.
Result<Outcome> waitFor(session::TuningSession& session, bool (*isTerminal)(), const std::function<bool()>& start);
bool stderrIsTerminal();

}  // namespace fettle::cli
