// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "core/target/host.h"

namespace fettle::target {
namespace {

constexpr std::string_view kFeatures[] = {
    "sse3",       "ssse3",      "sse4.1",       "sse4.2",     "popcnt",     "movbe",          "lzcnt",
    "f16c",       "fma",        "avx",          "avx2",       "bmi",        "bmi2",           "avx512f",
    "avx512dq",   "avx512cd",   "avx512bw",     "avx512vl",   "avx512ifma", "avx512vbmi",     "avx512vbmi2",
    "avx512vnni", "avx512bf16", "avx512bitalg", "avx512fp16", "avxvnni",    "avx512vpopcntdq"};

struct IntelModel {
    int model;
    const char* cpu;
};
// Intel's Software Developer's Manual, volume 4, table 2-1: family 6.
constexpr IntelModel kIntel[] = {
    {0x3c, "haswell"},        {0x3f, "haswell"},        {0x45, "haswell"},        {0x46, "haswell"},
    {0x3d, "broadwell"},      {0x47, "broadwell"},      {0x4f, "broadwell"},      {0x56, "broadwell"},
    {0x4e, "skylake"},        {0x5e, "skylake"},        {0x8e, "skylake"},        {0x9e, "skylake"},
    {0xa5, "skylake"},        {0xa6, "skylake"},        {0x6a, "icelake-server"}, {0x6c, "icelake-server"},
    {0x7d, "icelake-client"}, {0x7e, "icelake-client"}, {0x8c, "tigerlake"},      {0x8d, "tigerlake"},
    {0xa7, "rocketlake"},     {0x97, "alderlake"},      {0x9a, "alderlake"},      {0xbe, "gracemont"},
    {0xb7, "raptorlake"},     {0xba, "raptorlake"},     {0xbf, "raptorlake"},     {0xaa, "meteorlake"},
    {0xac, "meteorlake"},     {0xc5, "arrowlake"},      {0xc6, "arrowlake-s"},    {0xbd, "lunarlake"},
    {0x8f, "sapphirerapids"}, {0xcf, "emeraldrapids"},  {0xad, "graniterapids"},  {0xae, "graniterapids-d"},
    {0xaf, "sierraforest"},   {0xb6, "grandridge"},     {0x5c, "goldmont"},       {0x7a, "goldmont-plus"},
    {0x86, "tremont"},        {0x96, "tremont"},        {0x9c, "tremont"},
};

bool hasAll(const std::set<std::string>& features, std::initializer_list<const char*> names) {
    return std::ranges::all_of(names, [&](const char* name) { return features.contains(name); });
}

const char* byLevel(const std::set<std::string>& features) {
    if (hasAll(features, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) return "x86-64-v4";
    if (hasAll(features, {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})) return "x86-64-v3";
    if (hasAll(features, {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"})) return "x86-64-v2";
    return "x86-64";
}

const char* amdName(const X86Identity& id) {
    switch (id.family) {
        case 0x17:
            return id.model >= 0x30 ? "znver2" : "znver1";
        case 0x19:
            return id.features.contains("avx512f") ? "znver4" : "znver3";
        case 0x1a:
            return "znver5";
        default:
            return byLevel(id.features);
    }
}

const char* intelName(const X86Identity& id) {
    if (id.family == 6 && id.model == 0x55)
        return id.features.contains("avx512bf16")   ? "cooperlake"
               : id.features.contains("avx512vnni") ? "cascadelake"
                                                    : "skylake-avx512";
    auto found = std::ranges::find(kIntel, id.model, &IntelModel::model);
    return id.family == 6 && found != std::end(kIntel) ? found->cpu : byLevel(id.features);
}

// The value of the first "key : value" line of /proc/cpuinfo; empty when there is none.
std::string cpuinfoValue(std::string_view text, std::string_view key) {
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        std::string_view name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
        if (name != key) continue;
        size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string_view::npos ? "" : std::string(line.substr(begin));
    }
    return "";
}

struct ArmPart {
    int implementer, part;
    const char* cpu;
};
constexpr ArmPart kArmParts[] = {
    {0x41, 0xd03, "cortex-a53"},  {0x41, 0xd05, "cortex-a55"},  {0x41, 0xd07, "cortex-a57"},
    {0x41, 0xd08, "cortex-a72"},  {0x41, 0xd09, "cortex-a73"},  {0x41, 0xd0a, "cortex-a75"},
    {0x41, 0xd0b, "cortex-a76"},  {0x41, 0xd0d, "cortex-a77"},  {0x41, 0xd41, "cortex-a78"},
    {0x41, 0xd46, "cortex-a510"}, {0x41, 0xd47, "cortex-a710"}, {0x41, 0xd4d, "cortex-a715"},
    {0x41, 0xd80, "cortex-a520"}, {0x41, 0xd81, "cortex-a720"}, {0x41, 0xd44, "cortex-x1"},
    {0x41, 0xd48, "cortex-x2"},   {0x41, 0xd4e, "cortex-x3"},   {0x41, 0xd82, "cortex-x4"},
    {0x41, 0xd0c, "neoverse-n1"}, {0x41, 0xd49, "neoverse-n2"}, {0x41, 0xd8e, "neoverse-n3"},
    {0x41, 0xd40, "neoverse-v1"}, {0x41, 0xd4f, "neoverse-v2"}, {0x41, 0xd84, "neoverse-v3"},
    {0xc0, 0xac3, "ampere1"},     {0x46, 0x001, "a64fx"},
};

}  // namespace

std::string x86CpuName(const X86Identity& id) {
    if (id.vendor == "AuthenticAMD") return amdName(id);
    if (id.vendor == "GenuineIntel") return intelName(id);
    return byLevel(id.features);
}

std::string x86FeatureString(const X86Identity& id) {
    std::string text;
    for (std::string_view name : kFeatures) {
        text += text.empty() ? "" : ",";
        text += id.features.contains(std::string(name)) ? '+' : '-';
        text += name;
    }
    return text;
}

std::string armCpuName(std::string_view cpuinfo) {
    auto implementer = std::strtol(cpuinfoValue(cpuinfo, "CPU implementer").c_str(), nullptr, 0);
    auto part = std::strtol(cpuinfoValue(cpuinfo, "CPU part").c_str(), nullptr, 0);
    for (const ArmPart& known : kArmParts)
        if (known.implementer == implementer && known.part == part) return known.cpu;
    return "generic";
}

RiscvIdentity riscvIdentity(std::string_view cpuinfo) {
    RiscvIdentity id;
    std::string uarch = cpuinfoValue(cpuinfo, "uarch"), isa = cpuinfoValue(cpuinfo, "isa");
    bool xthead = uarch.starts_with("thead,") || cpuinfoValue(cpuinfo, "mvendorid") == "0x5b7";
    if (xthead && std::strtoull(cpuinfoValue(cpuinfo, "marchid").c_str(), nullptr, 0) == 0) return id;
    static constexpr std::pair<std::string_view, const char*> kUarch[] = {{"spacemit,x60", "spacemit-x60"},
                                                                          {"sifive,u74-mc", "sifive-u74"},
                                                                          {"sifive,bullet0", "sifive-u74"},
                                                                          {"sifive,x280", "sifive-x280"},
                                                                          {"sifive,p670", "sifive-p670"}};
    for (auto [name, cpu] : kUarch)
        if (uarch == name) return {cpu, ""};
    std::string base = isa.substr(0, isa.find('_'));
    if (base.starts_with("rv64") && base.find('v', 4) != std::string::npos) id.features += ",+v,+zvl128b";
    return id;
}

int64_t parseCacheSize(std::string_view text) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return 0;
    char unit = end == text.data() + text.size() ? '\n' : *end;
    return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : unit == 'G' ? number << 30 : number;
}

}  // namespace fettle::target
