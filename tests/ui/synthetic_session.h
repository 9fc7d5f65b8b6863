// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up session for tests of the window: seeded tasks, trials, predictions and profiles. Lives in tests only.
#pragma once

#include <QTimer>
#include <atomic>
#include <mutex>

#include "ui/models/session_data.h"
#include "ui/shell/session_driver.h"

namespace fettle::ui::test {

struct SyntheticOptions {
    int tasks = 34;
    uint64_t seed = 1;
    int openMs = 0;  // how long opening takes, to close the window meanwhile
    int showMs = 0;  // how long an artefact takes
};

// Deterministic: the k-th trial of a seed is always the same.
class SyntheticTrials {
public:
    explicit SyntheticTrials(const SyntheticOptions& options);
    const std::vector<store::TaskRow>& tasks() const { return tasks_; }
    store::TrialRow next();

private:
    double uniform();

    std::vector<store::TaskRow> tasks_;
    std::vector<double> defaultNs_, bestNs_;
    uint64_t state_;
    int64_t trial_ = 0;
};

// Gives what a test pushes; `wake` as the engine would.
class SyntheticDriver : public SessionDriver {
public:
    explicit SyntheticDriver(const SyntheticOptions& options);

    std::shared_ptr<const session::Outline> outline() const override { return outline_; }
    session::State state() const override { return session::State::Opened; }
    std::filesystem::path sessionPath() const override { return "synthetic.fettle"; }
    SessionHistory history() const override { return history_; }
    bool profile(int, int, bool) override;
    bool tune(const session::TuneOptions& options) override;
    bool exportTo(const std::filesystem::path&, int, bool) override { return false; }
    bool tryTrace(int, const std::string&) override { return false; }
    void pause() override { push(session::StateChanged{session::State::Paused, {}}); }
    void resumeTuning() override { push(session::StateChanged{session::State::Tuning, {}}); }
    void stop() override;
    std::vector<session::Event> poll() override;
    void setWake(std::function<void()> wake) override;
    Result<std::string> show(int task, const std::string& trace, const std::string& what) override;
    std::string bestTrace(int) const override { return {}; }
    Roof measureRoof(int) override { return {218e9, 30e9}; }

    void push(session::Event event);
    void pushTrials(int count);  // one batch, and the events that go with a round
    SyntheticTrials& source() { return source_; }
    SessionHistory history_;
    static inline std::atomic<int> alive{0};
    ~SyntheticDriver() override { --alive; }

private:
    SyntheticOptions options_;
    SyntheticTrials source_;
    std::shared_ptr<const session::Outline> outline_;
    std::mutex mutex_;
    std::vector<session::Event> queue_;
    std::function<void()> wake_;
    int trials_ = 0, budget_ = 0, round_ = 0;
};

// An opener for MainWindow; `made` (when given) receives the driver.
DriverOpener syntheticOpener(const SyntheticOptions& options, std::shared_ptr<SyntheticDriver>* made = nullptr);
compile::Profile syntheticProfile(const SyntheticTrials& source);

}  // namespace fettle::ui::test
