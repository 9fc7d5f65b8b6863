// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "app/cli/command.h"
#include "core/onnx/import.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

using nlohmann::json;

std::string valueText(const graph::Graph& graph, graph::ValueId id) {
    const graph::Value& value = graph.values[static_cast<size_t>(id)];
    return value.name + " " + graph::typeText(value.type);
}

json valuesJson(const graph::Graph& graph, const std::vector<graph::ValueId>& ids) {
    json out = json::array();
    for (graph::ValueId id : ids) {
        const graph::Value& value = graph.values[static_cast<size_t>(id)];
        out.push_back(
            {{"name", value.name}, {"dtype", graph::dtypeName(value.type.dtype)}, {"shape", value.type.shape}});
    }
    return out;
}

json tasksJson(const compile::OpenedModel& model) {
    json out = json::array();
    for (const compile::Task& task : model.tasks)
        out.push_back({{"id", task.id},
                       {"name", task.name},
                       {"kind", graph::kindName(task.kind)},
                       {"detail", task.detail},
                       {"weight", task.weight},
                       {"flops", task.flops},
                       {"bytes", task.bytes}});
    return out;
}

json modelJson(const onnx::ImportedModel& imported, const compile::OpenedModel* model) {
    std::map<std::string, int> operators;
    for (const graph::Node& node : imported.graph.nodes) ++operators[node.op];
    json unsupported = json::array(), dims = json::array();
    for (const onnx::UnsupportedNode& node : imported.unsupported)
        unsupported.push_back({{"node", node.node},
                               {"op", node.op},
                               {"domain", node.domain},
                               {"opset", node.opset},
                               {"reason", node.reason}});
    for (const onnx::DynamicDim& dim : imported.dynamicDims)
        dims.push_back({{"name", dim.name}, {"uses", dim.uses}, {"suggested", dim.suggested}});
    json out{{"sha256", imported.sha256},
             {"irVersion", imported.irVersion},
             {"opsets", imported.opsets},
             {"producer", imported.producer},
             {"inputs", valuesJson(imported.graph, imported.graph.inputs)},
             {"outputs", valuesJson(imported.graph, imported.graph.outputs)},
             {"dynamicDims", std::move(dims)},
             {"operators", operators},
             {"unsupported", std::move(unsupported)},
             {"warnings", imported.warnings}};
    double flops = 0, bytes = 0;
    if (model) {
        for (const compile::Task& task : model->tasks) {
            flops += task.weight * task.flops;
            bytes += task.weight * task.bytes;
        }
        out["tasks"] = tasksJson(*model);
    }
    out["flops"] = flops;
    out["bytes"] = bytes;
    return out;
}

void printText(const onnx::ImportedModel& imported, const compile::OpenedModel* model, const json& facts) {
    std::cout << "opset";
    for (const auto& [domain, version] : imported.opsets)
        std::cout << " " << (domain.empty() ? "ai.onnx" : domain) << " " << version;
    std::cout << ", IR " << imported.irVersion << (imported.producer.empty() ? "" : ", made by " + imported.producer)
              << "\n";
    for (graph::ValueId id : imported.graph.inputs) std::cout << "input   " << valueText(imported.graph, id) << "\n";
    for (graph::ValueId id : imported.graph.outputs) std::cout << "output  " << valueText(imported.graph, id) << "\n";
    for (const onnx::DynamicDim& dim : imported.dynamicDims)
        std::cout << "dynamic " << dim.name << " (--dim " << dim.name << "=" << dim.suggested << ")\n";
    std::vector<std::vector<std::string>> operators = {{"operator", "nodes"}};
    for (const auto& [name, count] : facts["operators"].items())
        operators.push_back({name, std::to_string(count.get<int>())});
    std::cout << "\n" << textTable(operators, {false, true});
    if (!model) return;
    std::vector<std::vector<std::string>> tasks = {{"task", "operator", "kind", "detail", "times", "FLOPs", "bytes"}};
    for (const compile::Task& task : model->tasks)
        tasks.push_back({std::to_string(task.id), task.name, graph::kindName(task.kind), task.detail,
                         std::to_string(task.weight), formatCount(task.flops), formatBytes(task.bytes)});
    std::cout << "\n"
              << textTable(tasks, {true, false, false, false, true, true, true}) << "\nin all "
              << formatCount(facts["flops"].get<double>()) << " FLOPs, " << formatBytes(facts["bytes"].get<double>())
              << "\n";
}

Error unsupportedError(const std::string& file, const onnx::ImportedModel& imported) {
    Error error{ErrorCode::UnsupportedOperators, "cannot compile the model", file, {}, {}};
    for (const onnx::UnsupportedNode& node : imported.unsupported)
        error.why += (error.why.empty() ? "" : "; ") + (node.domain.empty() ? "" : node.domain + ".") + node.op + " (" +
                     node.node + "): " + node.reason;
    return error;
}

Result<int> inspect(const std::string& file, const Dims& dims, bool asJson) {
    onnx::ImportOptions options;
    options.allowUnsupported = true;
    FETTLE_TRY(options.dims, dims.parsed());
    FETTLE_TRY(const onnx::ImportedModel imported, onnx::importModel(file, options));
    for (const std::string& text : imported.warnings) printWarning({ErrorCode::Failed, "note", {}, text, {}});
    std::optional<compile::OpenedModel> model;
    if (imported.unsupported.empty()) {
        FETTLE_TRY(model, compile::openGraph(imported.graph, imported.sha256, target::detectHost()));
    }
    const json facts = modelJson(imported, model ? &*model : nullptr);
    if (asJson)
        printJson(facts);
    else
        printText(imported, model ? &*model : nullptr, facts);
    if (!model) return tl::unexpected(unsupportedError(file, imported));
    return 0;
}

}  // namespace

Action declareInspect(CLI::App& app) {
    struct Arguments {
        std::string file;
        Dims dims;
        bool json = false;
    };
    auto a = std::make_shared<Arguments>();
    app.add_option("model", a->file, "An .onnx model")->required();
    a->dims.declare(app);
    app.add_flag("--json", a->json, "Print as JSON");
    return [a] { return inspect(a->file, a->dims, a->json); };
}

}  // namespace fettle::cli
