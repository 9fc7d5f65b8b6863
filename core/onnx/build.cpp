// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/steps.h"
#include "core/onnx/tensor_proto.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

using graph::DType;
using graph::kNone;
using graph::Tensor;
using graph::TensorType;
using graph::Value;
using graph::ValueId;

namespace {

tl::unexpected<Error> bad(const std::string& where, const std::string& why) {
    return fail(ErrorCode::BadModel, "the model is not valid", where, why);
}

// Values to offer for an unknown dimension, by its name or place.
int64_t suggestion(const std::string& name, size_t axis, size_t rank) {
    static constexpr struct {
        const char* part;
        int64_t value;
    } kByName[] = {{"batch", 1}, {"past", 16},   {"seq", 64},     {"len", 64},
                   {"time", 64}, {"frames", 64}, {"height", 224}, {"width", 224}};
    std::string lower;
    for (char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (const auto& row : kByName)
        if (lower.find(row.part) != std::string::npos) return row.value;
    if (axis == 0) return 1;
    return rank == 4 && axis >= 2 ? 224 : 16;
}

class Builder {
public:
    Builder(LoadedModel& loaded, const ImportOptions& options, ImportedModel& model)
        : folder_(loaded.folder),
          source_(*loaded.proto.mutable_graph()),
          options_(options),
          model_(model),
          graph_(model.graph) {}

    Status run(std::vector<FlatNode> nodes) {
        graph_.name = source_.name();
        FETTLE_CHECK(initialisers());
        FETTLE_CHECK(inputs());
        FETTLE_CHECK(bindings());
        FETTLE_CHECK(declareOutputs(nodes));
        for (size_t i = 0; i < nodes.size(); ++i) {
            if (isConstant(nodes[i].proto)) continue;
            FETTLE_CHECK(addNode(std::move(nodes[i]), i));
        }
        return outputs();
    }

private:
    static bool isConstant(const ::onnx::NodeProto& node) {
        return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx");
    }

    static std::string describe(const ::onnx::NodeProto& node, size_t position) {
        const std::string name = node.name().empty() ? node.op_type() + "_" + std::to_string(position) : node.name();
        return "node " + shown(name) + " (" + shown(node.op_type()) + ")";
    }

    Result<ValueId> define(const std::string& name, const char* kind) {
        const auto [it, fresh] = byName_.emplace(name, 0);
        if (!fresh)
            return bad(std::string(kind) + " '" + shown(name) + "'",
                       "the name '" + shown(name) + "' is a duplicate: it is defined twice");
        it->second = graph_.addValue({name, {}, -1, {}});
        return it->second;
    }

    Status initialisers() {
        for (auto& proto : *source_.mutable_initializer()) {
            if (proto.name().empty()) return bad("initialiser", "an initialiser has no name");
            FETTLE_TRY(const ValueId id, define(proto.name(), "initialiser"));
            FETTLE_TRY(Tensor tensor, toTensor(proto, folder_, "initialiser '" + shown(proto.name()) + "'"));
            setConstant(id, std::move(tensor));
        }
        return {};
    }

    void setConstant(ValueId id, Tensor tensor) {
        graph_.values[id].type = tensor.type;
        graph_.values[id].constant = std::move(tensor);
    }

    Status inputs() {
        std::map<std::string, bool> seen;
        for (const auto& proto : source_.input()) {
            const std::string where = "input '" + shown(proto.name()) + "'";
            if (!seen.emplace(proto.name(), true).second)
                return bad(where, "the name is a duplicate: two inputs have it");
            if (byName_.count(proto.name())) continue;  // has an initialiser: a constant
            if (!proto.has_type() || proto.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
                return bad(where, "the input has no type");
            FETTLE_TRY(TensorType type, readTensorType(proto.type(), where));
            FETTLE_CHECK(bindDims(proto, type));
            FETTLE_CHECK(checkSize(type, where));
            FETTLE_TRY(const ValueId id, define(proto.name(), "input"));
            graph_.values[id].type = std::move(type);
            graph_.inputs.push_back(id);
        }
        return {};
    }

    Status bindDims(const ::onnx::ValueInfoProto& proto, TensorType& type) {
        for (size_t axis = 0; axis < type.shape.size(); ++axis) {
            if (type.shape[axis] >= 0) continue;
            const auto& dim = proto.type().tensor_type().shape().dim(static_cast<int>(axis));
            const std::string name =
                dim.dim_param().empty() ? proto.name() + ":" + std::to_string(axis) : dim.dim_param();
            DynamicDim* known = nullptr;
            for (DynamicDim& d : model_.dynamicDims)
                if (d.name == name) known = &d;
            if (!known) {
                model_.dynamicDims.push_back({name, {}, suggestion(name, axis, type.shape.size())});
                known = &model_.dynamicDims.back();
            }
            known->uses.push_back(proto.name() + " axis " + std::to_string(axis));
            const auto bound = options_.dims.find(name);
            type.shape[axis] = bound == options_.dims.end() ? known->suggested : bound->second;
        }
        return {};
    }

    Status bindings() const {
        for (const auto& [name, value] : options_.dims) {
            std::string all;
            bool known = false;
            for (const DynamicDim& dim : model_.dynamicDims) {
                known |= dim.name == name;
                all += (all.empty() ? "" : ", ") + shown(dim.name);
            }
            if (!known)
                return fail(
                    ErrorCode::Usage, "cannot bind the dimension '" + shown(name) + "'", "",
                    all.empty() ? "the model has no dynamic dimensions" : "the model's dynamic dimensions are: " + all);
            if (value < 0)
                return fail(ErrorCode::Usage, "cannot bind the dimension '" + shown(name) + "'", "",
                            std::to_string(value) + " is negative");
        }
        return {};
    }

    // Every name a node produces, so that nodes may come in any order; Constant nodes become constants here.
    Status declareOutputs(std::vector<FlatNode>& nodes) {
        for (size_t i = 0; i < nodes.size(); ++i) {
            auto& proto = nodes[i].proto;
            if (isConstant(proto)) {
                FETTLE_CHECK(addConstant(proto, describe(proto, i)));
                continue;
            }
            for (const auto& output : proto.output())
                if (!output.empty()) FETTLE_CHECK(define(output, "output"));
        }
        return {};
    }

    Status addConstant(::onnx::NodeProto& proto, const std::string& where) {
        if (proto.output_size() != 1) return bad(where, "a Constant has one output");
        FETTLE_TRY(const auto attributes, readAttributes(proto, folder_, where));
        FETTLE_TRY(const ValueId id, define(proto.output(0), "output"));
        for (const auto& [name, value] : attributes) {
            if (const auto* tensor = std::get_if<Tensor>(&value); tensor && name == "value")
                return setConstant(id, *tensor), Status{};
            if (const auto* f = std::get_if<float>(&value); f && name == "value_float")
                return setConstant(id, tensorOf(DType::Float32, {}, std::span(f, 1))), Status{};
            if (const auto* i = std::get_if<int64_t>(&value); i && name == "value_int")
                return setConstant(id, tensorOf(DType::Int64, {}, std::span(i, 1))), Status{};
            if (const auto* fs = std::get_if<std::vector<float>>(&value); fs && name == "value_floats")
                return setConstant(id, tensorOf<float>(DType::Float32, {static_cast<int64_t>(fs->size())}, *fs)),
                       Status{};
            if (const auto* is = std::get_if<std::vector<int64_t>>(&value); is && name == "value_ints")
                return setConstant(id, tensorOf<int64_t>(DType::Int64, {static_cast<int64_t>(is->size())}, *is)),
                       Status{};
        }
        if (proto.attribute_size() == 0) return bad(where, "the attribute 'value' is missing");
        const std::string kind = proto.attribute(0).name();
        model_.unsupported.push_back(
            {proto.name(), "Constant", "", 0, "a constant given as '" + shown(kind) + "' is not supported"});
        return {};
    }

    Status addNode(FlatNode flat, size_t position) {
        auto& proto = flat.proto;
        const std::string where = describe(proto, position);
        graph::Node node;
        node.name = proto.name().empty() ? proto.op_type() + "_" + std::to_string(position) : proto.name();
        // Newer exporters name nodes by their whole path, which no table has room for.
        if (node.name.find('/') != std::string::npos || node.name.size() > 32)
            node.label = proto.op_type() + "_" + std::to_string(position);
        node.op = proto.op_type();
        node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
        node.opset = flat.opset;
        for (const auto& input : proto.input()) {
            if (input.empty()) {
                node.inputs.push_back(kNone);
                continue;
            }
            const auto found = byName_.find(input);
            if (found == byName_.end())
                return bad(where, "the value '" + shown(input) + "' that it reads is missing: nothing defines it");
            node.inputs.push_back(found->second);
        }
        const auto id = static_cast<graph::NodeId>(graph_.nodes.size());
        for (const auto& output : proto.output()) {
            node.outputs.push_back(output.empty() ? kNone : byName_.at(output));
            if (!output.empty()) graph_.values[node.outputs.back()].producer = id;
        }
        FETTLE_TRY(node.attributes, readAttributes(proto, folder_, where));
        graph_.nodes.push_back(std::move(node));
        return {};
    }

    // Declared types are kept on the values until inference has its own; it compares the outputs'.
    Status outputs() {
        for (const auto& proto : source_.output()) {
            const auto found = byName_.find(proto.name());
            if (found == byName_.end())
                return bad("output '" + shown(proto.name()) + "'",
                           "no node produces the graph output '" + shown(proto.name()) + "'");
            graph_.outputs.push_back(found->second);
        }
        if (graph_.outputs.empty()) return bad("graph", "the graph has no outputs");
        for (const auto* list : {&source_.value_info(), &source_.output()})
            for (const auto& proto : *list) {
                const auto found = byName_.find(proto.name());
                if (found == byName_.end() || graph_.values[found->second].producer < 0) continue;
                if (auto type = readTensorType(proto.type(), "value '" + shown(proto.name()) + "'"))
                    graph_.values[found->second].type = std::move(*type);
            }
        return {};
    }

    const std::filesystem::path& folder_;
    ::onnx::GraphProto& source_;
    const ImportOptions& options_;
    ImportedModel& model_;
    graph::Graph& graph_;
    std::unordered_map<std::string, ValueId> byName_;
};

}  // namespace

Result<TensorType> readTensorType(const ::onnx::TypeProto& type, const std::string& where) {
    if (!type.has_tensor_type())
        return fail(ErrorCode::UnsupportedOperators, "the model is not supported", where,
                    "its type is a sequence, map, optional or sparse tensor");
    const auto& proto = type.tensor_type();
    FETTLE_TRY(const DType dtype, toDType(proto.elem_type(), where));
    if (!proto.has_shape()) return bad(where, "it has no shape");
    TensorType result{dtype, {}, {}};
    if (static_cast<size_t>(proto.shape().dim_size()) > kMaxRank)
        return bad(where,
                   "rank " + std::to_string(proto.shape().dim_size()) + "; the limit is " + std::to_string(kMaxRank));
    for (const auto& dim : proto.shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() < -1)
            return bad(where, "negative dimension " + std::to_string(dim.dim_value()));
        result.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    }
    return result;
}

Status checkSize(const TensorType& type, const std::string& where) {
    if (type.shape.size() > kMaxRank)
        return bad(where, "rank " + std::to_string(type.shape.size()) + "; the limit is " + std::to_string(kMaxRank));
    int64_t bytes = std::max<int64_t>(1, graph::dtypeBytes(type.dtype));
    for (int64_t extent : type.shape)
        if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxTensorBytes)
            return bad(where, "the tensor " + typeText(type) + " exceeds the size limit of " +
                                  std::to_string(kMaxTensorBytes) + " bytes");
    return {};
}

Status buildGraph(LoadedModel& loaded, std::vector<FlatNode> nodes, const ImportOptions& options,
                  ImportedModel& model) {
    return Builder(loaded, options, model).run(std::move(nodes));
}

}  // namespace fettle::onnx
