// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/runner_loop.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/measure/channel.h"
#include "core/measure/own_channel.h"
#include "core/measure/runner/buffers.h"
#include "core/measure/runner/kernel_job.h"
#include "core/measure/runner/machine.h"
#include "core/measure/runner/model_job.h"
#include "core/measure/runner/roofline.h"
#include "core/measure/wire_json.h"

namespace fettle::measure::runner {

namespace {

struct State {
    RunnerOptions options;
    TaskStore tasks;
    ModelStore models;
};

Result<Message> answer(const Message& message, State& state) {
    const auto json = wire::Json::parse(message.json);
    const auto op = json.at("op").get<std::string>();
    if (op == "hello") return Message{wire::dump({{"version", kProtocolVersion}}), {}};
    if (op == "trial") return runKernelJob(message, state.tasks, state.options.cpu);
    if (op == "data") {
        FETTLE_CHECK(state.tasks.keep(message));
        return Message{"{}", {}};
    }
    if (op == "forget") {
        state.tasks.forget(json.at("key").get<std::string>());
        return Message{"{}", {}};
    }
    if (op == "model-load") return state.models.load(message);
    if (op == "model-run") return state.models.run(message);
    if (op == "model-time") return state.models.time(message, state.options.cpu);
    if (op == "roofline") {
        const Roofline roofline = probeRoofline(json.at("threads").get<int>());
        return Message{wire::dump({{"flops", roofline.flopsPerSecond}, {"bytes", roofline.bytesPerSecond}}), {}};
    }
    return fail(ErrorCode::Failed, "cannot do the job", op, "it is not known");
}

}  // namespace

int runRunner(const RunnerOptions& options) {
    limitProcess();
    installFaultReport();
    State state{options, {}, {}};
    return serveOwnChannel([&state](const Message& message) { return answer(message, state); });
}

}  // namespace fettle::measure::runner
