// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/events.h"

namespace fettle::session {

const char* stateName(State state) {
    switch (state) {
        case State::Empty:
            return "empty";
        case State::Opened:
            return "opened";
        case State::Profiling:
            return "profiling";
        case State::Tuning:
            return "tuning";
        case State::Pausing:
            return "pausing";
        case State::Paused:
            return "paused";
        case State::Stopping:
            return "stopping";
        case State::Exporting:
            return "exporting";
        case State::Finished:
            return "finished";
        case State::Failed:
            return "failed";
    }
    return "unknown";
}

}  // namespace fettle::session
