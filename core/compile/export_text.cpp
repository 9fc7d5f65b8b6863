// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/export_text.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/support/version.h"

namespace fettle::compile {

namespace {

const char* const abiText =
#include "fettle_abi.h.inc"
    ;
const char* const exampleText =
#include "example.c.inc"
    ;

// For a comment: printable ASCII, no way to end the comment, not long.
std::string harmless(const std::string& text) {
    std::string result;
    for (const char c : text.substr(0, 120))
        result += c > 0x1f && c < 0x7f && c != '*' && c != '\\' && c != '?' ? c : '_';
    return result;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string tensorLine(const char* kind, size_t number, const codegen::TensorInfo& tensor) {
    return " *   " + std::string(kind) + " " + std::to_string(number) + "  " + harmless(tensor.name) + "  " +
           graph::typeText(tensor.type) + ", " + std::to_string(graph::physicalBytes(tensor.type)) + " bytes\n";
}

nlohmann::json tensorsJson(const std::vector<codegen::TensorInfo>& tensors) {
    auto json = nlohmann::json::array();
    for (const auto& tensor : tensors)
        json.push_back({{"name", tensor.name},
                        {"dtype", graph::dtypeName(tensor.type.dtype)},
                        {"onnxType", static_cast<int>(tensor.type.dtype)},
                        {"shape", tensor.type.shape},
                        {"bytes", graph::physicalBytes(tensor.type)}});
    return json;
}

nlohmann::json operatorsJson(const Manifest& manifest) {
    std::map<std::string, std::string> schedules;
    for (auto& [name, text] : splitSchedules(manifest.scheduleText)) schedules.emplace(name, text);
    auto json = nlohmann::json::array();
    for (const codegen::Step& step : manifest.plan->steps) {
        const auto group = static_cast<size_t>(step.group);
        const auto& tasks = manifest.model->taskOfGroup;
        const int task = group < tasks.size() ? tasks[group] : -1;
        const std::string taskName = task >= 0 ? manifest.model->tasks[static_cast<size_t>(task)].name : step.name;
        const auto found = schedules.find(taskName);
        json.push_back(
            {{"name", step.name}, {"task", taskName}, {"schedule", found == schedules.end() ? "" : found->second}});
    }
    return json;
}

nlohmann::json verificationJson(const Verification& verification) {
    auto outputs = nlohmann::json::array();
    for (const OutputError& output : verification.outputs)
        outputs.push_back({{"name", output.name},
                           {"maxAbsError", output.maxAbsError},
                           {"maxRelError", output.maxRelError},
                           {"ok", output.ok}});
    return {{"ok", verification.ok}, {"tolerance", verification.tolerance}, {"outputs", outputs}};
}

}  // namespace

std::string modelHeader(const codegen::ModelPlan& plan, const target::Target& target) {
    std::string text = "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n * The compiled model " +
                       plan.name + ", exported by Fettle " + version() + ". C99; example.c shows how to use it.\n *\n" +
                       " * Target " + harmless(target.triple) + ", CPU " + harmless(target.cpu) +
                       ". Tensors are row-major:\n";
    for (size_t i = 0; i < plan.inputs.size(); ++i) text += tensorLine("input", i, plan.inputs[i]);
    for (size_t i = 0; i < plan.outputs.size(); ++i) text += tensorLine("output", i, plan.outputs[i]);
    text +=
        " * Everything else (names, dims, bytes, alignment, workspace) is in the fettle_info that the query returns. "
        "*/\n";
    const std::string guard = "FETTLE_MODEL_" + upper(plan.name) + "_H";
    text += "#ifndef " + guard + "\n#define " + guard + "\n\n" + abiText + "\n";
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    text += "/* Null when the library speaks a later major version than the caller: pass FETTLE_ABI_MAJOR. */\n";
    text += "const fettle_info* fettle_" + plan.name + "_query(uint32_t max_abi_major);\n";
    text += "/* Re-entrant: one workspace for each call at a time. */\n";
    text += "int32_t fettle_" + plan.name + "_run(const fettle_call* call);\n";
    text += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text;
}

std::string exampleSource(const codegen::ModelPlan& plan) {
    std::string text = exampleText;
    const std::string mark = "@NAME@";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += plan.name.size())
        text.replace(at, mark.size(), plan.name);
    return text;
}

std::vector<std::pair<std::string, std::string>> splitSchedules(const std::string& scheduleText) {
    constexpr std::string_view kMatch = "match ";
    std::vector<std::pair<std::string, std::string>> schedules;
    std::istringstream lines(scheduleText);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kMatch)) {
            schedules.emplace_back(line.substr(kMatch.size()), "");
        } else if (!schedules.empty() && !line.empty()) {
            schedules.back().second += line + "\n";
        }
    }
    return schedules;
}

std::string manifestJson(const Manifest& manifest) {
    const codegen::ModelPlan& plan = *manifest.plan;
    const target::Target& target = *manifest.target;
    nlohmann::ordered_json json;
    json["format"] = 1;
    json["fettle"] = version();
    json["model"] = {{"name", manifest.model->name}, {"symbol", plan.name}, {"sha256", plan.modelSha256}};
    json["target"] = {
        {"name", target.name},         {"triple", target.triple},         {"cpu", target.cpu},
        {"features", target.features}, {"vectorBits", target.vectorBits}, {"minVlenBits", target.minVlenBits}};
    json["threads"] = plan.threads;
    json["tolerance"] = plan.tolerance;
    json["inputs"] = tensorsJson(plan.inputs);
    json["outputs"] = tensorsJson(plan.outputs);
    json["workspaceBytes"] = plan.arenaBytes;
    json["constantBytes"] = plan.constants.size();
    if (manifest.minNs > 0)
        json["latency"] = {{"minUs", manifest.minNs * 1e-3},
                           {"medianUs", manifest.medianNs * 1e-3},
                           {"runs", manifest.runs},
                           {"threads", manifest.threads}};
    json["verification"] = manifest.verification ? verificationJson(*manifest.verification) : nlohmann::json();
    json["operators"] = operatorsJson(manifest);
    nlohmann::ordered_json files;
    for (const ManifestFile& file : manifest.files) files[file.name] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
    json["files"] = files;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fettle::compile
