// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include "core/target/cpus.h"
#include "core/target/target.h"

namespace fettle::target {
namespace {

constexpr const char* kX86 = "x86_64-unknown-linux-gnu";
constexpr const char* kRiscv = "riscv64-unknown-linux-gnu";
constexpr const char* kArm = "aarch64-unknown-linux-gnu";
constexpr const char* kXThead =
    "+m,+a,+f,+d,+c,+xtheadba,+xtheadbb,+xtheadbs,+xtheadcmo,+xtheadcondmov,+xtheadfmemidx,+xtheadmac,"
    "+xtheadmemidx,+xtheadmempair,+xtheadsync";

// One row per preset; caches and cores are those of a common chip with the CPU. The vector unit follows from the rest.
struct Preset {
    const char *name, *triple, *cpu, *features;
    int l1Kib, l2Kib, l3Kib, cores;
};
constexpr Preset kPresets[] = {
    {"x86-64-v3", kX86, "x86-64-v3", "", 32, 512, 16384, 4},
    {"x86-64-v4", kX86, "x86-64-v4", "", 32, 1024, 16384, 4},
    {"skylake-avx512", kX86, "skylake-avx512", "", 32, 1024, 16384, 8},
    {"znver4", kX86, "znver4", "", 32, 1024, 32768, 8},
    {"znver5", kX86, "znver5", "", 48, 1024, 32768, 8},
    {"rv64gc", kRiscv, "generic-rv64", "+m,+a,+f,+d,+c", 32, 512, 0, 4},
    {"rv64gcv", kRiscv, "generic-rv64", "+m,+a,+f,+d,+c,+v,+zvl128b", 32, 512, 0, 4},
    {"spacemit-x60", kRiscv, "spacemit-x60", "", 32, 512, 0, 8},
    {"sifive-x280", kRiscv, "sifive-x280", "", 32, 512, 2048, 4},
    {"sifive-p670", kRiscv, "sifive-p670", "", 64, 1024, 4096, 4},
    {"rva23", kRiscv, "generic-rv64", "+rva23u64", 32, 512, 2048, 4},
    {"thead-c906", kRiscv, "generic-rv64", kXThead, 32, 128, 0, 1},
    {"thead-c910", kRiscv, "generic-rv64", kXThead, 64, 1024, 0, 4},
    {"aarch64", kArm, "generic", "", 32, 512, 2048, 4},
    {"cortex-a76", kArm, "cortex-a76", "", 64, 512, 2048, 4},
    {"neoverse-n1", kArm, "neoverse-n1", "", 64, 1024, 32768, 8},
    {"neoverse-v1", kArm, "neoverse-v1", "", 64, 1024, 32768, 8},
};

Target fromPreset(const Preset& preset) {
    Target target;
    target.name = preset.name;
    target.triple = preset.triple;
    target.cpu = preset.cpu;
    target.features = preset.features;
    target.l1Bytes = int64_t{preset.l1Kib} << 10;
    target.l2Bytes = int64_t{preset.l2Kib} << 10;
    target.l3Bytes = int64_t{preset.l3Kib} << 10;
    target.cores = preset.cores;
    deriveVectorUnit(target);
    return target;
}

const Target* findPreset(std::string_view name) {
    auto found = std::ranges::find(presets(), name, &Target::name);
    return found == presets().end() ? nullptr : &*found;
}

std::vector<std::string> splitCommas(std::string_view text) {
    std::vector<std::string> items;
    for (size_t at = 0; at <= text.size();) {
        size_t end = std::min(text.find(',', at), text.size());
        items.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return items;
}

std::string didYouMean(const std::vector<std::string>& near, std::string otherwise) {
    if (near.empty()) return otherwise;
    std::string text = "Did you mean ";
    for (size_t i = 0; i < near.size(); ++i) text += (i == 0 ? "" : i + 1 == near.size() ? " or " : ", ") + near[i];
    return text + "?";
}

tl::unexpected<Error> unknownTarget(std::string_view text) {
    std::vector<std::string> names = {"host"};
    for (const Target& preset : presets()) names.push_back(preset.name);
    std::vector<std::string> near = nearNames(text, names);
    for (const Cpu& cpu : knownCpus()) names.emplace_back(cpu.name);
    if (near.empty()) near = nearNames(text, names);
    return fail(ErrorCode::MissingTarget, "unknown target '" + std::string(text) + "'", "",
                "it is not \"host\", a preset or a triple such as riscv64-unknown-linux-gnu",
                didYouMean(near, "'fettle-cli targets' lists the presets."));
}

bool isXThead(const std::string& name) {
    return name == "thead-c906" || name == "thead-c910";
}

bool asksForVector(const std::string& feature) {
    return feature == "+v" || feature.starts_with("+zv") || feature == "+xtheadvector";
}

// "cpu=..." or a feature with its sign, applied to `target`; `base` is the name whose rules hold (preset or CPU).
Status applyOption(Target& target, std::string& base, std::string item) {
    if (item.starts_with("cpu=")) {
        std::string cpu = item.substr(4);
        if (isXThead(cpu)) {
            base = cpu;
            target = *findPreset(cpu);
            return {};
        }
        std::string arch = target.triple.substr(0, target.triple.find('-'));
        if (!findCpu(arch, cpu)) {
            std::vector<std::string> names;
            for (const Cpu& known : knownCpus())
                if (known.arch == arch) names.emplace_back(known.name);
            return fail(ErrorCode::MissingTarget, "unknown CPU '" + cpu + "'", "cpu=" + cpu,
                        "LLVM 22 has no " + arch + " CPU of this name",
                        didYouMean(nearNames(cpu, names), "'fettle-cli targets' lists the presets."));
        }
        target.cpu = cpu;
        return {};
    }
    if (item.starts_with("features=")) item = item.substr(9);
    if (item.empty()) return {};
    if (item.size() < 2 || (item[0] != '+' && item[0] != '-'))
        return fail(ErrorCode::Usage, "cannot read the target option '" + item + "'", "",
                    "it is none of cpu=, features=, +x, -x", "Write TRIPLE,cpu=NAME,features=+a,-b.");
    if (isXThead(base) && asksForVector(item))
        return fail(ErrorCode::MissingTarget, "cannot generate vector code for " + base, item,
                    base + "'s vector unit is RVV 0.7.1 (draft), binary-incompatible with RVV 1.0",
                    "Choose rv64gcv for an RVV 1.0 core, or export tuned scalar + XThead code.");
    target.features += (target.features.empty() ? "" : ",") + item;
    return {};
}

Result<Target> parseCustom(std::string_view text) {
    std::vector<std::string> items = splitCommas(text);
    std::string base = items[0];
    Target target;
    if (const Target* preset = findPreset(base)) {
        target = *preset;
    } else {
        static constexpr std::pair<std::string_view, const char*> kDefaultCpu[] = {
            {"x86_64", "x86-64"}, {"riscv64", "generic-rv64"}, {"aarch64", "generic"}};
        std::string_view arch = std::string_view(base).substr(0, base.find('-'));
        auto known = std::ranges::find(kDefaultCpu, arch, &std::pair<std::string_view, const char*>::first);
        if (known == std::end(kDefaultCpu) || base.find('-') == std::string::npos) return unknownTarget(base);
        target.triple = base;
        target.cpu = known->second;
        target.cores = 4;
    }
    for (size_t i = 1; i < items.size(); ++i) FETTLE_CHECK(applyOption(target, base, items[i]));
    deriveVectorUnit(target);
    target.name = text;
    return target;
}

std::string vectorWords(const Target& target) {
    if (target.vectorBits == 0)
        return target.features.find("+xthead") != std::string::npos ? "scalar + XThead" : "scalar";
    if (target.triple.starts_with("riscv64")) return "RVV 1.0, VLEN >= " + std::to_string(target.minVlenBits);
    if (target.triple.starts_with("aarch64")) return "NEON";
    return target.vectorBits == 512 ? "AVX-512" : target.vectorBits == 256 ? "AVX2" : "SSE";
}

}  // namespace

std::string describe(const Target& target) {
    std::string text = target.name;
    if (target.cpu != target.name && target.name.find(',') == std::string::npos) text += " - " + target.cpu;
    text += (text == target.name ? " - " : ", ") + vectorWords(target);
    return text + ", " + std::to_string(target.cores) + (target.cores == 1 ? " core" : " cores");
}

const std::vector<Target>& presets() {
    static const std::vector<Target> all = [] {
        std::vector<Target> list;
        std::ranges::transform(kPresets, std::back_inserter(list), fromPreset);
        return list;
    }();
    return all;
}

Result<Target> findTarget(std::string_view text) {
    if (text == "host") return detectHost();
    if (const Target* preset = findPreset(text)) return *preset;
    if (text.find(',') == std::string_view::npos && text.find('-') == std::string_view::npos)
        return unknownTarget(text);
    return parseCustom(text);
}

}  // namespace fettle::target
