// SPDX-License-Identifier: GPL-3.0-or-later
#include <sched.h>

#include <gtest/gtest.h>

#include "core/target/cpus.h"
#include "core/target/host.h"
#include "core/target/target.h"

namespace fettle::target {
namespace {

TEST(Targets, PresetsDescribeThemselves) {
    std::string all;
    for (const Target& preset : presets()) all += describe(preset) + "\n";
    EXPECT_EQ(all,
              "x86-64-v3 - AVX2, 4 cores\n"
              "x86-64-v4 - AVX-512, 4 cores\n"
              "skylake-avx512 - AVX-512, 8 cores\n"
              "znver4 - AVX-512, 8 cores\n"
              "znver5 - AVX-512, 8 cores\n"
              "rv64gc - generic-rv64, scalar, 4 cores\n"
              "rv64gcv - generic-rv64, RVV 1.0, VLEN >= 128, 4 cores\n"
              "spacemit-x60 - RVV 1.0, VLEN >= 256, 8 cores\n"
              "sifive-x280 - RVV 1.0, VLEN >= 512, 4 cores\n"
              "sifive-p670 - RVV 1.0, VLEN >= 128, 4 cores\n"
              "rva23 - generic-rv64, RVV 1.0, VLEN >= 128, 4 cores\n"
              "thead-c906 - generic-rv64, scalar + XThead, 1 core\n"
              "thead-c910 - generic-rv64, scalar + XThead, 4 cores\n"
              "aarch64 - generic, NEON, 4 cores\n"
              "cortex-a76 - NEON, 4 cores\n"
              "neoverse-n1 - NEON, 8 cores\n"
              "neoverse-v1 - NEON, 8 cores\n");
}

TEST(Targets, EveryPresetIsFoundByItsNameAndHasAKnownCpu) {
    for (const Target& preset : presets()) {
        EXPECT_EQ(findTarget(preset.name).value(), preset);
        EXPECT_TRUE(findCpu(preset.triple.substr(0, preset.triple.find('-')), preset.cpu)) << preset.name;
        EXPECT_EQ(preset.vectorRegisters, preset.triple.starts_with("x86") && preset.vectorBits < 512 ? 16 : 32);
    }
}

TEST(Targets, UserWrittenTargetRoundTrips) {
    std::string text = "riscv64-unknown-linux-gnu,cpu=generic-rv64,features=+m,+a,+f,+d,+c,+v,+zvl256b";
    Target target = findTarget(text).value();
    EXPECT_EQ(target.name, text);
    EXPECT_EQ(target.triple, "riscv64-unknown-linux-gnu");
    EXPECT_EQ(target.features, "+m,+a,+f,+d,+c,+v,+zvl256b");
    EXPECT_EQ(target.minVlenBits, 256);
    EXPECT_EQ(findTarget(target.name).value(), target);
    EXPECT_EQ(findTarget("x86_64-unknown-linux-gnu,cpu=znver4,features=-avx512f").value().vectorBits, 256);
    EXPECT_EQ(findTarget("x86_64-unknown-linux-gnu,features=+avx2,+fma").value().vectorBits, 256);
    EXPECT_EQ(findTarget("x86_64-unknown-linux-gnu").value().vectorBits, 128);
    EXPECT_EQ(findTarget("riscv64-unknown-linux-gnu,cpu=sifive-u74,features=+m").value().vectorBits, 0);
    EXPECT_EQ(findTarget("rv64gc,+v").value().minVlenBits, 128);
}

std::string messageOf(std::string_view text) {
    auto target = findTarget(text);
    if (target) return "found " + describe(*target);
    EXPECT_EQ(target.error().code, ErrorCode::MissingTarget);
    return target.error().message();
}

TEST(Targets, UnknownNamesListNearOnes) {
    EXPECT_EQ(messageOf("znver6"),
              "unknown target 'znver6': it is not \"host\", a preset or a triple such as riscv64-unknown-linux-gnu. "
              "Did you mean znver4 or znver5?");
    EXPECT_NE(messageOf("x280").find("Did you mean sifive-x280?"), std::string::npos);
    EXPECT_NE(messageOf("rv64").find("rv64gc or rv64gcv"), std::string::npos);
    EXPECT_NE(messageOf("qqqqqqqqqqqq").find("'fettle-cli targets' lists the presets."), std::string::npos);
    EXPECT_NE(messageOf("sparc64-unknown-linux-gnu").find("unknown target"), std::string::npos);
    EXPECT_NE(messageOf("").find("unknown target ''"), std::string::npos);
    EXPECT_EQ(messageOf("aarch64-unknown-linux-gnu,cpu=cortex-a67"),
              "unknown CPU 'cortex-a67' (cpu=cortex-a67): LLVM 22 has no aarch64 CPU of this name. "
              "Did you mean cortex-a57, cortex-a77, cortex-a53 or cortex-a55?");
}

TEST(Targets, TheadVectorUnitIsRefusedWithTheReason) {
    const char* message =
        "cannot generate vector code for thead-c906 (+v): thead-c906's vector unit is RVV 0.7.1 (draft), "
        "binary-incompatible with RVV 1.0. Choose rv64gcv for an RVV 1.0 core, or export tuned scalar + XThead code.";
    EXPECT_EQ(messageOf("riscv64-unknown-linux-gnu,cpu=thead-c906,features=+v"), message);
    EXPECT_EQ(messageOf("thead-c906,features=+m,+v"), message);
    EXPECT_NE(messageOf("thead-c910,+zvl128b").find("RVV 0.7.1"), std::string::npos);
    EXPECT_EQ(findTarget("riscv64-unknown-linux-gnu,cpu=thead-c906").value().features, presets()[11].features);
}

TEST(Targets, AnUnreadableOptionIsAUsageError) {
    auto target = findTarget("rv64gc,fast");
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().code, ErrorCode::Usage);
}

TEST(Host, ChipsGetTheirLlvmNames) {
    auto name = [](const char* vendor, int family, int model, std::set<std::string> features) {
        return x86CpuName({vendor, family, model, std::move(features)});
    };
    const std::set<std::string> v3 = {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
    std::set<std::string> v4 = v3;
    v4.insert({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
    EXPECT_EQ(name("AuthenticAMD", 25, 17, {"avx512f"}), "znver4");
    EXPECT_EQ(name("AuthenticAMD", 25, 1, v3), "znver3");
    EXPECT_EQ(name("AuthenticAMD", 26, 2, v4), "znver5");
    EXPECT_EQ(name("AuthenticAMD", 23, 0x31, v3), "znver2");
    EXPECT_EQ(name("AuthenticAMD", 23, 1, v3), "znver1");
    EXPECT_EQ(name("AuthenticAMD", 99, 1, v4), "x86-64-v4");
    EXPECT_EQ(name("GenuineIntel", 6, 0x55, {"avx512vnni"}), "cascadelake");
    EXPECT_EQ(name("GenuineIntel", 6, 0x55, {}), "skylake-avx512");
    EXPECT_EQ(name("GenuineIntel", 6, 0x8f, v4), "sapphirerapids");
    EXPECT_EQ(name("GenuineIntel", 6, 0xfe, v3), "x86-64-v3");
    EXPECT_EQ(name("CentaurHauls", 7, 1, {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"}), "x86-64-v2");
    EXPECT_EQ(name("", 0, 0, {}), "x86-64");
}

TEST(Host, FeaturesThatAHypervisorHidesAreSwitchedOff) {
    Target target;
    target.triple = "x86_64-unknown-linux-gnu";
    target.cpu = "znver4";
    target.features = x86FeatureString({"AuthenticAMD", 25, 17, {"avx2", "fma", "avx512f"}});
    EXPECT_NE(target.features.find("-avx512bw"), std::string::npos);
    EXPECT_NE(target.features.find("+avx2"), std::string::npos);
    deriveVectorUnit(target);
    EXPECT_EQ(target.vectorBits, 256);
    EXPECT_EQ(target.vectorRegisters, 16);
}

TEST(Host, OtherArchitecturesAreReadFromCpuinfo) {
    EXPECT_EQ(armCpuName("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), "neoverse-n1");
    EXPECT_EQ(armCpuName("nothing here"), "generic");
    EXPECT_EQ(riscvIdentity("hart : 0\nisa : rv64imafdcv_zicsr\nmmu : sv39\n").features, "+m,+a,+f,+d,+c,+v,+zvl128b");
    EXPECT_EQ(riscvIdentity("isa\t: rv64imafdcv\nmvendorid\t: 0x5b7\nmarchid\t: 0x0\n").features, "+m,+a,+f,+d,+c");
    EXPECT_EQ(riscvIdentity("isa : rv64imafdc_svpbmt\nuarch : sifive,u74-mc\n").cpu, "sifive-u74");
    EXPECT_EQ(riscvIdentity("isa : rv64imafdc_svinval\n").features, "+m,+a,+f,+d,+c");
}

TEST(Host, CacheSizes) {
    EXPECT_EQ(parseCacheSize("32K"), 32 << 10);
    EXPECT_EQ(parseCacheSize("32M\n"), 32 << 20);
    EXPECT_EQ(parseCacheSize("100"), 100);
    EXPECT_EQ(parseCacheSize("many"), 0);
}

TEST(Host, DetectionGivesAUsableTargetAndHonoursTheAffinityMask) {
    Target host = detectHost();
    EXPECT_TRUE(host.isHost());
    EXPECT_TRUE(findCpu(host.triple.substr(0, host.triple.find('-')), host.cpu)) << host.cpu;
    EXPECT_GT(host.l1Bytes, 0);
    EXPECT_EQ(findTarget("host").value(), host);
#if defined(__x86_64__)
    EXPECT_EQ(host.vectorBits >= 256, bool(__builtin_cpu_supports("avx2"))) << describe(host);
    EXPECT_EQ(host.vectorBits == 512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"));
#endif
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(host.cores, CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &before) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(detectHost().cores, 1);
    sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace fettle::target
