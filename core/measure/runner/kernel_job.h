// SPDX-License-Identifier: GPL-3.0-or-later
// One trial: load, run once between guard pages and compare with the reference, then time.
#pragma once

#include "core/measure/protocol.h"
#include "core/measure/runner/task_store.h"

namespace fettle::measure::runner {

// Answers "trial": {"status","samples","maxRelError","error"}. A kernel that dies takes the process with it.
Message runKernelJob(const Message& message, TaskStore& tasks, int cpu);

}  // namespace fettle::measure::runner
