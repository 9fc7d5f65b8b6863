// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/session_data.h"

#include <algorithm>
#include <cmath>

namespace fettle::ui {

namespace {

std::string shapeWithCrosses(const graph::Shape& shape) {
    std::string text;
    for (int64_t extent : shape) text += (text.empty() ? "" : "\u00d7") + std::to_string(extent);
    return text.empty() ? "scalar" : text;
}

TaskState& taskAt(SessionData& data, int id) {
    if (id >= static_cast<int>(data.tasks.size())) data.tasks.resize(id + 1);
    return data.tasks[id];
}

void setTaskRow(SessionData& data, const store::TaskRow& row) {
    TaskState& state = taskAt(data, row.id);
    state.row = row;
    state.kind = kindFromName(row.kind);
}

void listOperators(SessionData& data) {
    data.operators.clear();
    const auto model = data.outline ? data.outline->model : nullptr;
    if (!model) {
        for (const TaskState& task : data.tasks) data.operators.push_back({-1, task.row.id, task.row.name, {}});
        return;
    }
    for (size_t g = 0; g < model->taskOfGroup.size(); ++g) {
        const int task = model->taskOfGroup[g];
        if (task < 0) continue;
        const std::string& name = g < model->groupNames.size() ? model->groupNames[g] : model->tasks[task].name;
        data.operators.push_back({int(g), task, name, g < model->groupPaths.size() ? model->groupPaths[g] : ""});
    }
    for (const compile::Task& task : model->tasks) {
        TaskState& state = taskAt(data, task.id);
        state.kind = task.kind;
        state.tunable = task.tunable;
        if (task.groups.empty()) continue;
        const graph::Group& group = model->fused.groups[task.groups.front()];
        if (!group.outputs.empty())
            state.output = shapeWithCrosses(model->fused.graph.values[group.outputs.front()].type.shape);
    }
}

void pushLatency(SessionData& data, size_t trialIndex) {
    const double now = data.modelNs();
    if (now > 0) data.modelLatency.emplace_back(trialIndex, now);
}

// A default time that arrives late lifts everything before it: draw the whole line again with it.
void rebuildLatency(SessionData& data) {
    data.modelLatency.clear();
    std::vector<int64_t> now(data.tasks.size());
    double total = 0;
    for (size_t t = 0; t < now.size(); ++t) {
        now[t] = data.tasks[t].defaultNs > 0 ? data.tasks[t].defaultNs : data.tasks[t].bestNs;
        total += double(now[t]) * data.tasks[t].row.weight;
    }
    std::vector<std::tuple<size_t, int, int64_t>> steps;
    for (size_t t = 0; t < now.size(); ++t)
        for (const auto& [index, ns] : data.tasks[t].bestAfter) steps.emplace_back(index, int(t), ns);
    std::sort(steps.begin(), steps.end());
    data.modelLatency.emplace_back(0, total);
    for (const auto& [index, task, ns] : steps) {
        if (ns >= now[task]) continue;
        total -= double(now[task] - ns) * data.tasks[task].row.weight;
        now[task] = ns;
        data.modelLatency.emplace_back(index, total);
    }
}

unsigned noteTrial(SessionData& data, size_t index) {
    const store::TrialRow& row = data.trials[index];
    TaskState& task = taskAt(data, row.task);
    task.trialIndices.push_back(index);
    ++task.trials;
    data.rounds = std::max(data.rounds, row.round + 1);
    if (row.status >= 0 && row.status < int(data.byStatus.size())) ++data.byStatus[row.status];
    if (!isOk(row))
        return statusOf(row) == measure::TrialStatus::Cancelled ? ChangedTrials : ChangedTrials | ChangedProblems;
    ++task.ok;
    const bool isDefault = row.origin == "default";
    unsigned changes = ChangedTrials;
    if (isDefault && (task.defaultNs == 0 || row.minNs < task.defaultNs)) {
        task.defaultNs = row.minNs;
        task.defaultSpread = spreadOf(row);
        changes |= ChangedBest | ChangedTasks;
    }
    if (task.bestNs == 0 || row.minNs < task.bestNs) {
        task.bestNs = row.minNs;
        task.bestTrial = row.id;
        task.bestSpread = spreadOf(row);
        task.bestAfter.emplace_back(index, row.minNs);
        changes |= ChangedBest;
    }
    return changes;
}

struct Applier {
    SessionData& data;

    unsigned operator()(session::StateChanged& e) {
        data.state = e.state;
        if (e.state != session::State::Tuning && e.state != session::State::Pausing) data.taskNow = -1;
        return ChangedState;
    }
    unsigned operator()(session::TaskAdded& e) {
        const bool known = e.task.id < int(data.tasks.size());
        setTaskRow(data, e.task);
        const bool listed = data.outline && data.outline->model;
        if (!listed && !known) data.operators.push_back({-1, e.task.id, e.task.name, {}});
        return ChangedTasks;
    }
    unsigned operator()(session::RoundStarted& e) {
        data.taskNow = e.task;
        data.rounds = std::max(data.rounds, e.round + 1);
        return ChangedProgress;
    }
    unsigned operator()(session::TrialsMeasured& e) { return appendTrials(data, std::move(e.trials)); }
    unsigned operator()(session::CostModelTrained& e) {
        data.quality = e.quality;
        data.qualities.push_back(e.quality);
        data.importance.clear();
        for (auto& [feature, share] : e.importance) data.importance.push_back({feature, share});
        return ChangedModel;
    }
    unsigned operator()(session::BestChanged& e) {
        TaskState& task = taskAt(data, e.task);
        if (e.defaultNs > 0 && task.defaultNs == 0) {
            task.defaultNs = e.defaultNs;
            rebuildLatency(data);
        }
        return ChangedBest;
    }
    unsigned operator()(session::ProfileReady& e) {
        data.profiles.push_back(std::make_shared<const compile::Profile>(std::move(e.profile)));
        return ChangedProfile;
    }
    unsigned operator()(session::Progress& e) {
        data.progress = e;
        if (e.task >= 0) data.taskNow = e.task;
        return ChangedProgress;
    }
    unsigned operator()(session::Warning&) { return 0; }
    unsigned operator()(session::Exported&) { return 0; }
    unsigned operator()(session::Finished&) {
        data.taskNow = -1;
        return ChangedState;
    }
};

}  // namespace

graph::OpKind kindFromName(const std::string& name) {
    for (int k = 0; k <= int(graph::OpKind::Other); ++k)
        if (name == graph::kindName(graph::OpKind(k))) return graph::OpKind(k);
    return graph::OpKind::Other;
}

double spreadOf(const store::TrialRow& row) {
    if (row.samplesNs.size() < 2 || row.minNs <= 0) return 0;
    std::vector<int64_t> sorted = row.samplesNs;
    std::sort(sorted.begin(), sorted.end());
    const size_t p90 = std::min(sorted.size() - 1, size_t(std::ceil(0.9 * double(sorted.size()))) - 1);
    return 0.5 * double(sorted[p90] - sorted.front()) / double(sorted.front());
}

void setOutline(SessionData& data, std::shared_ptr<const session::Outline> outline) {
    data.outline = std::move(outline);
    if (!data.outline) return;
    for (const store::TaskRow& row : data.outline->tasks) setTaskRow(data, row);
    listOperators(data);
}

unsigned appendTrials(SessionData& data, std::vector<store::TrialRow> rows) {
    unsigned changes = 0;
    for (store::TrialRow& row : rows) {
        if (row.task < 0 || (!data.trials.empty() && row.id <= data.trials.back().id)) continue;
        data.trials.push_back(std::move(row));
        const size_t index = data.trials.size() - 1;
        const unsigned bits = noteTrial(data, index);
        if (bits & ChangedTasks)
            rebuildLatency(data);
        else if (bits & ChangedBest)
            pushLatency(data, index);
        changes |= bits & ~unsigned(ChangedTasks);
    }
    return changes;
}

unsigned apply(SessionData& data, session::Event event) {
    return std::visit(Applier{data}, event);
}

int SessionData::failed() const {
    return int(trials.size()) - byStatus[int(measure::TrialStatus::Ok)] -
           byStatus[int(measure::TrialStatus::Cancelled)];
}

double SessionData::baselineNs() const {
    double sum = 0;
    for (const TaskState& t : tasks) sum += double(t.defaultNs > 0 ? t.defaultNs : t.bestNs) * t.row.weight;
    return sum;
}

double SessionData::modelNs() const {
    double sum = 0;
    for (const TaskState& t : tasks) sum += double(t.nowNs()) * t.row.weight;
    return sum;
}

double SessionData::noise() const {
    std::vector<double> spreads;
    for (size_t i = trials.size(); i > 0 && spreads.size() < 64; --i)
        if (isOk(trials[i - 1]) && trials[i - 1].samplesNs.size() > 2) spreads.push_back(spreadOf(trials[i - 1]));
    if (spreads.empty()) return 0;
    std::nth_element(spreads.begin(), spreads.begin() + spreads.size() / 2, spreads.end());
    return spreads[spreads.size() / 2];
}

double SessionData::shareOf(int id) const {
    const double total = modelNs();
    const TaskState* state = task(id);
    return total > 0 && state ? double(state->nowNs()) / total : 0;
}

const TaskState* SessionData::task(int id) const {
    return id >= 0 && id < int(tasks.size()) ? &tasks[id] : nullptr;
}

const store::TrialRow* SessionData::trial(int64_t id) const {
    auto it = std::lower_bound(trials.begin(), trials.end(), id,
                               [](const store::TrialRow& row, int64_t wanted) { return row.id < wanted; });
    return it != trials.end() && it->id == id ? &*it : nullptr;
}

int SessionData::slowestOperator() const {
    int best = -1;
    int64_t slowest = 0;
    for (size_t i = 0; i < operators.size(); ++i) {
        const TaskState* state = task(operators[i].task);
        if (state && state->nowNs() > slowest) slowest = state->nowNs(), best = int(i);
    }
    return best;
}

}  // namespace fettle::ui
