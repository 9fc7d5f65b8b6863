// SPDX-License-Identifier: GPL-3.0-or-later
// What the window needs of a session. One implementation drives the engine (makeDriver); tests bring their own events.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/session/tuning_session.h"
#include "ui/charts/roofline.h"

namespace fettle::ui {

// What an opened file held already: everything that is on disk at that moment.
struct SessionHistory {
    std::vector<store::TrialRow> trials;
    std::vector<cost::Quality> models;
    std::vector<compile::Profile> profiles;
};

class SessionDriver {
public:
    virtual ~SessionDriver() = default;  // cancels the work; may be called at any moment

    virtual std::shared_ptr<const session::Outline> outline() const = 0;
    virtual session::State state() const = 0;
    virtual std::filesystem::path sessionPath() const = 0;
    virtual SessionHistory history() const = 0;

    virtual bool profile(int runs, int threads, bool bestSchedules) = 0;
    virtual bool tune(const session::TuneOptions& options) = 0;
    virtual bool exportTo(const std::filesystem::path& folder, int threads, bool verify) = 0;
    virtual bool tryTrace(int task, const std::string& trace) = 0;
    virtual void pause() = 0;
    virtual void resumeTuning() = 0;
    virtual void stop() = 0;

    virtual std::vector<session::Event> poll() = 0;
    virtual void setWake(std::function<void()> wake) = 0;

    // Blocking; any thread; several at once are allowed.
    virtual Result<std::string> show(int task, const std::string& trace, const std::string& what) = 0;
    virtual std::string bestTrace(int task) const = 0;
    // Blocking (about half a second, once): the machine's roofs for this many threads. Unknown when not measurable.
    virtual Roof measureRoof(int threads) = 0;
};

// Blocking; called off the GUI thread.
using DriverOpener =
    std::function<Result<std::shared_ptr<SessionDriver>>(const std::filesystem::path&, const session::OpenOptions&)>;

}  // namespace fettle::ui
