// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/context.h"

#include <chrono>
#include <cstdlib>

namespace fettle::session {

double unixNow() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::shared_ptr<const Outline> Context::outline() const {
    std::lock_guard guard(stateMutex);
    return currentOutline;
}

void Context::setOutline(Outline next) {
    auto shared = std::make_shared<const Outline>(std::move(next));
    std::lock_guard guard(stateMutex);
    currentOutline = std::move(shared);
}

void Context::setState(State next, std::string detail) {
    {
        std::lock_guard guard(stateMutex);
        state = next;
    }
    events.push(StateChanged{next, std::move(detail)});
}

double Context::earlierSeconds() const {
    const auto stored = file ? file->value("seconds") : Result<std::optional<std::string>>{};
    return stored && *stored ? std::atof((*stored)->c_str()) : 0;
}

Status Context::needFile() {
    if (options.readOnly)
        return fail(ErrorCode::Failed, "cannot change the session", sessionPath.string(), "it was opened to look only",
                    "Open it for writing.");
    if (file) return {};
    std::error_code code;
    std::filesystem::create_directories(sessionPath.parent_path(), code);
    const auto now = outline();
    FETTLE_TRY(auto created, store::SessionFile::create(sessionPath, now->info));
    FETTLE_CHECK(created->putTasks(now->tasks));
    file = std::move(created);
    return {};
}

namespace {

Result<measure::Evaluator*> startOnce(const Context& context, std::unique_ptr<measure::Evaluator>& evaluator) {
    if (!evaluator) {
        measure::WorkerOptions workers;
        workers.programDir = context.options.programDir;
        const target::Target target = context.outline()->target;
        FETTLE_TRY(evaluator, context.options.makeEvaluator ? context.options.makeEvaluator(target, workers)
                                                            : measure::Evaluator::start(target, workers));
    }
    return evaluator.get();
}

}  // namespace

Result<measure::Evaluator*> Context::needEvaluator() {
    return startOnce(*this, evaluator);
}

Result<measure::Evaluator*> Context::needOtherEvaluator() {
    return startOnce(*this, otherEvaluator);
}

Result<const compile::OpenedModel*> Context::needModel() const {
    if (whyNotTune) return tl::unexpected(*whyNotTune);
    return outline()->model.get();
}

schedule::Trace Context::defaultTrace(int task) const {
    const auto now = outline();
    if (task < 0 || static_cast<size_t>(task) >= now->tasks.size() || board.standing(task).defaultFailed) return {};
    return schedule::parse(now->tasks[static_cast<size_t>(task)].defaultTrace).value_or(schedule::Trace{});
}

schedule::Trace Context::bestTrace(int task) const {
    const TaskStanding standing = board.standing(task);
    if (standing.bestNs > 0)
        if (auto trace = schedule::parse(standing.bestTrace)) return std::move(*trace);
    return defaultTrace(task);
}

std::vector<schedule::Trace> Context::traces(bool best) const {
    std::vector<schedule::Trace> out;
    const auto count = static_cast<int>(outline()->tasks.size());
    for (int k = 0; k < count; ++k) out.push_back(best ? bestTrace(k) : defaultTrace(k));
    return out;
}

}  // namespace fettle::session
