// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/kernel_job.h"

#include <algorithm>

#include "core/measure/runner/check.h"
#include "core/measure/runner/machine.h"
#include "core/measure/runner/object.h"
#include "core/measure/runner/timing.h"
#include "core/measure/wire_json.h"

namespace fettle::measure::runner {

namespace {

constexpr uint8_t kNan = 0xff;                         // every float made of it is a NaN
constexpr uint64_t kSpareBytes = uint64_t{256} << 20;  // beyond its tensors, a kernel may map this much
constexpr uint64_t kThreadBytes = uint64_t{16} << 20;  // and this much for each thread

// The buffers of one kernel: the task's inputs, and outputs and temporaries of its own.
struct KernelBuffers {
    std::vector<GuardedBuffer> owned;
    std::vector<size_t> outputs;  // which of `owned`, in order
    std::vector<void*> pointers;  // one per tensor of the program
};

Result<KernelBuffers> makeBuffers(const std::vector<loop::TensorDecl>& tensors, StoredTask& task) {
    KernelBuffers buffers;
    size_t inputs = 0, outputs = 0;
    for (const auto& tensor : tensors) {
        const bool given = tensor.role == loop::Role::Input || tensor.role == loop::Role::Constant;
        const int64_t bytes = graph::physicalBytes(tensor.type);
        if (given && inputs < task.inputs.size() && static_cast<int64_t>(task.inputs[inputs].bytes()) == bytes) {
            buffers.pointers.push_back(task.inputs[inputs++].data());
            continue;
        }
        const bool output = tensor.role == loop::Role::Output;
        if (given || (output && (outputs >= task.expected.size() || !(task.expected[outputs].type == tensor.type))))
            return fail(ErrorCode::Failed, "cannot run the kernel", tensor.name,
                        "the task's data do not fit its program");
        FETTLE_TRY(GuardedBuffer buffer,
                   GuardedBuffer::make((output ? "output " : "temporary ") + tensor.name, static_cast<size_t>(bytes)));
        buffer.fill(kNan);
        buffers.pointers.push_back(buffer.data());
        if (output) buffers.outputs.push_back(buffers.owned.size());
        outputs += output;
        buffers.owned.push_back(std::move(buffer));
    }
    if (inputs != task.inputs.size() || outputs != task.expected.size())
        return fail(ErrorCode::Failed, "cannot run the kernel", "", "the task has other tensors than the program");
    return buffers;
}

struct Verdict {
    TrialStatus status = TrialStatus::Ok;
    double maxRelError = 0;
    std::string text;
};

void judgeOutputs(const KernelBuffers& buffers, const StoredTask& task, Verdict& verdict) {
    for (size_t i = 0; i < buffers.outputs.size(); ++i) {
        const GuardedBuffer& buffer = buffers.owned[buffers.outputs[i]];
        const StoredTask::Expected& expected = task.expected[i];
        const Comparison found = compareOutputs(buffer.name().substr(sizeof "output" /* and a space */), expected.type,
                                                buffer.span(), expected.bytes, expected.specified, task.tolerance);
        verdict.maxRelError = std::max(verdict.maxRelError, found.maxRelError);
        if (found.ok) continue;
        verdict.status = TrialStatus::WrongResult;
        verdict.text = found.text;
        return;
    }
    for (const GuardedBuffer& buffer : buffers.owned) {
        if (buffer.slackIs(kNan)) continue;
        verdict.status = TrialStatus::WrongResult;
        verdict.text = "it wrote beside " + buffer.name();
        return;
    }
}

Message reply(const Verdict& verdict, const std::vector<int64_t>& samples) {
    const bool finite = verdict.maxRelError <= 1e300;
    return {wire::dump({{"status", static_cast<int>(verdict.status)},
                        {"maxRelError", finite ? verdict.maxRelError : 1e300},
                        {"error", verdict.text},
                        {"samples", samples}}),
            {}};
}

class KernelJob {
public:
    KernelJob(fettle_task_fn kernel, StoredTask& task, const EvaluatorConfig& config)
        : kernel_(kernel), task_(task), config_(config), pool_(poolFor(config.threads)) {}

    // The first run, in buffers full of NaN.
    Verdict check(KernelBuffers& buffers) {
        const uint32_t mode = floatingPointMode();
        const int64_t start = nowNs();
        const int32_t code = call(buffers);
        firstCallNs_ = nowNs() - start;
        Verdict verdict;
        if (code != 0) {
            verdict = {TrialStatus::WrongResult, 0, "the kernel returned " + std::to_string(code)};
        } else if (floatingPointMode() != mode) {
            verdict = {TrialStatus::WrongResult, 0, "the kernel changed the floating-point mode"};
        } else {
            judgeOutputs(buffers, task_, verdict);
        }
        setFloatingPointMode(mode);
        return verdict;
    }

    std::vector<int64_t> time(KernelBuffers& buffers, int64_t bestNs) {
        TimedCall timed;
        timed.call = [&] { call(buffers); };
        timed.flush = [&] {
            for (const GuardedBuffer& buffer : task_.inputs) flushFromCaches(buffer.span());
            for (const GuardedBuffer& buffer : buffers.owned) flushFromCaches(buffer.span());
        };
        timed.firstCallNs = firstCallNs_;
        return sampleCall(timed, config_, bestNs);
    }

private:
    int32_t call(KernelBuffers& buffers) { return kernel_(buffers.pointers.data(), pool_.pool(), pool_.parallelFor()); }
    fettle_task_fn kernel_;
    StoredTask& task_;
    const EvaluatorConfig& config_;
    KernelPool pool_;
    int64_t firstCallNs_ = 0;
};

Result<Message> runChecked(const Message& message, TaskStore& tasks, int cpu) {
    const auto json = wire::Json::parse(message.json);
    StoredTask* task = tasks.find(json.at("key").get<std::string>());
    if (!task || message.blobs.size() != 1)
        return fail(ErrorCode::Failed, "cannot run the kernel", "", "no data came for it");
    const auto tensors = wire::declsFrom(json.at("tensors"));
    const EvaluatorConfig config = wire::configFrom(json.at("config"));
    FETTLE_TRY(const LoadedObject object, LoadedObject::load(message.blobs[0]));
    FETTLE_TRY(void* const symbol, object.symbol("fettle_task"));

    pinFor(config.threads, cpu);
    uint64_t bytes = 0;
    for (const auto& tensor : tensors) bytes += static_cast<uint64_t>(graph::physicalBytes(tensor.type));
    limitGrowth(2 * bytes + kSpareBytes + static_cast<uint64_t>(std::max(config.threads, 1)) * kThreadBytes);

    KernelJob job(reinterpret_cast<fettle_task_fn>(symbol), *task, config);
    std::vector<int64_t> samples;
    Verdict verdict;
    for (int round = 0; round < std::max(config.allocRepeat, 1) && verdict.status == TrialStatus::Ok; ++round) {
        FETTLE_TRY(KernelBuffers buffers, makeBuffers(tensors, *task));
        verdict = job.check(buffers);
        if (verdict.status != TrialStatus::Ok) break;
        const auto times = job.time(buffers, json.at("bestNs").get<int64_t>());
        samples.insert(samples.end(), times.begin(), times.end());
        judgeOutputs(buffers, *task, verdict);
        if (verdict.status != TrialStatus::Ok) verdict.text += " (after several calls; the first was right)";
    }
    if (verdict.status != TrialStatus::Ok) samples.clear();
    return reply(verdict, samples);
}

}  // namespace

Message runKernelJob(const Message& message, TaskStore& tasks, int cpu) {
    auto result = runChecked(message, tasks, cpu);
    liftGrowthLimit();
    if (result) return std::move(*result);
    return reply({TrialStatus::BuildError, 0, result.error().message()}, {});
}

}  // namespace fettle::measure::runner
