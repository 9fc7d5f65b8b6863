// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel may do anything: each way of going wrong gives its class and its text, and the next kernel runs.
#include <gtest/gtest.h>

#include <fstream>

#include "core/measure/runner_client.h"

namespace fettle::measure {
namespace {

constexpr int64_t kCount = 1000;

std::vector<std::byte> readKernel(const std::string& kind) {
    std::ifstream file(std::string(FETTLE_KERNELS) + "/kernel-" + kind + ".so", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

std::vector<loop::TensorDecl> tensors() {
    const graph::TensorType type{graph::DType::Float32, {4, 250}, {}};
    return {{"a", type, loop::Role::Input}, {"b", type, loop::Role::Constant}, {"y", type, loop::Role::Output}};
}

TaskData taskData(uint64_t key = 7) {
    std::vector<float> a(kCount), b(kCount), y(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        a[i] = static_cast<float>(i % 17) - 8;
        b[i] = static_cast<float>(i % 5);
        y[i] = 2 * a[i] + b[i];
    }
    const auto tensor = [](const std::vector<float>& values) {
        return graph::tensorOf<float>(graph::DType::Float32, {4, 250}, values);
    };
    return {key, {tensor(a), tensor(b)}, {tensor(y)}, 1e-4};
}

class Runner : public testing::Test {
protected:
    TrialResult run(const std::string& kind, const EvaluatorConfig& config = {}, int64_t bestNs = 0) {
        return client_.measure(readKernel(kind), tensors(), data_, config, bestNs, cancel_);
    }
    void expectGoesOn() {
        const TrialResult next = run("right");
        EXPECT_EQ(next.status, TrialStatus::Ok) << next.error;
    }
    CancelToken cancel_;
    TaskData data_ = taskData();
    RunnerClient client_{{FETTLE_PROGRAMS, std::chrono::seconds(5), std::chrono::milliseconds(3000), -1},
                         std::make_shared<SpawnThread>()};
};

TEST_F(Runner, TimesARightKernel) {
    const TrialResult result = run("right");
    ASSERT_EQ(result.status, TrialStatus::Ok) << result.error;
    EXPECT_GE(result.samplesNs.size(), 2u);
    EXPECT_LE(result.samplesNs.size(), 20u);
    EXPECT_GT(result.minNs, 20);
    EXPECT_LT(result.minNs, 100'000);
    EXPECT_LE(result.minNs, result.medianNs);
    EXPECT_EQ(result.maxRelError, 0);
    EXPECT_GT(result.runMs, 0);
}

TEST_F(Runner, StopsRacingAHopelessKernel) {
    EXPECT_EQ(run("right", {}, 1).samplesNs.size(), 2u);
    EXPECT_EQ(run("slow", {}, 1000).samplesNs.size(), 1u);  // the first run alone told
    EXPECT_LE(run("right", {}, run("right").minNs * 2 / 3).samplesNs.size(), 4u);
}

TEST_F(Runner, HonoursTheConfigExactly) {
    EvaluatorConfig config;
    config.number = 3;
    config.repeat = 7;
    EXPECT_EQ(run("right", config).samplesNs.size(), 7u);
    config.allocRepeat = 2;
    EXPECT_EQ(run("right", config).samplesNs.size(), 14u);
    config.flushCache = true;
    const TrialResult cold = run("right", config);
    ASSERT_EQ(cold.status, TrialStatus::Ok) << cold.error;
    config.flushCache = false;
    EXPECT_GT(cold.medianNs, run("right", config).minNs);
}

TEST_F(Runner, GivesAKernelItsThreads) {
    EXPECT_EQ(run("parallel").error, "wrong result: the kernel returned 9");
    EvaluatorConfig config;
    config.threads = 2;
    const TrialResult result = run("parallel", config);
    EXPECT_EQ(result.status, TrialStatus::Ok) << result.error;
}

struct BadKernel {
    const char* kind;
    TrialStatus status;
    const char* text;  // part of the error
};

class BadKernels : public Runner, public testing::WithParamInterface<BadKernel> {};

TEST_P(BadKernels, IsAFailedTrialAndTheNextOneRuns) {
    const auto& [kind, status, text] = GetParam();
    const TrialResult result = run(kind);
    EXPECT_EQ(result.status, status) << statusName(result.status) << ": " << result.error;
    EXPECT_NE(result.error.find(text), std::string::npos) << result.error;
    EXPECT_EQ(result.error.find('\n'), std::string::npos);
    EXPECT_TRUE(result.samplesNs.empty());
    EXPECT_EQ(result.minNs, 0);
    expectGoesOn();
}

const BadKernel badKernels[] = {
    {"segfault", TrialStatus::Crash, "SIGSEGV: write at 0x40, a null pointer"},
    {"endless", TrialStatus::Timeout, "no result after 3.0 s"},
    {"wrong_value", TrialStatus::WrongResult, "output y at [3,27] is "},
    {"nan", TrialStatus::WrongResult, "output y at [0,3] is nan, expected "},
    {"unwritten", TrialStatus::WrongResult, "output y at [0,5] is nan"},
    {"writes_input", TrialStatus::Crash, "inside the read-only input 0"},
    {"past_end", TrialStatus::Crash, "past the end of output y"},
    {"slack", TrialStatus::WrongResult, "it wrote beside output y"},
    {"before_start", TrialStatus::Crash, "before the start of output y"},
    {"exit", TrialStatus::Crash, "exit code 3"},
    {"abort", TrialStatus::Crash, "SIGABRT"},
    {"trap", TrialStatus::Crash, "SIGILL"},
    {"out_of_memory", TrialStatus::Crash, "SIGSEGV"},
    {"stack_overflow", TrialStatus::Crash, "stack overflow"},
    {"returns_code", TrialStatus::WrongResult, "the kernel returned 5"},
    {"drift", TrialStatus::WrongResult, "after several calls"},
#if defined(__x86_64__)
    {"ftz", TrialStatus::WrongResult, "changed the floating-point mode"},
#endif
};
INSTANTIATE_TEST_SUITE_P(Each, BadKernels, testing::ValuesIn(badKernels),
                         [](const auto& info) { return std::string(info.param.kind); });

TEST_F(Runner, RefusesWhatIsNoSharedObject) {
    const std::vector<std::byte> junk(5000, std::byte{7});
    const TrialResult result = client_.measure(junk, tensors(), data_, {}, 0, cancel_);
    EXPECT_EQ(result.status, TrialStatus::BuildError);
    EXPECT_NE(result.error.find("cannot load the shared object"), std::string::npos) << result.error;
    expectGoesOn();
}

TEST_F(Runner, RefusesDataOfAnotherShape) {
    auto program = tensors();
    program[2].type.shape = {5, 200};
    const TrialResult result = client_.measure(readKernel("right"), program, data_, {}, 0, cancel_);
    EXPECT_EQ(result.status, TrialStatus::BuildError) << result.error;
}

TEST_F(Runner, StopsWhenCancelled) {
    CancelToken cancel;
    std::thread later([cancel] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        cancel.cancel();
    });
    const auto start = Clock::now();
    const TrialResult result = client_.measure(readKernel("endless"), tensors(), data_, {}, 0, cancel);
    later.join();
    EXPECT_EQ(result.status, TrialStatus::Cancelled);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(1));
    expectGoesOn();
}

TEST_F(Runner, KeepsSeveralTasksApart) {
    TaskData other = taskData(8);
    other.expected[0] = other.inputs[0];
    const auto kernel = readKernel("right");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(client_.measure(kernel, tensors(), data_, {}, 0, cancel_).status, TrialStatus::Ok);
        EXPECT_EQ(client_.measure(kernel, tensors(), other, {}, 0, cancel_).status, TrialStatus::WrongResult);
    }
}

TEST_F(Runner, TakesMoreDataThanAKernelMayMap) {
    ASSERT_EQ(run("right").status, TrialStatus::Ok);
    TaskData large = taskData(9);
    const graph::TensorType type{graph::DType::UInt8, {400 << 20}, {}};
    large.inputs[1] = graph::makeTensor(type.dtype, type.shape, std::vector<std::byte>(400 << 20));
    auto program = tensors();
    program[1].type = type;
    large.expected[0] = graph::makeTensor(graph::DType::Float32, {4, 250}, std::vector<std::byte>(4000, std::byte{1}));
    const TrialResult result = client_.measure(readKernel("right"), program, large, {}, 0, cancel_);
    EXPECT_EQ(result.status, TrialStatus::WrongResult) << result.error;  // it ran, and zeros are no 2 a
}

TEST_F(Runner, ProbesTheMachine) {
    const auto one = client_.measureRoofline(1);
    ASSERT_TRUE(one) << one.error().message();
    EXPECT_GT(one->flopsPerSecond, 1e9);
    EXPECT_LT(one->flopsPerSecond, 1e12);
    EXPECT_GT(one->bytesPerSecond, 5e8);
    EXPECT_LT(one->bytesPerSecond, 1e12);
}

TEST(RunnerStart, NamesAProgramThatIsNotThere) {
    RunnerClient client({"/nonexistent", {}, {}, -1}, std::make_shared<SpawnThread>());
    const auto started = client.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::MissingTarget);
    EXPECT_EQ(started.error().what, "cannot start fettle-runner");
}

}  // namespace
}  // namespace fettle::measure
