// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/plan_json.h"

#include "core/loop/json.h"
#include "core/measure/wire_json.h"

namespace fettle::measure {

using codegen::BufferRef;
using codegen::ModelPlan;
using wire::Json;

namespace {

Json tensorInfosJson(const std::vector<codegen::TensorInfo>& tensors) {
    Json json = Json::array();
    for (const auto& tensor : tensors) json.push_back({{"name", tensor.name}, {"type", wire::typeJson(tensor.type)}});
    return json;
}

std::vector<codegen::TensorInfo> tensorInfosFrom(const Json& json) {
    std::vector<codegen::TensorInfo> tensors;
    for (const Json& tensor : json)
        tensors.push_back({tensor.at("name").get<std::string>(), wire::typeFrom(tensor.at("type"))});
    return tensors;
}

auto broken(const std::string& where, const std::string& why) {
    return fail(ErrorCode::Failed, "cannot read the plan of a model", where, why);
}

Status checkBuffer(const ModelPlan& plan, const codegen::Step& step, const BufferRef& ref, int64_t bytes) {
    const auto limit = [&]() -> int64_t {
        switch (ref.space) {
            case BufferRef::Space::Input:
                if (ref.index < 0 || static_cast<size_t>(ref.index) >= plan.inputs.size()) return -1;
                return graph::physicalBytes(plan.inputs[static_cast<size_t>(ref.index)].type);
            case BufferRef::Space::Output:
                if (ref.index < 0 || static_cast<size_t>(ref.index) >= plan.outputs.size()) return -1;
                return graph::physicalBytes(plan.outputs[static_cast<size_t>(ref.index)].type);
            case BufferRef::Space::Constant:
                return static_cast<int64_t>(plan.constants.size());
            case BufferRef::Space::Arena:
                return plan.arenaBytes;
        }
        return -1;
    }();
    if (ref.offset < 0 || bytes > limit || ref.offset > limit - bytes)
        return broken(step.name, "a buffer lies outside its memory");
    return {};
}

Status check(const ModelPlan& plan) {
    for (const codegen::Step& step : plan.steps) {
        if (step.task < 0 || static_cast<size_t>(step.task) >= plan.tasks.size())
            return broken(step.name, "it runs a task that is not there");
        const auto& tensors = plan.tasks[static_cast<size_t>(step.task)].tensors;
        if (step.buffers.size() != tensors.size()) return broken(step.name, "its buffers are not those of its task");
        for (size_t i = 0; i < tensors.size(); ++i)
            FETTLE_CHECK(checkBuffer(plan, step, step.buffers[i], graph::physicalBytes(tensors[i].type)));
    }
    return {};
}

ModelPlan planFrom(const Json& json) {
    ModelPlan plan;
    plan.name = json.at("name").get<std::string>();
    plan.modelSha256 = json.at("sha256").get<std::string>();
    plan.inputs = tensorInfosFrom(json.at("inputs"));
    plan.outputs = tensorInfosFrom(json.at("outputs"));
    for (const Json& step : json.at("steps")) {
        codegen::Step& added = plan.steps.emplace_back();
        added.task = step.at("task").get<int>();
        added.name = step.at("name").get<std::string>();
        added.group = step.at("group").get<int>();
        for (const Json& ref : step.at("buffers"))
            added.buffers.push_back(
                {static_cast<BufferRef::Space>(ref.at(0).get<int>()), ref.at(1).get<int>(), ref.at(2).get<int64_t>()});
    }
    plan.arenaBytes = json.at("arenaBytes").get<int64_t>();
    plan.threads = json.at("threads").get<int>();
    plan.tolerance = json.at("tolerance").get<double>();
    return plan;
}

}  // namespace

std::string planJson(const ModelPlan& plan) {
    Json tasks = Json::array(), steps = Json::array();
    for (const auto& task : plan.tasks) tasks.push_back(loop::toJson(task));
    for (const auto& step : plan.steps) {
        Json buffers = Json::array();
        for (const auto& ref : step.buffers) buffers.push_back({static_cast<int>(ref.space), ref.index, ref.offset});
        steps.push_back({{"task", step.task}, {"name", step.name}, {"group", step.group}, {"buffers", buffers}});
    }
    return wire::dump({{"name", plan.name},
                       {"sha256", plan.modelSha256},
                       {"inputs", tensorInfosJson(plan.inputs)},
                       {"outputs", tensorInfosJson(plan.outputs)},
                       {"tasks", tasks},
                       {"steps", steps},
                       {"arenaBytes", plan.arenaBytes},
                       {"threads", plan.threads},
                       {"tolerance", plan.tolerance}});
}

Result<ModelPlan> planFromJson(const std::string& text, std::vector<std::byte> constants) {
    try {
        const Json json = Json::parse(text);
        ModelPlan plan = planFrom(json);
        plan.constants = std::move(constants);
        for (const Json& task : json.at("tasks")) {
            FETTLE_TRY(plan.tasks.emplace_back(), loop::fromJson(task.get<std::string>()));
        }
        FETTLE_CHECK(check(plan));
        return plan;
    } catch (const Json::exception& problem) {
        return broken("", problem.what());
    }
}

}  // namespace fettle::measure
