// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/steps.h"
#include "core/onnx/tensor_proto.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

using graph::Attribute;
using ::onnx::AttributeProto;

namespace {

// IR versions before 2 left the type out; then the field that is set tells.
AttributeProto::AttributeType kindOf(const AttributeProto& attribute) {
    if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type();
    if (attribute.has_f()) return AttributeProto::FLOAT;
    if (attribute.has_i()) return AttributeProto::INT;
    if (attribute.has_s()) return AttributeProto::STRING;
    if (attribute.has_t()) return AttributeProto::TENSOR;
    if (attribute.has_g()) return AttributeProto::GRAPH;
    if (attribute.floats_size() > 0) return AttributeProto::FLOATS;
    if (attribute.strings_size() > 0) return AttributeProto::STRINGS;
    return AttributeProto::INTS;
}

}  // namespace

Result<std::map<std::string, Attribute>> readAttributes(::onnx::NodeProto& node, const std::filesystem::path& folder,
                                                        const std::string& where) {
    std::map<std::string, Attribute> attributes;
    for (AttributeProto& a : *node.mutable_attribute()) {
        Attribute value;
        switch (kindOf(a)) {
            case AttributeProto::FLOAT:
                value = a.f();
                break;
            case AttributeProto::INT:
                value = static_cast<int64_t>(a.i());
                break;
            case AttributeProto::STRING:
                value = a.s();
                break;
            case AttributeProto::FLOATS:
                value = std::vector<float>(a.floats().begin(), a.floats().end());
                break;
            case AttributeProto::INTS:
                value = std::vector<int64_t>(a.ints().begin(), a.ints().end());
                break;
            case AttributeProto::STRINGS:
                value = std::vector<std::string>(a.strings().begin(), a.strings().end());
                break;
            case AttributeProto::TENSOR: {
                FETTLE_TRY(graph::Tensor tensor,
                           toTensor(*a.mutable_t(), folder, where + ", attribute '" + shown(a.name()) + "'"));
                value = std::move(tensor);
                break;
            }
            case AttributeProto::GRAPH: {
                auto graph = std::make_shared<graph::Graph>();
                graph->name = a.g().name();
                value = std::shared_ptr<const graph::Graph>(std::move(graph));
                break;
            }
            default:
                continue;  // no operator of ours reads the other kinds
        }
        if (!attributes.emplace(a.name(), std::move(value)).second)
            return fail(ErrorCode::BadModel, "the model is not valid", where,
                        "the attribute '" + shown(a.name()) + "' is given twice");
    }
    return attributes;
}

}  // namespace fettle::onnx
