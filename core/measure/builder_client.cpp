// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/builder_client.h"

#include "core/loop/json.h"
#include "core/measure/plan_json.h"
#include "core/measure/wire_json.h"

namespace fettle::measure {

namespace {

// A whole model is many tasks: each may take as long as a task alone.
std::chrono::milliseconds modelTimeout(const WorkerOptions& options, size_t tasks) {
    return options.buildTimeout * static_cast<long>(tasks + 6);
}

codegen::Built builtFrom(Message&& reply) {
    const auto json = wire::Json::parse(reply.json);
    codegen::Built built;
    if (!reply.blobs.empty()) built.sharedObject = std::move(reply.blobs[0]);
    built.llvmIr = json.at("llvmIr").get<std::string>();
    built.assembly = json.at("assembly").get<std::string>();
    built.mca = json.at("mca").get<std::string>();
    built.stats.compileMs = json.at("compileMs").get<double>();
    built.stats.instructions = json.at("instructions").get<int>();
    built.stats.hotFmas = json.at("hotFmas").get<int>();
    built.stats.vectorSpills = json.at("vectorSpills").get<int>();
    return built;
}

}  // namespace

BuilderClient::BuilderClient(const target::Target& target, const WorkerOptions& options,
                             std::shared_ptr<SpawnThread> spawner)
    : target_(wire::dump(wire::targetJson(target))),
      options_(options),
      child_((options.programDir.empty() ? ownProgramDir() : options.programDir) + "/fettle-worker", {"--builder"},
             std::move(spawner)) {}

Result<codegen::Built> BuilderClient::ask(const MessageView& message, std::chrono::milliseconds timeout,
                                          const CancelToken* cancel) {
    auto reply = child_.call(message, timeout, cancel);
    if (!reply) {
        Error error = std::move(reply.error().error);
        if (reply.error().end == ChannelEnd::Closed) error.what = "the compiler died";
        if (reply.error().end == ChannelEnd::Timeout) error.what = "the compiler took too long";
        return tl::unexpected<Error>(std::move(error));
    }
    const auto json = wire::Json::parse(reply->json, nullptr, false);
    if (!json.is_object()) return fail(ErrorCode::Failed, "cannot build", "", "the compiler's answer cannot be read");
    if (json.contains("failure")) return tl::unexpected<Error>(wire::errorFrom(json.at("failure")));
    return builtFrom(std::move(*reply));
}

Result<codegen::Built> BuilderClient::build(const loop::LoopProgram& scheduled, const codegen::Artefacts& artefacts,
                                            const CancelToken* cancel) {
    const std::string json = wire::dump({{"op", "task"},
                                         {"target", target_},
                                         {"program", loop::toJson(scheduled)},
                                         {"sharedObject", artefacts.sharedObject},
                                         {"llvmIr", artefacts.llvmIr},
                                         {"assembly", artefacts.assembly},
                                         {"mca", artefacts.mca}});
    return ask({json, {}}, options_.buildTimeout, cancel);
}

Result<codegen::Built> BuilderClient::buildModel(const codegen::ModelPlan& plan, const CancelToken* cancel) {
    const std::string json = wire::dump({{"op", "model"}, {"target", target_}, {"plan", planJson(plan)}});
    return ask({json, {std::span(plan.constants)}}, modelTimeout(options_, plan.tasks.size()), cancel);
}

}  // namespace fettle::measure
