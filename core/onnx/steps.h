// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of importModel, in order: load, flatten (functions), build (names, constants, inputs), sort, infer.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/onnx/import.h"
#include "onnx.pb.h"

namespace fettle::onnx {

inline constexpr int64_t kOldestIr = 3, kNewestIr = 13;
inline constexpr int64_t kMaxNodes = 1'000'000;  // after functions are expanded

using Opsets = std::map<std::string, int64_t>;

// Reads and parses; checks what holds for the file as a whole. Fills sha256, irVersion, opsets, producer.
struct LoadedModel {
    ::onnx::ModelProto proto;
    std::filesystem::path folder;
};
Result<LoadedModel> loadModel(const std::filesystem::path& file, ImportedModel& model);

struct FlatNode {
    ::onnx::NodeProto proto;
    int opset = 0;
};
// The nodes of the graph with calls of the model's own functions replaced by their bodies. Takes the nodes out.
Result<std::vector<FlatNode>> flattenFunctions(::onnx::ModelProto& proto, const Opsets& opsets);

// Values, constants (Constant nodes too), inputs with their dimensions bound, outputs, nodes in the file's order.
Status buildGraph(LoadedModel& loaded, std::vector<FlatNode> nodes, const ImportOptions& options, ImportedModel& model);

Result<std::map<std::string, graph::Attribute>> readAttributes(::onnx::NodeProto& node,
                                                               const std::filesystem::path& folder,
                                                               const std::string& where);

// Topological order, by position where there is a choice. Errors: a cycle, with its nodes.
Status sortNodes(ImportedModel& model);

// Every operator known, or all that are not in model.unsupported.
void findUnsupported(ImportedModel& model);

// Shapes and types of every value, in order; small nodes of constants become constants.
Status inferTypes(ImportedModel& model, bool allowUnsupported);

Result<graph::TensorType> readTensorType(const ::onnx::TypeProto& type, const std::string& where);  // unknown dims: -1
Status checkSize(const graph::TensorType& type, const std::string& where);

}  // namespace fettle::onnx
