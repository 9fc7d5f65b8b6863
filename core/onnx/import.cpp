// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/import.h"

#include "core/onnx/steps.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

namespace {

tl::unexpected<Error> unsupportedError(const std::filesystem::path& file, const std::vector<UnsupportedNode>& nodes) {
    std::string list;
    for (const UnsupportedNode& node : nodes) {
        if (!list.empty()) list += "; ";
        list +=
            "node " + shown(node.node) + ": " + (node.domain.empty() ? "" : shown(node.domain) + ".") + shown(node.op);
        if (node.opset > 0) list += " (opset " + std::to_string(node.opset) + ")";
        list += ", " + node.reason;
    }
    return fail(ErrorCode::UnsupportedOperators, "the model uses operators that are not supported",
                shown(file.string()), list, "Export the model without these operators.");
}

}  // namespace

Result<ImportedModel> importModel(const std::filesystem::path& file, const ImportOptions& options) {
    ImportedModel model;
    FETTLE_TRY(LoadedModel loaded, loadModel(file, model));
    FETTLE_TRY(std::vector<FlatNode> nodes, flattenFunctions(loaded.proto, model.opsets));
    FETTLE_CHECK(buildGraph(loaded, std::move(nodes), options, model));
    loaded.proto.Clear();
    FETTLE_CHECK(sortNodes(model));
    findUnsupported(model);
    if (!model.unsupported.empty() && !options.allowUnsupported) return unsupportedError(file, model.unsupported);
    FETTLE_CHECK(inferTypes(model, options.allowUnsupported));
    return model;
}

}  // namespace fettle::onnx
