// SPDX-License-Identifier: GPL-3.0-or-later
// The model plan: which task runs on which buffers, in which order.
//   views      a reshape of a plain tensor is its input; the parts of a concat lie inside the whole
//   lifetimes  a stored value lives from the step that writes it to the last that reads it
//   constants  each once, 64-byte aligned
#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "core/compile/memory.h"
#include "core/compile/model.h"
#include "core/compile/views.h"

namespace fettle::compile {

using codegen::BufferRef;
using codegen::ModelPlan;
using graph::Graph;
using graph::Group;
using graph::ValueId;

namespace {

std::string identifier(const std::string& name) {
    std::string result;
    for (char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result = "model_" + result;
    return result;
}

class Planner {
public:
    Planner(const OpenedModel& model, ModelPlan& plan)
        : model_(model), graph_(model.fused.graph), plan_(plan), views_(findViews(model.fused)) {}

    Status run() {
        FETTLE_CHECK(boundary());
        for (size_t g = 0; g < model_.fused.groups.size(); ++g)
            if (!views_.skipped[g]) addStep(g);
        place();
        return {};
    }

private:
    Status boundary() {
        for (ValueId id : graph_.inputs) {
            spaces_[id] = {BufferRef::Space::Input, static_cast<int>(plan_.inputs.size()), 0};
            plan_.inputs.push_back({value(id).name, value(id).type});
        }
        for (ValueId id : graph_.outputs) {
            const auto number = static_cast<int>(plan_.outputs.size());
            plan_.outputs.push_back({value(id).name, value(id).type});
            if (spaces_.contains(id) || graph_.isConstant(id))
                return fail(ErrorCode::Failed, "cannot plan the model", value(id).name,
                            "the output is an input, a constant or an output twice");
            spaces_[id] = {BufferRef::Space::Output, number, 0};
        }
        return {};
    }

    const graph::Value& value(ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }

    void addStep(size_t g) {
        const Group& group = model_.fused.groups[g];
        const int task = model_.taskOfGroup[g];
        codegen::Step step;
        step.task = task;
        step.name = model_.groupNames[g];
        step.group = static_cast<int>(g);
        const auto position = static_cast<int>(plan_.steps.size());
        plan_.steps.push_back(std::move(step));
        std::vector<ValueId> ids = group.inputs;
        ids.insert(ids.end(), group.outputs.begin(), group.outputs.end());
        for (ValueId id : ids) use(id, position);
        const auto& tensors = plan_.tasks[static_cast<size_t>(task)].tensors;
        for (size_t t = ids.size(); t < tensors.size(); ++t)
            use(Key{-1 - position, static_cast<int>(t)}, graph::physicalBytes(tensors[t].type), position);
    }

    // Arena storage: of a value (its root), or of a temp of a step (negative first part).
    using Key = std::pair<int64_t, int>;

    void use(ValueId id, int position) {
        if (graph_.isConstant(id)) return;
        const ValueId root = views_.root(id).value;
        if (spaces_.contains(root)) return;
        use(Key{root, 0}, graph::physicalBytes(value(root).type), position);
    }

    void use(Key key, int64_t bytes, int position) {
        const auto [found, isNew] = slot_.emplace(key, lives_.size());
        if (isNew) lives_.push_back({bytes, position, position, 0});
        lives_[found->second].last = position;
    }

    BufferRef refOf(ValueId id) {
        if (graph_.isConstant(id)) return constant(id);
        const View root = views_.root(id);
        if (const auto found = spaces_.find(root.value); found != spaces_.end()) return found->second;
        return {BufferRef::Space::Arena, 0, lives_[slot_.at(Key{root.value, 0})].offset + root.offset};
    }

    BufferRef constant(ValueId id) {
        if (const auto found = spaces_.find(id); found != spaces_.end()) return found->second;
        const auto data = value(id).constant->data();
        const auto offset = static_cast<int64_t>((plan_.constants.size() + 63) / 64 * 64);
        plan_.constants.resize(static_cast<size_t>(offset) + data.size());
        if (!data.empty()) std::memcpy(plan_.constants.data() + offset, data.data(), data.size());
        return spaces_[id] = {BufferRef::Space::Constant, 0, offset};
    }

    void place() {
        plan_.arenaBytes = placeBestFit(lives_);
        for (size_t s = 0; s < plan_.steps.size(); ++s) {
            codegen::Step& step = plan_.steps[s];
            const Group& group = model_.fused.groups[static_cast<size_t>(step.group)];
            for (ValueId id : group.inputs) step.buffers.push_back(refOf(id));
            for (ValueId id : group.outputs) step.buffers.push_back(refOf(id));
            const auto& tensors = plan_.tasks[static_cast<size_t>(step.task)].tensors;
            for (size_t t = step.buffers.size(); t < tensors.size(); ++t) {
                const Key key{-1 - static_cast<int64_t>(s), static_cast<int>(t)};
                step.buffers.push_back({BufferRef::Space::Arena, 0, lives_[slot_.at(key)].offset});
            }
        }
    }

    const OpenedModel& model_;
    const Graph& graph_;
    ModelPlan& plan_;
    Views views_;
    std::map<ValueId, BufferRef> spaces_;  // inputs, outputs, constants
    std::map<Key, size_t> slot_;
    std::vector<Lifetime> lives_;
};

}  // namespace

Result<ModelPlan> planModel(const OpenedModel& model, const std::vector<schedule::Trace>& traces, const target::Target&,
                            int threads) {
    ModelPlan plan;
    plan.name = identifier(model.name);
    plan.modelSha256 = model.sha256;
    plan.threads = threads;
    if (traces.size() != model.tasks.size())
        return fail(ErrorCode::Failed, "cannot plan the model", model.name,
                    std::to_string(traces.size()) + " traces for " + std::to_string(model.tasks.size()) + " tasks");
    for (size_t t = 0; t < model.tasks.size(); ++t) {
        FETTLE_TRY(loop::LoopProgram scheduled, schedule::replay(model.tasks[t].program, traces[t]));
        plan.tasks.push_back(std::move(scheduled));
    }
    FETTLE_CHECK(Planner(model, plan).run());
    return plan;
}

}  // namespace fettle::compile
