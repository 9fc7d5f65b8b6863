// SPDX-License-Identifier: GPL-3.0-or-later
// A model with its test data, evaluated on the reference. Dynamic dimensions are bound by the shapes of the inputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/onnx/import.h"
#include "core/ops/op.h"

namespace fettle::test {

struct CaseRun {
    std::vector<graph::Tensor> outputs, expected;
};

inline Result<std::vector<graph::Tensor>> readTensors(const std::filesystem::path& folder, const std::string& kind,
                                                      size_t count) {
    std::vector<graph::Tensor> tensors;
    for (size_t i = 0; i < count; ++i) {
        FETTLE_TRY(graph::Tensor tensor, onnx::readTensorFile(folder / (kind + "_" + std::to_string(i) + ".pb")));
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

inline Result<CaseRun> runCase(const std::filesystem::path& file, const std::filesystem::path& data) {
    onnx::ImportOptions options;
    FETTLE_TRY(onnx::ImportedModel model, onnx::importModel(file, options));
    FETTLE_TRY(const std::vector<graph::Tensor> inputs, readTensors(data, "input", model.graph.inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string prefix = model.graph.values[model.graph.inputs[i]].name + " axis ";
        for (const onnx::DynamicDim& dim : model.dynamicDims)
            for (const std::string& use : dim.uses)
                if (use.rfind(prefix, 0) == 0)
                    options.dims[dim.name] = inputs[i].type.shape.at(std::stoul(use.substr(prefix.size())));
    }
    if (!options.dims.empty()) {
        FETTLE_TRY(model, onnx::importModel(file, options));
    }
    CaseRun run;
    FETTLE_TRY(run.outputs, ops::evaluateGraph(model.graph, inputs));
    FETTLE_TRY(run.expected, readTensors(data, "output", run.outputs.size()));
    return run;
}

}  // namespace fettle::test
