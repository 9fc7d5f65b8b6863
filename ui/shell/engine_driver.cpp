// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/engine_driver.h"

#include <mutex>

#include "core/session/settings.h"

namespace fettle::ui {

namespace {

class EngineDriver : public SessionDriver {
public:
    EngineDriver(std::unique_ptr<session::TuningSession> session, std::vector<session::Event> first)
        : session_(std::move(session)), first_(std::move(first)) {}

    std::shared_ptr<const session::Outline> outline() const override { return session_->outline(); }
    session::State state() const override { return session_->state(); }
    std::filesystem::path sessionPath() const override { return session_->sessionPath(); }

    bool profile(int runs, int threads, bool best) override { return session_->profile(runs, threads, best); }
    bool tune(const session::TuneOptions& options) override { return session_->tune(options); }
    bool exportTo(const std::filesystem::path& folder, int threads, bool verify) override {
        return session_->exportTo(folder, threads, verify);
    }
    bool tryTrace(int task, const std::string& trace) override { return session_->tryTrace(task, trace); }
    void pause() override { session_->pause(); }
    void resumeTuning() override { session_->resumeTuning(); }
    void stop() override { session_->stop(); }
    void setWake(std::function<void()> wake) override { session_->setWake(std::move(wake)); }

    std::vector<session::Event> poll() override {
        std::vector<session::Event> events = std::exchange(first_, {});
        for (session::Event& event : session_->poll()) events.push_back(std::move(event));
        return events;
    }

    Result<std::string> show(int task, const std::string& trace, const std::string& what) override {
        return session_->show(task, trace, what);
    }

    std::string bestTrace(int task) const override { return schedule::print(session_->bestTrace(task)); }

    Roof measureRoof(int threads) override {
        if (!session_->outline()->target.isHost()) return {};  // ceilings of a machine that is not here
        const auto roof = session_->measureRoofline(threads);
        return roof ? Roof{roof->flopsPerSecond, roof->bytesPerSecond} : Roof{};
    }

    SessionHistory history() const override {
        SessionHistory history;
        std::error_code ignored;
        if (!std::filesystem::exists(session_->sessionPath(), ignored)) return history;  // made with the first trial
        const auto file = store::SessionFile::open(session_->sessionPath(), store::SessionFile::Mode::ReadOnly);
        if (!file) return history;
        if (auto trials = (*file)->trials()) history.trials = std::move(*trials);
        if (auto models = (*file)->costModels())
            for (const store::ModelRow& row : *models)
                history.models.push_back({row.version, row.trainedOn, row.heldOut, row.spearman, row.topK});
        if (auto profiles = (*file)->profiles())
            for (const store::ProfileRow& row : *profiles)
                if (auto profile = session::profileFromJson(row.json)) history.profiles.push_back(std::move(*profile));
        return history;
    }

private:
    std::unique_ptr<session::TuningSession> session_;
    std::vector<session::Event> first_;
};

// A session that was opened replays what its file holds; the window has read that already, by history().
std::vector<session::Event> withoutHistory(std::vector<session::Event> events) {
    std::erase_if(events, [](const session::Event& event) {
        return std::holds_alternative<session::TrialsMeasured>(event) ||
               std::holds_alternative<session::CostModelTrained>(event) ||
               std::holds_alternative<session::ProfileReady>(event);
    });
    return events;
}

}  // namespace

Result<std::shared_ptr<SessionDriver>> openEngine(const std::filesystem::path& file,
                                                  const session::OpenOptions& options) {
    auto opened = session::TuningSession::open(file, options);
    if (opened) {
        auto first = withoutHistory((*opened)->poll());
        return std::make_shared<EngineDriver>(std::move(*opened), std::move(first));
    }
    const Error error = opened.error();
    if (options.readOnly || error.what != "cannot write to the session") return tl::unexpected<Error>(error);
    session::OpenOptions look = options;
    look.readOnly = true;
    auto looked = session::TuningSession::open(file, look);
    if (!looked) return tl::unexpected<Error>(error);
    Error notice = error;
    notice.what = "opened to look at only";
    notice.next = "Trials appear here as they are saved.";
    auto first = withoutHistory((*looked)->poll());
    first.push_back(session::Warning{notice});
    return std::make_shared<EngineDriver>(std::move(*looked), std::move(first));
}

}  // namespace fettle::ui
