// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/measure/wire_json.h"
#include "core/support/format.h"
#include "core/support/hash.h"

namespace fettle::measure {

namespace {

constexpr std::chrono::milliseconds kTransferTimeout{60000};  // loading data or a model
constexpr std::chrono::milliseconds kModelTimeout{120000};    // one slice of runs of a whole model
constexpr size_t kDataBytesKept = size_t{1} << 30;
constexpr double kSliceSeconds = 0.5;

std::string keyText(uint64_t key) {
    return std::to_string(key);
}

int64_t median(std::vector<int64_t> values) {
    if (values.empty()) return 0;
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// How a trial fails when its runner did not answer.
TrialResult resultOf(const CallFailure& failure, std::chrono::milliseconds timeout) {
    TrialResult result;
    switch (failure.end) {
        case ChannelEnd::Timeout:
            result.status = TrialStatus::Timeout;
            result.error = "timeout: no result after " + formatDouble(static_cast<double>(timeout.count()) * 1e-3, 1) +
                           " s; the kernel was stopped";
            break;
        case ChannelEnd::Cancelled:
            result.status = TrialStatus::Cancelled;
            result.error = "cancelled";
            break;
        case ChannelEnd::Closed:
            result.status = TrialStatus::Crash;
            result.error = "crash: the kernel ended its process with " + failure.exit.text();
            break;
        default:
            result.status = TrialStatus::Crash;
            result.error = "crash: " + failure.error.message();
    }
    return result;
}

TrialResult resultFrom(const Message& reply) {
    const auto json = wire::Json::parse(reply.json);
    TrialResult result;
    if (json.contains("failure")) {
        result.status = TrialStatus::BuildError;
        result.error = "build error: " + wire::errorFrom(json.at("failure")).message();
        return result;
    }
    result.status = static_cast<TrialStatus>(json.at("status").get<int>());
    result.maxRelError = json.at("maxRelError").get<double>();
    result.samplesNs = json.at("samples").get<std::vector<int64_t>>();
    if (result.status != TrialStatus::Ok) {
        result.error = std::string(statusName(result.status)) + ": " + json.at("error").get<std::string>();
    } else if (!result.samplesNs.empty()) {
        result.minNs = *std::min_element(result.samplesNs.begin(), result.samplesNs.end());
        result.medianNs = median(result.samplesNs);
    }
    return result;
}

std::vector<std::string> runnerArguments(const WorkerOptions& options) {
    std::vector<std::string> arguments{"--stdio"};
    if (options.runnerCpu >= 0) arguments.insert(arguments.end(), {"--cpu", std::to_string(options.runnerCpu)});
    return arguments;
}

}  // namespace

RunnerClient::RunnerClient(const WorkerOptions& options, std::shared_ptr<SpawnThread> spawner)
    : options_(options),
      child_((options.programDir.empty() ? ownProgramDir() : options.programDir) + "/fettle-runner",
             runnerArguments(options), std::move(spawner)) {}

void RunnerClient::noticeRestart() {
    if (child_.running() && child_.generation() == generation_) return;
    kept_.clear();
    models_.clear();
    generation_ = child_.generation();
}

Result<Message> RunnerClient::ask(const MessageView& message, std::chrono::milliseconds timeout,
                                  const CancelToken* cancel) {
    auto reply = child_.call(message, timeout, cancel);
    if (!reply) {
        Error error = std::move(reply.error().error);
        if (reply.error().end != ChannelEnd::None) error.what = "the model's run gave no result";
        return tl::unexpected<Error>(std::move(error));
    }
    const auto json = wire::Json::parse(reply->json, nullptr, false);
    if (json.is_object() && json.contains("failure")) return tl::unexpected<Error>(wire::errorFrom(json.at("failure")));
    return std::move(*reply);
}

void RunnerClient::forgetOldest() {
    const std::string json = wire::dump({{"op", "forget"}, {"key", keyText(kept_.front().first)}});
    kept_.pop_front();
    (void)child_.call({json, {}}, kTransferTimeout);  // when it is gone, so are its data
}

tl::expected<void, CallFailure> RunnerClient::sendData(const TaskData& data, const CancelToken& cancel) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k.first == data.key; });
    if (known != kept_.end()) {
        kept_.splice(kept_.end(), kept_, known);
        return {};
    }
    MessageView message;
    size_t bytes = 0;
    for (const auto* tensors : {&data.inputs, &data.expected})
        for (const graph::Tensor& tensor : *tensors) {
            message.blobs.push_back(tensor.data());
            bytes += tensor.data().size();
        }
    message.json = wire::dump({{"op", "data"},
                               {"key", keyText(data.key)},
                               {"tolerance", data.tolerance},
                               {"inputs", wire::typesJson(data.inputs)},
                               {"outputs", wire::typesJson(data.expected)}});
    size_t held = bytes;
    for (const auto& k : kept_) held += k.second;
    while (held > kDataBytesKept && !kept_.empty()) {
        held -= kept_.front().second;
        forgetOldest();
    }
    auto reply = child_.call(message, kTransferTimeout, &cancel);
    if (!reply) return tl::unexpected<CallFailure>(std::move(reply.error()));
    generation_ = child_.generation();
    kept_.emplace_back(data.key, bytes);
    return {};
}

TrialResult RunnerClient::measure(std::span<const std::byte> sharedObject, const std::vector<loop::TensorDecl>& tensors,
                                  const TaskData& data, const EvaluatorConfig& config, int64_t bestNs,
                                  const CancelToken& cancel) {
    const auto start = Clock::now();
    const auto finish = [&](TrialResult result) {
        result.runMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        return result;
    };
    if (auto started = child_.start(); !started)
        return finish(resultOf({ChannelEnd::None, {}, started.error()}, options_.runTimeout));
    noticeRestart();
    if (auto sent = sendData(data, cancel); !sent) return finish(resultOf(sent.error(), kTransferTimeout));
    MessageView message;
    message.json = wire::dump({{"op", "trial"},
                               {"key", keyText(data.key)},
                               {"tensors", wire::declsJson(tensors)},
                               {"config", wire::configJson(config)},
                               {"bestNs", bestNs}});
    message.blobs = {sharedObject};
    auto reply = child_.call(message, options_.runTimeout, &cancel);
    return finish(reply ? resultFrom(*reply) : resultOf(reply.error(), options_.runTimeout));
}

Result<RunnerClient::ModelHandle> RunnerClient::loadModel(std::span<const std::byte> sharedObject,
                                                          const std::string& name,
                                                          const std::vector<graph::Tensor>& inputs) {
    FETTLE_CHECK(child_.start());
    noticeRestart();
    uint32_t crc = crc32c(sharedObject);
    size_t bytes = sharedObject.size();
    MessageView message;
    message.blobs.push_back(sharedObject);
    for (const graph::Tensor& input : inputs) {
        crc = crc32c(input.data(), crc);
        bytes += input.data().size();
        message.blobs.push_back(input.data());
    }
    ModelHandle handle;
    handle.key = std::to_string(crc) + "-" + std::to_string(bytes);
    if (const auto known = models_.find(handle.key); known != models_.end()) return known->second;
    message.json = wire::dump({{"op", "model-load"}, {"key", handle.key}, {"name", name}});
    FETTLE_TRY(const Message reply, ask(message, kTransferTimeout, nullptr));
    const auto json = wire::Json::parse(reply.json);
    handle.loadMs = json.at("loadMs").get<double>();
    handle.bytes = json.at("bytes").get<int64_t>();
    if (models_.size() >= 3) models_.clear();  // the runner keeps four: what we forget, it drops in time
    models_[handle.key] = handle;
    return handle;
}

Result<std::vector<graph::Tensor>> RunnerClient::runModel(const ModelHandle& model,
                                                          const std::vector<graph::TensorType>& outputs, int threads) {
    const std::string json = wire::dump({{"op", "model-run"}, {"key", model.key}, {"threads", threads}});
    FETTLE_TRY(Message reply, ask({json, {}}, kModelTimeout, nullptr));
    if (reply.blobs.size() != outputs.size())
        return fail(ErrorCode::Failed, "cannot use the model's outputs", "",
                    "it has " + std::to_string(reply.blobs.size()) + " and not " + std::to_string(outputs.size()));
    std::vector<graph::Tensor> tensors;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (static_cast<int64_t>(reply.blobs[i].size()) != graph::physicalBytes(outputs[i]))
            return fail(ErrorCode::Failed, "cannot use the model's outputs", "output " + std::to_string(i),
                        "its size is not that of " + graph::typeText(outputs[i]));
        auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(reply.blobs[i]));
        tensors.push_back({outputs[i], std::move(bytes)});
    }
    return tensors;
}

Result<ModelTimings> RunnerClient::timeModel(const ModelHandle& model, int threads, int runs, double minSeconds,
                                             bool perStep, const CancelToken& cancel) {
    ModelTimings timings;
    timings.loadMs = model.loadMs;
    timings.peakBytes = model.bytes;
    const auto start = Clock::now();
    for (;;) {
        const double left = minSeconds - std::chrono::duration<double>(Clock::now() - start).count();
        const auto runsLeft = runs - static_cast<int>(timings.runNs.size());
        if (!timings.runNs.empty() && left <= 0 && runsLeft <= 0) return timings;
        if (cancel.cancelled()) return fail(ErrorCode::Cancelled, "the timing was stopped", "", "it was cancelled");
        const std::string json = wire::dump({{"op", "model-time"},
                                             {"key", model.key},
                                             {"threads", threads},
                                             {"runs", left > 0 ? INT32_MAX : std::max(runsLeft, 1)},
                                             {"seconds", left > 0 ? std::min(left, kSliceSeconds) : kSliceSeconds},
                                             {"perStep", perStep}});
        FETTLE_TRY(const Message reply, ask({json, {}}, kModelTimeout, &cancel));
        const auto answer = wire::Json::parse(reply.json);
        const auto runNs = answer.at("runNs").get<std::vector<int64_t>>();
        auto stepNs = answer.at("stepNs").get<std::vector<std::vector<int64_t>>>();
        timings.runNs.insert(timings.runNs.end(), runNs.begin(), runNs.end());
        timings.stepNs.insert(timings.stepNs.end(), stepNs.begin(), stepNs.end());
    }
}

Result<Roofline> RunnerClient::measureRoofline(int threads) {
    const std::string json = wire::dump({{"op", "roofline"}, {"threads", threads}});
    FETTLE_TRY(const Message reply, ask({json, {}}, kTransferTimeout, nullptr));
    const auto answer = wire::Json::parse(reply.json);
    return Roofline{answer.at("flops").get<double>(), answer.at("bytes").get<double>()};
}

}  // namespace fettle::measure
