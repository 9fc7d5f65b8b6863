// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of a tune on stderr: a bar with ETA on a terminal, one line per round elsewhere.
#pragma once

#include <string>

#include "core/session/events.h"

namespace fettle::cli {

class ProgressPrinter {
public:
    explicit ProgressPrinter(bool terminal) : terminal_(terminal) {}
    void show(const session::Event& event, const std::vector<store::TaskRow>& tasks);
    void end();  // leaves the bar's line

private:
    void line(const session::Progress& progress, const std::vector<store::TaskRow>& tasks);
    bool terminal_, barShown_ = false;
    int round_ = 0, printedRound_ = -1;
};

// "[=======>      ] 128/256  5.10 ms  2.43x  ETA 45 s  Conv_12"
std::string progressBar(const session::Progress& progress, const std::string& task, int columns);

}  // namespace fettle::cli
