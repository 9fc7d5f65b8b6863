// SPDX-License-Identifier: GPL-3.0-or-later
// Events from the engine's threads to one listener that polls.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "core/session/events.h"

namespace fettle::session {

class EventQueue {
public:
    void push(Event event) {
        std::function<void()> wake;
        {
            std::lock_guard guard(mutex_);
            if (events_.empty()) wake = wake_;
            events_.push_back(std::move(event));
        }
        if (wake) wake();
    }
    std::vector<Event> take() {
        std::lock_guard guard(mutex_);
        return std::exchange(events_, {});
    }
    void setWake(std::function<void()> wake) {
        std::lock_guard guard(mutex_);
        wake_ = std::move(wake);
    }

private:
    std::mutex mutex_;
    std::vector<Event> events_;
    std::function<void()> wake_;
};

}  // namespace fettle::session
