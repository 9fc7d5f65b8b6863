// SPDX-License-Identifier: GPL-3.0-or-later
// fettle-runner: answers messages on stdin/stdout until they end. Runs generated code; links no compiler.
#pragma once

namespace fettle::measure::runner {

struct RunnerOptions {
    int cpu = -1;  // where single-threaded kernels run; -1: the last CPU of the affinity mask
};

int runRunner(const RunnerOptions& options);  // the exit code

}  // namespace fettle::measure::runner
