// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/cpus.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace fettle::target {
namespace {

// Widths as `clang-22 -dM -E` reports them for the CPU.
constexpr Cpu kCpus[] = {
    {"x86_64", "x86-64", 128},         {"x86_64", "x86-64-v2", 128},      {"x86_64", "x86-64-v3", 256},
    {"x86_64", "x86-64-v4", 512},      {"x86_64", "nehalem", 128},        {"x86_64", "westmere", 128},
    {"x86_64", "sandybridge", 128},    {"x86_64", "ivybridge", 128},      {"x86_64", "haswell", 256},
    {"x86_64", "broadwell", 256},      {"x86_64", "skylake", 256},        {"x86_64", "skylake-avx512", 512},
    {"x86_64", "cascadelake", 512},    {"x86_64", "cooperlake", 512},     {"x86_64", "cannonlake", 512},
    {"x86_64", "icelake-client", 512}, {"x86_64", "icelake-server", 512}, {"x86_64", "tigerlake", 512},
    {"x86_64", "rocketlake", 512},     {"x86_64", "alderlake", 256},      {"x86_64", "raptorlake", 256},
    {"x86_64", "meteorlake", 256},     {"x86_64", "arrowlake", 256},      {"x86_64", "arrowlake-s", 256},
    {"x86_64", "lunarlake", 256},      {"x86_64", "pantherlake", 256},    {"x86_64", "sapphirerapids", 512},
    {"x86_64", "emeraldrapids", 512},  {"x86_64", "graniterapids", 512},  {"x86_64", "graniterapids-d", 512},
    {"x86_64", "sierraforest", 256},   {"x86_64", "grandridge", 256},     {"x86_64", "clearwaterforest", 256},
    {"x86_64", "goldmont", 128},       {"x86_64", "goldmont-plus", 128},  {"x86_64", "tremont", 128},
    {"x86_64", "gracemont", 256},      {"x86_64", "btver2", 128},         {"x86_64", "bdver4", 256},
    {"x86_64", "znver1", 256},         {"x86_64", "znver2", 256},         {"x86_64", "znver3", 256},
    {"x86_64", "znver4", 512},         {"x86_64", "znver5", 512},         {"riscv64", "generic-rv64", 0},
    {"riscv64", "rocket-rv64", 0},     {"riscv64", "sifive-u54", 0},      {"riscv64", "sifive-u74", 0},
    {"riscv64", "sifive-p450", 0},     {"riscv64", "sifive-p550", 0},     {"riscv64", "sifive-p470", 128},
    {"riscv64", "sifive-p670", 128},   {"riscv64", "sifive-p870", 128},   {"riscv64", "sifive-x280", 512},
    {"riscv64", "sifive-x390", 1024},  {"riscv64", "spacemit-x60", 256},  {"riscv64", "tt-ascalon-d8", 256},
    {"riscv64", "veyron-v1", 0},       {"riscv64", "xiangshan-nanhu", 0}, {"riscv64", "xiangshan-kunminghu", 128},
    {"riscv64", "andes-ax45mpv", 128}, {"aarch64", "generic", 128},       {"aarch64", "cortex-a53", 128},
    {"aarch64", "cortex-a55", 128},    {"aarch64", "cortex-a57", 128},    {"aarch64", "cortex-a72", 128},
    {"aarch64", "cortex-a73", 128},    {"aarch64", "cortex-a75", 128},    {"aarch64", "cortex-a76", 128},
    {"aarch64", "cortex-a77", 128},    {"aarch64", "cortex-a78", 128},    {"aarch64", "cortex-a510", 128},
    {"aarch64", "cortex-a520", 128},   {"aarch64", "cortex-a710", 128},   {"aarch64", "cortex-a715", 128},
    {"aarch64", "cortex-a720", 128},   {"aarch64", "cortex-x1", 128},     {"aarch64", "cortex-x2", 128},
    {"aarch64", "cortex-x3", 128},     {"aarch64", "cortex-x4", 128},     {"aarch64", "neoverse-n1", 128},
    {"aarch64", "neoverse-n2", 128},   {"aarch64", "neoverse-n3", 128},   {"aarch64", "neoverse-v1", 128},
    {"aarch64", "neoverse-v2", 128},   {"aarch64", "neoverse-v3", 128},   {"aarch64", "apple-m1", 128},
    {"aarch64", "apple-m2", 128},      {"aarch64", "apple-m3", 128},      {"aarch64", "apple-m4", 128},
    {"aarch64", "ampere1", 128},       {"aarch64", "a64fx", 128},
};

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

// What a feature string such as "+v,-avx512f" says of `name`: the last word counts; 0 when it says nothing.
char signOf(std::string_view features, std::string_view name) {
    char sign = 0;
    for (size_t at = 0; at < features.size();) {
        size_t end = std::min(features.find(',', at), features.size());
        std::string_view item = features.substr(at, end - at);
        if (item.size() > 1 && item.substr(1) == name) sign = item[0];
        at = end + 1;
    }
    return sign;
}
bool hasFeature(std::string_view features, std::string_view name) {
    return signOf(features, name) == '+';
}

int x86Width(std::string_view features, int ofCpu) {
    static constexpr const char* kAvx512[] = {"avx512f", "avx512dq", "avx512bw", "avx512vl"};
    static constexpr const char* kAvx2[] = {"avx2", "fma"};
    auto allowed = [&](const char* name) { return signOf(features, name) != '-'; };
    auto given = [&](const char* name) { return signOf(features, name) == '+'; };
    bool avx2 = std::ranges::all_of(kAvx2, allowed) && (ofCpu >= 256 || std::ranges::all_of(kAvx2, given));
    bool avx512 = std::ranges::all_of(kAvx512, allowed) && (ofCpu >= 512 || std::ranges::all_of(kAvx512, given));
    return avx512 ? 512 : avx2 ? 256 : 128;
}

int riscvVlen(const Target& target, int ofCpu) {
    int vlen =
        hasFeature(target.features, "v") || hasFeature(target.features, "rva23u64") ? std::max(ofCpu, 128) : ofCpu;
    if (vlen == 0) return 0;
    for (int bits = 128; bits <= 65536; bits *= 2)
        if (hasFeature(target.features, "zvl" + std::to_string(bits) + "b")) vlen = std::max(vlen, bits);
    return vlen;
}

}  // namespace

std::span<const Cpu> knownCpus() {
    return kCpus;
}

const Cpu* findCpu(std::string_view arch, std::string_view name) {
    auto found = std::ranges::find_if(kCpus, [&](const Cpu& cpu) { return cpu.arch == arch && cpu.name == name; });
    return found == std::end(kCpus) ? nullptr : &*found;
}

void deriveVectorUnit(Target& target) {
    std::string_view arch = std::string_view(target.triple).substr(0, target.triple.find('-'));
    const Cpu* cpu = findCpu(arch, target.cpu);
    int bits = cpu ? cpu->vectorBits : 128;
    target.minVlenBits = 0;
    target.vectorRegisters = 32;
    if (arch == "riscv64") {
        bits = target.minVlenBits = riscvVlen(target, cpu ? cpu->vectorBits : 0);
        // 1024 and wider registers fill with one row of a picture; fixed code for 512 runs there as well.
        bits = std::min(bits, 512);
    } else if (arch == "x86_64") {
        bits = x86Width(target.features, bits);
        target.vectorRegisters = bits == 512 ? 32 : 16;
    }
    target.vectorBits = bits;
}

std::vector<std::string> nearNames(std::string_view text, const std::vector<std::string>& names) {
    std::string wanted = lower(text);
    std::vector<std::pair<size_t, std::string>> scored;
    for (const std::string& name : names) {
        std::string candidate = lower(name);
        size_t distance = editDistance(wanted, candidate);
        bool inside = wanted.size() >= 3 &&
                      (candidate.find(wanted) != std::string::npos || wanted.find(candidate) != std::string::npos);
        if (inside) distance = std::min<size_t>(distance, 1);
        if (distance <= std::max<size_t>(2, wanted.size() / 3)) scored.emplace_back(distance, name);
    }
    std::ranges::stable_sort(scored, {}, &std::pair<size_t, std::string>::first);
    std::vector<std::string> result;
    for (auto& [distance, name] : scored)
        if (result.size() < 4 && std::ranges::find(result, name) == result.end()) result.push_back(name);
    return result;
}

}  // namespace fettle::target
