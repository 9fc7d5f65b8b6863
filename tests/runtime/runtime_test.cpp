// SPDX-License-Identifier: GPL-3.0-or-later
// The runtime inside a model: argument checks, threads, what it leaves behind.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "core/runtime/cpu.h"

namespace {

constexpr size_t kCount = 1000, kBytes = kCount * sizeof(float);
const std::string toyPath = std::string(FETTLE_MODELS) + "/toy.so";

struct Library {
    void* handle = dlopen(toyPath.c_str(), RTLD_NOW | RTLD_LOCAL);
    ~Library() {
        if (handle) dlclose(handle);
    }
    template <class F>
    F symbol(const char* name) {
        return reinterpret_cast<F>(dlsym(handle, name));
    }
};

// One caller: its own buffers and workspace.
struct Caller {
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };
    using Floats = std::unique_ptr<float, Free>;
    static Floats floats(size_t bytes) {
        return Floats(static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
    }

    Floats a = floats(kBytes), b = floats(kBytes), y = floats(kBytes), workspace = floats(4096);
    std::array<fettle_buffer, 2> inputs{{{a.get(), kBytes}, {b.get(), kBytes}}};
    std::array<fettle_buffer, 1> outputs{{{y.get(), kBytes}}};
    fettle_call call{};

    explicit Caller(float shift = 0) {
        for (size_t i = 0; i < kCount; ++i) {
            a.get()[i] = static_cast<float>(i) - 500 + shift;
            b.get()[i] = static_cast<float>(i % 7);
            y.get()[i] = NAN;
        }
        call.struct_size = sizeof call;
        call.inputs = inputs.data();
        call.outputs = outputs.data();
        call.workspace = workspace.get();
        call.workspace_bytes = 4032;
    }
    int wrong() const {
        int count = 0;
        for (size_t i = 0; i < kCount; ++i) count += y.get()[i] != std::max(2 * a.get()[i] + b.get()[i], 0.0f) + 0.5f;
        return count;
    }
};

class Runtime : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(library_.handle, nullptr) << dlerror();
        query_ = library_.symbol<fettle_query_fn>("fettle_toy_query");
        run_ = library_.symbol<fettle_run_fn>("fettle_toy_run");
        ASSERT_TRUE(query_ && run_);
    }
    Library library_;
    fettle_query_fn query_ = nullptr;
    fettle_run_fn run_ = nullptr;
    Caller caller_;
};

TEST_F(Runtime, TellsWhatItIs) {
    const fettle_info* info = query_(FETTLE_ABI_MAJOR);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->magic, FETTLE_MAGIC);
    EXPECT_EQ(info->step_count, 2u);
    EXPECT_EQ(query_(FETTLE_ABI_MAJOR + 1), info);
    EXPECT_EQ(query_(0), nullptr);
}

TEST_F(Runtime, ComputesOnAnyNumberOfThreads) {
    for (const uint32_t threads : {0u, 1u, 2u, 3u, 8u, 1000u}) {
        Caller caller(static_cast<float>(threads));
        caller.call.threads = threads;
        for (int i = 0; i < 50; ++i) ASSERT_EQ(run_(&caller.call), FETTLE_OK);
        EXPECT_EQ(caller.wrong(), 0) << threads;
    }
}

TEST_F(Runtime, RefusesEachWrongArgumentWithItsCode) {
    struct Case {
        const char* name;
        int32_t code;
        void (*spoil)(Caller&);
    };
    const Case cases[] = {
        {"struct_size", FETTLE_E_ABI, [](Caller& c) { c.call.struct_size -= 1; }},
        {"inputs", FETTLE_E_NULL, [](Caller& c) { c.call.inputs = nullptr; }},
        {"outputs", FETTLE_E_NULL, [](Caller& c) { c.call.outputs = nullptr; }},
        {"input data", FETTLE_E_NULL, [](Caller& c) { c.inputs[1].data = nullptr; }},
        {"output data", FETTLE_E_NULL, [](Caller& c) { c.outputs[0].data = nullptr; }},
        {"input short", FETTLE_E_SIZE, [](Caller& c) { c.inputs[0].bytes -= 4; }},
        {"output long", FETTLE_E_SIZE, [](Caller& c) { c.outputs[0].bytes += 4; }},
        {"input alignment", FETTLE_E_ALIGN, [](Caller& c) { c.inputs[0].data = c.a.get() + 1; }},
        {"workspace null", FETTLE_E_NULL, [](Caller& c) { c.call.workspace = nullptr; }},
        {"workspace small", FETTLE_E_WORKSPACE, [](Caller& c) { c.call.workspace_bytes -= 1; }},
        {"workspace alignment", FETTLE_E_ALIGN, [](Caller& c) { c.call.workspace = c.workspace.get() + 2; }},
    };
    EXPECT_EQ(run_(nullptr), FETTLE_E_NULL);
    for (const Case& each : cases) {
        Caller caller;
        each.spoil(caller);
        EXPECT_EQ(run_(&caller.call), each.code) << each.name;
        EXPECT_TRUE(std::isnan(caller.y.get()[0])) << each.name;
    }
    Caller lessAligned;  // b needs 4 bytes only
    lessAligned.inputs[1].data = lessAligned.b.get() + 1;
    lessAligned.inputs[1].bytes = kBytes;
    lessAligned.b = Caller::floats(kBytes + 64);
    std::fill_n(lessAligned.b.get(), kCount + 1, 1.0f);
    lessAligned.inputs[1].data = lessAligned.b.get() + 1;
    EXPECT_EQ(run_(&lessAligned.call), FETTLE_OK);
}

TEST_F(Runtime, ALaterCallersLongerStructIsTaken) {
    struct Later {
        fettle_call call;
        uint64_t added = 1;
    } later{caller_.call};
    later.call.struct_size = sizeof later;
    EXPECT_EQ(run_(&later.call), FETTLE_OK);
}

TEST_F(Runtime, CallsBackBeforeEachStepAndAtTheEnd) {
    std::vector<uint32_t> steps;
    caller_.call.on_step_context = &steps;
    caller_.call.on_step = [](void* context, uint32_t step) {
        static_cast<std::vector<uint32_t>*>(context)->push_back(step);
    };
    ASSERT_EQ(run_(&caller_.call), FETTLE_OK);
    EXPECT_EQ(steps, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(Runtime, UsesTheCallersPool) {
    int calls = 0;
    caller_.call.pool = &calls;
    caller_.call.threads = 4;
    caller_.call.parallel_for = [](void* pool, int64_t count, fettle_body body, void* context) {
        ++*static_cast<int*>(pool);
        body(context, count / 3, count);
        body(context, 0, count / 3);
    };
    ASSERT_EQ(run_(&caller_.call), FETTLE_OK);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(caller_.wrong(), 0);
}

#if defined(__x86_64__)
TEST_F(Runtime, GivesTheFloatingPointStateBack) {
    const unsigned before = _mm_getcsr();
    const unsigned odd = (before | 0xe040) & ~0x3fu;  // toward zero, flush to zero, denormals as zero; no flags
    _mm_setcsr(odd);
    const int32_t code = run_(&caller_.call);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(code, FETTLE_OK);
    EXPECT_EQ(after, odd);
}
#endif

TEST_F(Runtime, IsReentrant) {
    std::vector<std::thread> threads;
    std::array<int, 4> wrong{};
    for (size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            Caller caller(static_cast<float>(t * 10));
            caller.call.threads = 2 + static_cast<uint32_t>(t % 2);
            for (int i = 0; i < 500; ++i) {
                std::fill_n(caller.y.get(), kCount, NAN);
                if (run_(&caller.call) != FETTLE_OK) wrong[t] += 1000;
                wrong[t] += caller.wrong();
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST_F(Runtime, SleepersWake) {
    caller_.call.threads = 3;
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(run_(&caller_.call), FETTLE_OK);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    EXPECT_EQ(caller_.wrong(), 0);
}

TEST_F(Runtime, AForkedChildHasAPoolOfItsOwn) {
    caller_.call.threads = 2;
    ASSERT_EQ(run_(&caller_.call), FETTLE_OK);
    const pid_t child = fork();
    if (child == 0) {
        alarm(5);
        Caller own(3);
        own.call.threads = 2;
        const bool right = run_(&own.call) == FETTLE_OK && own.wrong() == 0;
        dlclose(library_.handle);
        _exit(right ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(run_(&caller_.call), FETTLE_OK);
}

#if defined(__x86_64__)
TEST(RuntimeCpu, ComparesNamesAndFeaturesWithTheMachine) {
    const auto check = [](const char* cpu, const char* features) {
        fettle_info info{};
        info.cpu = cpu;
        info.features = features;
        return fettle_cpu_check(&info);
    };
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool avx2 = __builtin_cpu_supports("avx2");
    EXPECT_EQ(check("x86-64", ""), FETTLE_OK);
    EXPECT_EQ(check(nullptr, nullptr), FETTLE_OK);
    EXPECT_EQ(check("x86-64", "+sse4.2,+never-heard-of"), FETTLE_OK);
    EXPECT_EQ(check("x86-64", "-avx512f,+avx2"), avx2 ? FETTLE_OK : FETTLE_E_CPU);
    EXPECT_EQ(check("x86-64-v4", ""), avx512 ? FETTLE_OK : FETTLE_E_CPU);
    EXPECT_EQ(check("x86-64-v4", "-avx512f,-avx512dq,-avx512cd,-avx512bw,-avx512vl"), avx2 ? FETTLE_OK : FETTLE_E_CPU);
    const bool both = __builtin_cpu_supports("avx512vp2intersect") && __builtin_cpu_supports("avx512vpopcntdq");
    EXPECT_EQ(check("x86-64", "+avx512vp2intersect,+avx512vpopcntdq"), both ? FETTLE_OK : FETTLE_E_CPU);
}
#endif

size_t threadCount() {
    size_t count = 0;
    if (std::FILE* file = std::fopen("/proc/self/stat", "r")) {
        long value = 0;
        if (std::fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                        &value) == 1)
            count = static_cast<size_t>(value);
        std::fclose(file);
    }
    return count;
}

TEST(RuntimeUnload, JoinsItsThreads) {
    const size_t before = threadCount();
    for (int i = 0; i < 20; ++i) {
        Library library;
        Caller caller;
        caller.call.threads = 4;
        ASSERT_EQ(library.symbol<fettle_run_fn>("fettle_toy_run")(&caller.call), FETTLE_OK);
        ASSERT_GT(threadCount(), before);
    }
    EXPECT_EQ(threadCount(), before);
}

TEST(RuntimeSymbols, NeedNothingButThreads) {
    std::FILE* pipe = popen(("nm -D --undefined-only " + toyPath).c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::vector<std::string> symbols;
    char line[256];
    while (std::fgets(line, sizeof line, pipe)) {
        std::string text(line);
        text.erase(0, text.rfind(' ') + 1);
        symbols.push_back(text.substr(0, text.find_first_of("@\n")));
    }
    pclose(pipe);
    EXPECT_EQ(symbols, (std::vector<std::string>{"pthread_create", "pthread_join"}));
}

}  // namespace
