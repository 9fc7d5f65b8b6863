// SPDX-License-Identifier: GPL-3.0-or-later
#include <google/protobuf/io/coded_stream.h>

#include "core/onnx/file.h"
#include "core/onnx/steps.h"
#include "core/onnx/tensor_proto.h"
#include "core/onnx/text.h"
#include "core/onnx/wire.h"
#include "core/ops/family/rule.h"
#include "core/support/hash.h"

namespace fettle::onnx {

namespace {

class Checker {
public:
    Checker(const std::filesystem::path& file, const ::onnx::ModelProto& proto) : file_(file), proto_(proto) {}

    Status run(ImportedModel& model) {
        FETTLE_CHECK(versions(model));
        FETTLE_CHECK(graphNames(proto_.graph()));
        FETTLE_CHECK(externalIn(proto_.graph()));
        for (const auto& function : proto_.functions()) FETTLE_CHECK(externalIn(function.node()));
        return {};
    }

private:
    tl::unexpected<Error> bad(const std::string& why, const std::string& next = {}) const {
        return fail(ErrorCode::BadModel, "cannot open " + shown(file_.filename().string()), shown(file_.string()), why,
                    next);
    }

    static std::string range(int64_t from, int64_t to) {
        return "the supported range is " + std::to_string(from) + " to " + std::to_string(to);
    }

    Status versions(ImportedModel& model) {
        const bool anything = proto_.has_ir_version() || proto_.has_graph() || proto_.opset_import_size() > 0;
        if (!anything) return bad("it is not an ONNX model: it has neither a version nor a graph");
        if (!proto_.has_graph()) return bad("the model has no graph");
        if (!proto_.has_ir_version()) return bad("the IR version is missing; " + range(kOldestIr, kNewestIr));
        model.irVersion = proto_.ir_version();
        if (model.irVersion < kOldestIr || model.irVersion > kNewestIr)
            return bad("IR version " + std::to_string(model.irVersion) + "; " + range(kOldestIr, kNewestIr),
                       "Convert it with onnx.version_converter, or export it again.");
        if (proto_.opset_import_size() == 0) return bad("the model has no opset import");
        for (const auto& entry : proto_.opset_import()) {
            const std::string domain = entry.domain() == "ai.onnx" ? "" : entry.domain();
            model.opsets[domain] = entry.version();
            if (domain.empty()) FETTLE_CHECK(checkOpset(entry.version()));
        }
        for (const auto& function : proto_.functions())
            for (const auto& entry : function.opset_import())
                if (entry.domain().empty() || entry.domain() == "ai.onnx") FETTLE_CHECK(checkOpset(entry.version()));
        model.producer = proto_.producer_name();
        if (!proto_.producer_version().empty()) model.producer += " " + proto_.producer_version();
        return {};
    }

    Status checkOpset(int64_t version) const {
        if (version >= ops::kOldestOpset && version <= ops::kNewestOpset) return {};
        return bad("opset " + std::to_string(version) + "; " + range(ops::kOldestOpset, ops::kNewestOpset),
                   "Convert it with onnx.version_converter, or export it again.");
    }

    Status name(const std::string& text, const char* what) const {
        if (validUtf8(text)) return {};
        return bad(std::string("the ") + what + " '" + shown(text) + "' is not valid UTF-8");
    }

    Status graphNames(const ::onnx::GraphProto& graph) const {
        for (const auto& value : graph.input()) FETTLE_CHECK(name(value.name(), "value name"));
        for (const auto& value : graph.output()) FETTLE_CHECK(name(value.name(), "value name"));
        for (const auto& tensor : graph.initializer()) FETTLE_CHECK(name(tensor.name(), "value name"));
        for (const auto& node : graph.node()) {
            FETTLE_CHECK(name(node.op_type(), "operator name"));
            FETTLE_CHECK(name(node.domain(), "domain"));
            for (const auto& input : node.input()) FETTLE_CHECK(name(input, "value name"));
            for (const auto& output : node.output()) FETTLE_CHECK(name(output, "value name"));
            for (const auto& attribute : node.attribute()) FETTLE_CHECK(name(attribute.name(), "attribute name"));
        }
        if (graph.sparse_initializer_size() > 0)
            return bad("the sparse tensor '" + shown(graph.sparse_initializer(0).values().name()) +
                           "' among the initialisers is not supported",
                       "Store the weights as dense tensors.");
        return {};
    }

    // Tensors that are not read now (in subgraphs and functions) must not name files outside either.
    Status externalIn(const ::onnx::TensorProto& tensor) const {
        if (tensor.data_location() != ::onnx::TensorProto::EXTERNAL) return {};
        for (const auto& entry : tensor.external_data())
            if (entry.key() == "location") FETTLE_CHECK(readExternal(file_.parent_path(), entry.value(), 0, 0, 0));
        return {};
    }

    Status externalIn(const ::onnx::GraphProto& graph) const {
        if (&graph != &proto_.graph())
            for (const auto& tensor : graph.initializer()) FETTLE_CHECK(externalIn(tensor));
        for (const auto& sparse : graph.sparse_initializer()) FETTLE_CHECK(externalIn(sparse));
        return externalIn(graph.node());
    }

    Status externalIn(const ::onnx::SparseTensorProto& sparse) const {
        FETTLE_CHECK(externalIn(sparse.values()));
        return externalIn(sparse.indices());
    }

    Status externalIn(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes) const {
        for (const auto& node : nodes)
            for (const auto& attribute : node.attribute()) {
                FETTLE_CHECK(externalIn(attribute.t()));
                FETTLE_CHECK(externalIn(attribute.sparse_tensor()));
                for (const auto& tensor : attribute.tensors()) FETTLE_CHECK(externalIn(tensor));
                for (const auto& sparse : attribute.sparse_tensors()) FETTLE_CHECK(externalIn(sparse));
                if (attribute.has_g()) FETTLE_CHECK(externalIn(attribute.g()));
                for (const auto& graph : attribute.graphs()) FETTLE_CHECK(externalIn(graph));
            }
        return {};
    }

    const std::filesystem::path& file_;
    const ::onnx::ModelProto& proto_;
};

}  // namespace

Result<LoadedModel> loadModel(const std::filesystem::path& file, ImportedModel& model) {
    LoadedModel loaded;
    loaded.folder = file.parent_path();
    {
        FETTLE_TRY(const std::string bytes, readFile(file, kMaxModelBytes));
        google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                      static_cast<int>(bytes.size()));
        stream.SetRecursionLimit(kMaxNesting);
        stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
        if (bytes.empty() || !loaded.proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
            return fail(ErrorCode::BadModel, "cannot open " + shown(file.filename().string()), shown(file.string()),
                        whyNotModel(bytes), "Export or download the model again.");
        model.sha256 = sha256Hex(std::as_bytes(std::span(bytes)));
    }
    FETTLE_CHECK(Checker(file, loaded.proto).run(model));
    return loaded;
}

}  // namespace fettle::onnx
