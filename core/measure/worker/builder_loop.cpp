// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/worker/builder_loop.h"

#include <sys/resource.h>

#include "core/codegen/codegen.h"
#include "core/loop/json.h"
#include "core/measure/own_channel.h"
#include "core/measure/plan_json.h"
#include "core/measure/wire_json.h"
#include "core/support/affinity.h"

namespace fettle::measure::worker {

namespace {

Message replyOf(codegen::Built&& built) {
    Message reply;
    reply.json = wire::dump({{"llvmIr", built.llvmIr},
                             {"assembly", built.assembly},
                             {"mca", built.mca},
                             {"compileMs", built.stats.compileMs},
                             {"instructions", built.stats.instructions},
                             {"hotFmas", built.stats.hotFmas},
                             {"vectorSpills", built.stats.vectorSpills}});
    reply.blobs.push_back(std::move(built.sharedObject));
    return reply;
}

Result<Message> answer(const Message& message) {
    const auto json = wire::Json::parse(message.json);
    const auto op = json.at("op").get<std::string>();
    if (op == "hello") return Message{wire::dump({{"version", kProtocolVersion}}), {}};
    const target::Target target = wire::targetFrom(wire::Json::parse(json.at("target").get<std::string>()));
    if (op == "task") {
        FETTLE_TRY(const loop::LoopProgram program, loop::fromJson(json.at("program").get<std::string>()));
        codegen::Artefacts artefacts;
        artefacts.sharedObject = json.at("sharedObject").get<bool>();
        artefacts.llvmIr = json.at("llvmIr").get<bool>();
        artefacts.assembly = json.at("assembly").get<bool>();
        artefacts.mca = json.at("mca").get<bool>();
        FETTLE_TRY(codegen::Built built, codegen::buildTask(program, target, artefacts));
        return replyOf(std::move(built));
    }
    if (op == "model" && message.blobs.size() == 1) {
        FETTLE_TRY(const codegen::ModelPlan plan, planFromJson(json.at("plan").get<std::string>(), message.blobs[0]));
        FETTLE_TRY(codegen::Built built, codegen::buildModel(plan, target));
        return replyOf(std::move(built));
    }
    return fail(ErrorCode::Failed, "cannot do the job", op, "it is not known");
}

}  // namespace

int runBuilder() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    support::leaveMeasuringCpu();
    return serveOwnChannel(answer);
}

}  // namespace fettle::measure::worker
