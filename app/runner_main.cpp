// SPDX-License-Identifier: GPL-3.0-or-later
// fettle-runner --stdio [--cpu N]: runs and times compiled kernels and models for Fettle.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/measure/runner/runner_loop.h"

int main(int argc, char** argv) {
    fettle::measure::runner::RunnerOptions options;
    bool stdio = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--stdio") == 0) {
            stdio = true;
        } else if (std::strcmp(argv[i], "--cpu") == 0 && i + 1 < argc) {
            options.cpu = std::atoi(argv[++i]);
        }
    }
    if (!stdio) {
        std::fputs("usage: fettle-runner --stdio [--cpu N]\nIt is started by fettle and fettle-cli.\n", stderr);
        return 2;
    }
    return fettle::measure::runner::runRunner(options);
}
