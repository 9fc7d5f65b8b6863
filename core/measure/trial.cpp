// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/trial.h"

namespace fettle::measure {

const char* statusName(TrialStatus status) {
    switch (status) {
        case TrialStatus::Ok:
            return "ok";
        case TrialStatus::BuildError:
            return "build error";
        case TrialStatus::Timeout:
            return "timeout";
        case TrialStatus::Crash:
            return "crash";
        case TrialStatus::WrongResult:
            return "wrong result";
        case TrialStatus::Cancelled:
            return "cancelled";
    }
    return "?";
}

}  // namespace fettle::measure
