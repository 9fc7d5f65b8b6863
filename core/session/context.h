// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of one open session share. Made by openSession(); the session's thread and, where noted, others use
// it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "core/session/control.h"
#include "core/session/event_queue.h"
#include "core/session/task_board.h"
#include "core/session/tuning_session.h"

namespace fettle::session {

struct Context {
    OpenOptions options;
    std::filesystem::path sessionPath;
    std::unique_ptr<store::SessionFile> file;  // null until the first profile or trial of a model
    std::optional<Error> whyNotTune;           // a session whose model is gone or has changed
    EventQueue events;                         // any thread
    Control control;                           // any thread
    TaskBoard board;                           // any thread

    // The processes of an evaluator die with the thread that started them: the session's thread has its own, and all
    // others (the Code page, compileNow) share another under its mutex.
    std::unique_ptr<measure::Evaluator> evaluator;
    std::mutex otherMutex;
    std::unique_ptr<measure::Evaluator> otherEvaluator;

    mutable std::mutex stateMutex;
    State state = State::Opened;
    std::shared_ptr<const Outline> currentOutline;  // never null after opening
    TuneSummary progress;                           // seconds, secondsIn, quality; the rest comes from the board

    int sessionThreads = 1;             // that the default traces and the trials are for
    std::atomic<int64_t> lastTrial{0};  // id of the newest trial in the file that was announced

    std::shared_ptr<const Outline> outline() const;
    void setOutline(Outline next);
    void setState(State next, std::string detail = {});
    void warn(Error error) { events.push(Warning{std::move(error)}); }
    double earlierSeconds() const;  // tuning before this process, from the file
    // Creates the session file when there is none yet; an error also when the session is only looked at.
    Status needFile();
    Result<measure::Evaluator*> needEvaluator();       // on the session's thread
    Result<measure::Evaluator*> needOtherEvaluator();  // the caller holds otherMutex
    Result<const compile::OpenedModel*> needModel() const;
    // Best (or default) traces of all tasks. The default of a task whose default failed is the plain loops.
    std::vector<schedule::Trace> traces(bool best) const;
    schedule::Trace bestTrace(int task) const;
    schedule::Trace defaultTrace(int task) const;
};

Result<std::unique_ptr<Context>> openSession(const std::filesystem::path& file, const OpenOptions& options);

double unixNow();

}  // namespace fettle::session
