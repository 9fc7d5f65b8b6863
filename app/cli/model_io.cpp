// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_io.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/onnx/import.h"

namespace fettle::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

graph::DType dtypeNamed(const std::string& name) {
    for (int k = 0; k < 32; ++k)
        if (name == graph::dtypeName(static_cast<graph::DType>(k))) return static_cast<graph::DType>(k);
    return graph::DType::Undefined;
}

std::vector<codegen::TensorInfo> tensorsFrom(const json& rows) {
    std::vector<codegen::TensorInfo> out;
    for (const json& row : rows) {
        codegen::TensorInfo info;
        info.name = row.at("name").get<std::string>();
        info.type.dtype = dtypeNamed(row.at("dtype").get<std::string>());
        info.type.shape = row.at("shape").get<graph::Shape>();
        out.push_back(std::move(info));
    }
    return out;
}

// A manifest is a file that people edit: its shapes are checked before memory is taken for them.
bool isUsable(const codegen::TensorInfo& tensor) {
    constexpr int64_t kMaxBytes = int64_t{1} << 31;
    int64_t bytes = graph::dtypeBytes(tensor.type.dtype);
    for (const int64_t extent : tensor.type.shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxBytes) return false;
    return graph::dtypeBytes(tensor.type.dtype) > 0;
}

Result<Runnable> fromExport(const fs::path& file) {
    const fs::path manifest = file.parent_path() / "model.json";
    std::ifstream object(file, std::ios::binary), text(manifest);
    if (!object) return fail(ErrorCode::BadModel, "cannot open the model", file.string(), "there is no such file");
    if (!text)
        return fail(ErrorCode::BadModel, "cannot open the model", file.string(),
                    "there is no model.json beside it, which says what goes in and out",
                    "Keep the exported folder together.");
    Runnable model;
    const std::string bytes((std::istreambuf_iterator<char>(object)), {});
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    model.sharedObject.assign(data, data + bytes.size());
    try {
        const json facts = json::parse(text);
        model.name = facts.at("model").at("symbol").get<std::string>();
        model.inputs = tensorsFrom(facts.at("inputs"));
        model.outputs = tensorsFrom(facts.at("outputs"));
        model.tolerance = facts.value("tolerance", model.tolerance);
    } catch (const json::exception& problem) {
        return fail(ErrorCode::BadModel, "cannot open the model", manifest.string(), problem.what(),
                    "Export the model again.");
    }
    if (!std::ranges::all_of(model.inputs, isUsable) || !std::ranges::all_of(model.outputs, isUsable))
        return fail(ErrorCode::BadModel, "cannot open the model", manifest.string(),
                    "it names a tensor whose type or shape cannot be", "Export the model again.");
    FETTLE_TRY(model.ownEvaluator, measure::Evaluator::start(target::detectHost()));
    model.evaluator = model.ownEvaluator.get();
    return model;
}

Result<graph::Tensor> readTensor(const fs::path& file, const codegen::TensorInfo& wanted) {
    FETTLE_TRY(graph::Tensor tensor, onnx::readTensorFile(file));
    if (tensor.type != wanted.type)
        return fail(
            ErrorCode::Usage, "cannot use the tensor", file.string(),
            "it is " + graph::typeText(tensor.type) + ", but " + wanted.name + " is " + graph::typeText(wanted.type),
            "Bind dynamic dimensions with --dim when tuning.");
    return tensor;
}

}  // namespace

Result<Runnable> makeRunnable(const std::string& file, const std::map<std::string, int64_t>& dims, int threads) {
    if (isSharedObject(file)) return fromExport(file);
    FETTLE_TRY(Built built, buildFrom(file, dims, threads));
    Runnable model;
    model.session = std::move(built.session);
    model.evaluator = built.evaluator;
    model.name = built.compiled.plan.name;
    model.inputs = built.compiled.plan.inputs;
    model.outputs = built.compiled.plan.outputs;
    model.sharedObject = std::move(built.compiled.sharedObject);
    model.tolerance = built.compiled.plan.tolerance;
    return model;
}

std::vector<graph::Tensor> benchInputs(const std::vector<codegen::TensorInfo>& inputs, uint64_t seed) {
    uint64_t state = seed;
    std::vector<graph::Tensor> out;
    for (const codegen::TensorInfo& input : inputs) {
        const graph::DType dtype = input.type.dtype;
        std::vector<double> values(static_cast<size_t>(graph::elementCount(input.type.shape)));
        for (double& value : values) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const double r = static_cast<double>(state >> 40) / 16777216.0;
            if (dtype == graph::DType::Float16)
                value = 0;
            else if (graph::isFloat(dtype))
                value = 2 * r - 1;
            else if (dtype == graph::DType::Bool)
                value = r < 0.5 ? 1 : 0;
            else
                value = std::floor(r * 8);
        }
        out.push_back(graph::fromDoubles(dtype, input.type.shape, values));
    }
    return out;
}

Result<std::vector<graph::Tensor>> readInputs(const fs::path& folder, const Runnable& model) {
    std::vector<graph::Tensor> out;
    for (size_t k = 0; k < model.inputs.size(); ++k) {
        FETTLE_TRY(graph::Tensor tensor, readTensor(folder / ("input_" + std::to_string(k) + ".pb"), model.inputs[k]));
        out.push_back(std::move(tensor));
    }
    return out;
}

Result<std::vector<graph::Tensor>> readOutputs(const fs::path& folder, const Runnable& model) {
    std::vector<graph::Tensor> out;
    for (size_t k = 0; k < model.outputs.size(); ++k) {
        const fs::path file = folder / ("output_" + std::to_string(k) + ".pb");
        std::error_code ignored;
        if (!fs::exists(file, ignored)) break;
        FETTLE_TRY(graph::Tensor tensor, readTensor(file, model.outputs[k]));
        out.push_back(std::move(tensor));
    }
    return out;
}

std::vector<graph::TensorType> typesOf(const std::vector<codegen::TensorInfo>& tensors) {
    std::vector<graph::TensorType> types;
    for (const codegen::TensorInfo& tensor : tensors) types.push_back(tensor.type);
    return types;
}

std::vector<OutputVerdict> compareOutputs(const Runnable& model, const std::vector<graph::Tensor>& actual,
                                          const std::vector<graph::Tensor>& expected, double rtol, double atol) {
    std::vector<OutputVerdict> verdicts;
    for (size_t k = 0; k < expected.size() && k < actual.size(); ++k) {
        OutputVerdict verdict{model.outputs[k].name, model.outputs[k].type.shape,
                              graph::compareTensors(actual[k], expected[k]), false};
        double largest = 0;
        for (double value : graph::toDoubles(expected[k]))
            if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
        verdict.ok = !verdict.difference.finiteMismatch && verdict.difference.maxAbs <= atol + rtol * largest;
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

}  // namespace fettle::cli
