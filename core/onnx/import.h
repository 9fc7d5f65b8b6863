// SPDX-License-Identifier: GPL-3.0-or-later
// ModelProto -> Graph. A model is untrusted input: every error names file, node and cause; nothing is allocated from
// a claimed size; nothing outside the model's own folder is opened. opset 7 to 27, IR 3 to 13 (ONNX 1.22).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/support/error.h"

namespace fettle::onnx {

struct DynamicDim {
    std::string name;               // "batch", or "input:0" when unnamed
    std::vector<std::string> uses;  // "input_image axis 0"
    int64_t suggested = 1;          // a sensible value to offer
};

struct UnsupportedNode {
    std::string node, op, domain;
    int opset;
    std::string reason;
};

struct ImportOptions {
    std::map<std::string, int64_t> dims;  // bindings by DynamicDim::name; others get `suggested`
    bool allowUnsupported = false;        // inspect: return what could be read, with the list of unsupported nodes
};

struct ImportedModel {
    graph::Graph graph;  // every type static, nodes sorted, functions inlined
    std::string sha256;  // of the file
    int64_t irVersion = 0;
    std::map<std::string, int64_t> opsets;  // by domain
    std::string producer;
    std::vector<DynamicDim> dynamicDims;       // all of them, bound or not
    std::vector<UnsupportedNode> unsupported;  // complete; empty unless allowUnsupported
    std::vector<std::string> warnings;
};

// Errors: BadModel; UnsupportedOperators with every one of them in `why`.
Result<ImportedModel> importModel(const std::filesystem::path& file, const ImportOptions& options = {});

// A TensorProto file (input_0.pb), and back.
Result<graph::Tensor> readTensorFile(const std::filesystem::path& file);
Status writeTensorFile(const std::filesystem::path& file, const std::string& name, const graph::Tensor& tensor);

}  // namespace fettle::onnx
