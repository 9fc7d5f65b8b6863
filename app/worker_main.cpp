// SPDX-License-Identifier: GPL-3.0-or-later
// fettle-worker --builder: compiles loop programs and models for Fettle.
#include <cstdio>
#include <cstring>

#include "core/measure/worker/builder_loop.h"

int main(int argc, char** argv) {
    if (argc != 2 || std::strcmp(argv[1], "--builder") != 0) {
        std::fputs("usage: fettle-worker --builder\nIt is started by fettle and fettle-cli.\n", stderr);
        return 2;
    }
    return fettle::measure::worker::runBuilder();
}
