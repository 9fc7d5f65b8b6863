// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/model_job.h"

#include "core/measure/runner/machine.h"
#include "core/measure/runner/object.h"
#include "core/measure/runner/task_store.h"
#include "core/measure/runner/timing.h"
#include "core/measure/wire_json.h"
#include "core/runtime/fettle_abi.h"

namespace fettle::measure::runner {

namespace {

constexpr size_t kModelsKept = 4;
constexpr uint8_t kNan = 0xff;

const char* const codeNames[] = {"OK", "E_ABI", "E_CPU", "E_VLEN", "E_SIZE", "E_ALIGN", "E_NULL", "E_WORKSPACE"};

auto broken(std::string why) {
    return fail(ErrorCode::Failed, "cannot run the model", "", std::move(why));
}

struct StepClock {
    std::vector<int64_t> stamps;
    static void tick(void* context, uint32_t) { static_cast<StepClock*>(context)->stamps.push_back(nowNs()); }
};

}  // namespace

struct LoadedModel {
    std::string key;
    LoadedObject object;  // unloaded after the buffers are gone
    const fettle_info* info = nullptr;
    fettle_run_fn entry = nullptr;
    std::vector<GuardedBuffer> inputs, outputs;
    GuardedBuffer workspace;

    Status call(int threads, StepClock* clock) {
        std::vector<fettle_buffer> in, out;
        for (const GuardedBuffer& buffer : inputs) in.push_back({buffer.data(), buffer.bytes()});
        for (const GuardedBuffer& buffer : outputs) out.push_back({buffer.data(), buffer.bytes()});
        fettle_call call{};
        call.struct_size = sizeof call;
        call.threads = static_cast<uint32_t>(threads);
        call.inputs = in.data();
        call.outputs = out.data();
        call.workspace = workspace.data();
        call.workspace_bytes = workspace.bytes();
        if (clock) {
            call.on_step = StepClock::tick;
            call.on_step_context = clock;
        }
        const int32_t code = entry(&call);
        if (code == FETTLE_OK) return {};
        const bool known = code > 0 && code < static_cast<int32_t>(std::size(codeNames));
        return broken(std::string("its entry point returned ") + (known ? codeNames[code] : std::to_string(code)));
    }
};

ModelStore::ModelStore() = default;
ModelStore::~ModelStore() = default;

Result<LoadedModel*> ModelStore::find(const std::string& key) {
    for (const auto& model : models_)
        if (model->key == key) return model.get();
    return broken("it is not loaded");
}

namespace {

Status makeModelBuffers(LoadedModel& model, const Message& message) {
    const fettle_info& info = *model.info;
    if (message.blobs.size() != 1 + info.input_count)
        return broken("it has " + std::to_string(info.input_count) + " inputs and " +
                      std::to_string(message.blobs.size() - 1) + " were given");
    for (uint32_t i = 0; i < info.input_count; ++i) {
        const auto& blob = message.blobs[1 + i];
        const std::string name = info.inputs[i].name;
        if (blob.size() != info.inputs[i].bytes)
            return broken("its input " + name + " has " + std::to_string(info.inputs[i].bytes) + " bytes and " +
                          std::to_string(blob.size()) + " were given");
        FETTLE_TRY(GuardedBuffer buffer, readOnlyCopy("input " + name, blob));
        model.inputs.push_back(std::move(buffer));
    }
    for (uint32_t i = 0; i < info.output_count; ++i) {
        const std::string name = std::string("output ") + info.outputs[i].name;
        FETTLE_TRY(GuardedBuffer buffer, GuardedBuffer::make(name, info.outputs[i].bytes));
        buffer.fill(kNan);
        model.outputs.push_back(std::move(buffer));
    }
    FETTLE_TRY(model.workspace, GuardedBuffer::make("the workspace", info.workspace_bytes));
    model.workspace.fill(kNan);
    return {};
}

}  // namespace

Result<Message> ModelStore::load(const Message& message) {
    const auto json = wire::Json::parse(message.json);
    if (message.blobs.empty()) return broken("no shared object came");
    const std::string name = json.at("name").get<std::string>();
    const int64_t start = nowNs();
    auto model = std::make_unique<LoadedModel>();
    model->key = json.at("key").get<std::string>();
    FETTLE_TRY(model->object, LoadedObject::load(message.blobs[0]));
    FETTLE_TRY(void* const query, model->object.symbol("fettle_" + name + "_query"));
    FETTLE_TRY(void* const entry, model->object.symbol("fettle_" + name + "_run"));
    model->info = reinterpret_cast<fettle_query_fn>(query)(FETTLE_ABI_MAJOR);
    model->entry = reinterpret_cast<fettle_run_fn>(entry);
    if (!model->info || model->info->magic != FETTLE_MAGIC) return broken("its ABI is not the one this program speaks");
    const int64_t loaded = nowNs();

    limitGrowth(uint64_t{16} << 30);  // what the user's own model needs is not limited, a runaway is
    FETTLE_CHECK(makeModelBuffers(*model, message));
    uint64_t bytes = message.blobs[0].size() + model->workspace.bytes();
    for (const GuardedBuffer& buffer : model->inputs) bytes += buffer.bytes();
    for (const GuardedBuffer& buffer : model->outputs) bytes += buffer.bytes();
    Message reply{wire::dump({{"loadMs", static_cast<double>(loaded - start) * 1e-6},
                              {"bytes", bytes},
                              {"steps", model->info->step_count}}),
                  {}};
    if (models_.size() >= kModelsKept) models_.pop_front();
    models_.push_back(std::move(model));
    return reply;
}

Result<Message> ModelStore::run(const Message& message) {
    const auto json = wire::Json::parse(message.json);
    FETTLE_TRY(LoadedModel* const model, find(json.at("key").get<std::string>()));
    const int threads = json.at("threads").get<int>();
    pinFor(threads, -1);
    for (GuardedBuffer& output : model->outputs) output.fill(kNan);
    model->workspace.fill(kNan);
    FETTLE_CHECK(model->call(threads, nullptr));
    Message reply{"{}", {}};
    for (const GuardedBuffer& output : model->outputs) {
        if (!output.slackIs(kNan)) return broken("it wrote beside " + output.name());
        reply.blobs.emplace_back(output.span().begin(), output.span().end());
    }
    if (!model->workspace.slackIs(kNan)) return broken("it wrote beside the workspace");
    return reply;
}

Result<Message> ModelStore::time(const Message& message, int cpu) {
    const auto json = wire::Json::parse(message.json);
    FETTLE_TRY(LoadedModel* const model, find(json.at("key").get<std::string>()));
    const int threads = json.at("threads").get<int>(), runs = json.at("runs").get<int>();
    const auto budgetNs = static_cast<int64_t>(json.at("seconds").get<double>() * 1e9);
    const bool perStep = json.at("perStep").get<bool>();
    pinFor(threads, cpu);
    std::vector<int64_t> runNs;
    std::vector<std::vector<int64_t>> stepNs;
    StepClock clock;
    clock.stamps.reserve(model->info->step_count + 1);
    const int64_t begin = nowNs();
    do {
        clock.stamps.clear();
        const int64_t start = nowNs();
        FETTLE_CHECK(model->call(threads, perStep ? &clock : nullptr));
        runNs.push_back(nowNs() - start);
        if (!perStep) continue;
        std::vector<int64_t>& steps = stepNs.emplace_back();
        for (size_t i = 1; i < clock.stamps.size(); ++i) steps.push_back(clock.stamps[i] - clock.stamps[i - 1]);
    } while (static_cast<int>(runNs.size()) < runs && nowNs() - begin < budgetNs);
    return Message{wire::dump({{"runNs", runNs}, {"stepNs", stepNs}}), {}};
}

}  // namespace fettle::measure::runner
