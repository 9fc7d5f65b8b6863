// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/work.h"

#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "app/cli/progress.h"

namespace fettle::cli {
namespace {

volatile sig_atomic_t interrupts = 0;

void onInterrupt(int) {
    interrupts = interrupts + 1;
    if (interrupts > 2) _exit(130);  // asked three times: at once; what was saved is saved
}

class InterruptGuard {
public:
    InterruptGuard() {
        interrupts = 0;
        struct sigaction action {};
        action.sa_handler = onInterrupt;
        sigaction(SIGINT, &action, &oldInt_);
        sigaction(SIGTERM, &action, &oldTerm_);
    }
    ~InterruptGuard() {
        sigaction(SIGINT, &oldInt_, nullptr);
        sigaction(SIGTERM, &oldTerm_, nullptr);
    }

private:
    struct sigaction oldInt_ {
    }, oldTerm_{};
};

}  // namespace

bool stderrIsTerminal() {
    return isatty(STDERR_FILENO) == 1;
}

Result<Outcome> waitFor(session::TuningSession& session, bool (*isTerminal)(), const std::function<bool()>& start) {
    InterruptGuard guard;
    std::mutex mutex;
    std::condition_variable woken;
    bool ready = true;
    session.setWake([&] {
        std::lock_guard lock(mutex);
        ready = true;
        woken.notify_one();
    });
    ProgressPrinter printer(isTerminal());
    Outcome outcome;
    bool stopping = false;
    if (!start()) return fail(ErrorCode::Failed, "cannot start", {}, "the session is busy");
    for (;;) {
        {
            std::unique_lock lock(mutex);
            woken.wait_for(lock, std::chrono::milliseconds(100), [&] { return ready; });
            ready = false;
        }
        if (interrupts && !std::exchange(stopping, true)) session.stop();
        const auto tasks = session.outline()->tasks;
        for (session::Event& event : session.poll()) {
            printer.show(event, tasks);
            if (const auto* finished = std::get_if<session::Finished>(&event)) {
                printer.end();
                session.setWake({});
                if (finished->failed) return tl::unexpected(finished->error);
                outcome.cancelled = finished->cancelled;
                return outcome;
            }
            if (!std::holds_alternative<session::Progress>(event) &&
                !std::holds_alternative<session::TrialsMeasured>(event))
                outcome.events.push_back(std::move(event));
        }
    }
}

}  // namespace fettle::cli
