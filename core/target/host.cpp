// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/host.h"

#include <sched.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "core/target/cpus.h"
#include "core/target/target.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fettle::target {
namespace {

#if defined(__x86_64__)

enum Register { Eax, Ebx, Ecx, Edx };
enum Needs { Nothing, Avx, Avx512 };  // register state that the operating system must save
struct Bit {
    unsigned leaf, subleaf;
    Register reg;
    int bit;
    Needs needs;
    const char* feature;
};
constexpr Bit kBits[] = {
    {1, 0, Ecx, 0, Nothing, "sse3"},
    {1, 0, Ecx, 9, Nothing, "ssse3"},
    {1, 0, Ecx, 19, Nothing, "sse4.1"},
    {1, 0, Ecx, 20, Nothing, "sse4.2"},
    {1, 0, Ecx, 22, Nothing, "movbe"},
    {1, 0, Ecx, 23, Nothing, "popcnt"},
    {1, 0, Ecx, 12, Avx, "fma"},
    {1, 0, Ecx, 28, Avx, "avx"},
    {1, 0, Ecx, 29, Avx, "f16c"},
    {0x80000001, 0, Ecx, 5, Nothing, "lzcnt"},
    {7, 0, Ebx, 3, Nothing, "bmi"},
    {7, 0, Ebx, 8, Nothing, "bmi2"},
    {7, 0, Ebx, 5, Avx, "avx2"},
    {7, 1, Eax, 4, Avx, "avxvnni"},
    {7, 0, Ebx, 16, Avx512, "avx512f"},
    {7, 0, Ebx, 17, Avx512, "avx512dq"},
    {7, 0, Ebx, 21, Avx512, "avx512ifma"},
    {7, 0, Ebx, 28, Avx512, "avx512cd"},
    {7, 0, Ebx, 30, Avx512, "avx512bw"},
    {7, 0, Ebx, 31, Avx512, "avx512vl"},
    {7, 0, Ecx, 1, Avx512, "avx512vbmi"},
    {7, 0, Ecx, 6, Avx512, "avx512vbmi2"},
    {7, 0, Ecx, 11, Avx512, "avx512vnni"},
    {7, 0, Ecx, 12, Avx512, "avx512bitalg"},
    {7, 0, Ecx, 14, Avx512, "avx512vpopcntdq"},
    {7, 0, Edx, 23, Avx512, "avx512fp16"},
    {7, 1, Eax, 5, Avx512, "avx512bf16"},
};

uint64_t savedStates() {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return 0;  // OSXSAVE
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

X86Identity identify() {
    X86Identity id;
    unsigned r[4] = {};
    __get_cpuid(0, &r[Eax], &r[Ebx], &r[Ecx], &r[Edx]);
    char vendor[13] = {};
    std::memcpy(vendor, &r[Ebx], 4);
    std::memcpy(vendor + 4, &r[Edx], 4);
    std::memcpy(vendor + 8, &r[Ecx], 4);
    id.vendor = vendor;
    __get_cpuid(1, &r[Eax], &r[Ebx], &r[Ecx], &r[Edx]);
    id.family = r[Eax] >> 8 & 0xf;
    id.model = r[Eax] >> 4 & 0xf;
    if (id.family == 6 || id.family == 15) id.model += (r[Eax] >> 16 & 0xf) << 4;
    if (id.family == 15) id.family += r[Eax] >> 20 & 0xff;

    uint64_t saved = savedStates();
    const uint64_t needed[] = {0, 0x6, 0xe6};  // XMM and YMM; and opmask and both ZMM states
    for (const Bit& bit : kBits)
        if ((saved & needed[bit.needs]) == needed[bit.needs] &&
            __get_cpuid_count(bit.leaf, bit.subleaf, &r[Eax], &r[Ebx], &r[Ecx], &r[Edx]) && (r[bit.reg] >> bit.bit & 1))
            id.features.insert(bit.feature);
    return id;
}

void identifyCpu(Target& host) {
    X86Identity id = identify();
    host.triple = "x86_64-unknown-linux-gnu";
    host.cpu = x86CpuName(id);
    host.features = x86FeatureString(id);
}

#else

std::string readAll(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void identifyCpu(Target& host) {
#if defined(__aarch64__)
    host.triple = "aarch64-unknown-linux-gnu";
    host.cpu = armCpuName(readAll("/proc/cpuinfo"));
#elif defined(__riscv)
    RiscvIdentity id = riscvIdentity(readAll("/proc/cpuinfo"));
    host.triple = "riscv64-unknown-linux-gnu";
    host.cpu = id.cpu;
    host.features = id.features;
#else
#error "Fettle runs on x86-64, aarch64 and riscv64"
#endif
}

#endif

std::string firstLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

void readCaches(Target& host, int cpu) {
    int64_t sizes[4] = {};
    for (int index = 0; index < 8; ++index) {
        std::string folder =
            "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index);
        std::string level = firstLine(folder + "/level");
        if (level.empty()) break;
        if (firstLine(folder + "/type") == "Instruction" || level[0] < '1' || level[0] > '3') continue;
        sizes[level[0] - '0'] = parseCacheSize(firstLine(folder + "/size"));
    }
    if (sizes[1] == 0) return;  // not told: keep the defaults
    host.l1Bytes = sizes[1];
    host.l2Bytes = sizes[2];
    host.l3Bytes = sizes[3];
}

}  // namespace

Target detectHost() {
    Target host;
    host.name = "host";
    identifyCpu(host);
    deriveVectorUnit(host);
    int first = 0;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0) {
        host.cores = CPU_COUNT(&mask);
        while (!CPU_ISSET(first, &mask)) ++first;
    }
    readCaches(host, first);
    return host;
}

}  // namespace fettle::target
