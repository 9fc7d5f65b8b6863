// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/cli/command.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

int terminalColumns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string figures(const session::Progress& progress) {
    std::string text;
    if (progress.modelNs > 0) text += formatLatency(progress.modelNs);
    if (progress.modelNs > 0 && progress.baselineNs > 0)
        text += "  " + formatRatio(progress.baselineNs / progress.modelNs);
    return text;
}

}  // namespace

std::string progressBar(const session::Progress& progress, const std::string& task, int columns) {
    const bool byTrials = progress.trialBudget > 0;
    const double share = byTrials ? static_cast<double>(progress.trials) / progress.trialBudget
                                  : progress.seconds / std::max(1e-9, progress.secondsBudget);
    const int width = 24, full = static_cast<int>(width * std::clamp(share, 0.0, 1.0));
    std::string text = "[" + std::string(static_cast<size_t>(full), '=') + (full < width ? ">" : "") +
                       std::string(static_cast<size_t>(std::max(0, width - full - 1)), ' ') + "] " +
                       std::to_string(progress.trials);
    if (byTrials) text += "/" + std::to_string(progress.trialBudget);
    text += "  " + figures(progress) + "  ETA " + formatDuration(progress.etaSeconds) + "  " + task;
    return text.substr(0, static_cast<size_t>(std::max(20, columns - 1)));
}

void ProgressPrinter::line(const session::Progress& progress, const std::vector<store::TaskRow>& tasks) {
    const bool known = progress.task >= 0 && static_cast<size_t>(progress.task) < tasks.size();
    const std::string task = known ? tasks[static_cast<size_t>(progress.task)].name : std::string();
    if (terminal_) {
        std::cerr << "\r\033[K" << progressBar(progress, task, terminalColumns()) << std::flush;
        barShown_ = true;
        return;
    }
    if (round_ == printedRound_) return;
    printedRound_ = round_;
    std::cerr << "round " << round_ << "  trials " << progress.trials << "/" << progress.trialBudget << "  "
              << figures(progress) << "  ETA " << formatDuration(progress.etaSeconds) << "  " << task << std::endl;
}

void ProgressPrinter::show(const session::Event& event, const std::vector<store::TaskRow>& tasks) {
    if (const auto* round = std::get_if<session::RoundStarted>(&event)) round_ = round->round;
    if (const auto* progress = std::get_if<session::Progress>(&event)) line(*progress, tasks);
    if (const auto* state = std::get_if<session::StateChanged>(&event);
        state && state->state == session::State::Paused && !state->detail.empty()) {
        end();
        std::cerr << "fettle: paused: " << state->detail << std::endl;
    }
    if (const auto* warning = std::get_if<session::Warning>(&event)) {
        end();
        printWarning(warning->error);
    }
}

void ProgressPrinter::end() {
    if (std::exchange(barShown_, false)) std::cerr << "\n";
}

}  // namespace fettle::cli
