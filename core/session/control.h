// SPDX-License-Identifier: GPL-3.0-or-later
// Pause, resume and stop, from any thread, for the one piece of work that a session does at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/support/cancel.h"

namespace fettle::session {

class Control {
public:
    void begin() {
        std::lock_guard guard(mutex_);
        paused_ = false;
        stopped_ = closed_;
        token_ = CancelToken();
    }
    void pause() {
        std::lock_guard guard(mutex_);
        paused_ = true;
        token_.cancel();
    }
    void resume() {
        std::lock_guard guard(mutex_);
        paused_ = false;
        if (!stopped_) token_ = CancelToken();
        changed_.notify_all();
    }
    void stop() {
        std::lock_guard guard(mutex_);
        stopped_ = true;
        token_.cancel();
        changed_.notify_all();
    }
    // For good: work that begins later is stopped at once.
    void close() {
        std::lock_guard guard(mutex_);
        closed_ = stopped_ = true;
        token_.cancel();
        changed_.notify_all();
    }
    // Set when the work in flight shall end, for a pause or for good.
    CancelToken token() const {
        std::lock_guard guard(mutex_);
        return token_;
    }
    bool paused() const {
        std::lock_guard guard(mutex_);
        return paused_ && !stopped_;
    }
    bool stopped() const {
        std::lock_guard guard(mutex_);
        return stopped_;
    }
    void waitWhilePaused() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !paused_ || stopped_; });
    }
    // False when stopped before the time was over.
    bool sleep(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return !changed_.wait_for(lock, time, [&] { return stopped_; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool paused_ = false, stopped_ = false, closed_ = false;
    CancelToken token_;
};

}  // namespace fettle::session
