// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/steps.h"
#include "core/onnx/text.h"
#include "core/ops/op.h"

namespace fettle::onnx {

using graph::kNone;
using graph::Node;
using graph::Tensor;
using graph::TensorType;
using graph::Value;
using graph::ValueId;

namespace {

// What is folded on import: enough for shape arithmetic. Larger constants are left to the pass that folds them.
constexpr int64_t kFoldElements = 1 << 16;

bool small(const TensorType& type) {
    return graph::elementCount(type.shape) <= kFoldElements;
}

class Inference {
public:
    Inference(ImportedModel& model, bool lenient) : model_(model), graph_(model.graph), lenient_(lenient) {
        declared_.resize(graph_.values.size());
        known_.resize(graph_.values.size(), true);
        for (size_t v = 0; v < graph_.values.size(); ++v) {
            Value& value = graph_.values[v];
            if (value.producer < 0) continue;
            known_[v] = false;
            declared_[v] = std::move(value.type);
            value.type = {graph::DType::Undefined, {}, {}};
        }
    }

    Status run() {
        std::vector<Node> kept;
        for (Node& node : graph_.nodes) {
            const auto status = infer(node);
            if (!status) {
                if (!lenient_ || status.error().code != ErrorCode::UnsupportedOperators)
                    return tl::unexpected<Error>(status.error());
                model_.unsupported.push_back({node.name, node.op, node.domain, node.opset, status.error().why});
            }
            if (!folded_) kept.push_back(std::move(node));
        }
        graph_.nodes = std::move(kept);
        for (size_t n = 0; n < graph_.nodes.size(); ++n)
            for (ValueId output : graph_.nodes[n].outputs)
                if (output != kNone) graph_.values[output].producer = static_cast<graph::NodeId>(n);
        return checkOutputs();
    }

private:
    static std::string describe(const Node& node) { return "node " + shown(node.name) + " (" + shown(node.op) + ")"; }

    Status infer(const Node& node) {
        folded_ = false;
        const ops::OpRow* row = ops::findOp(node.domain, node.op, node.opset);
        bool complete = row != nullptr;
        ops::NodeView view{&node, {}, {}};
        for (ValueId id : node.inputs) {
            const Value* value = id == kNone ? nullptr : &graph_.values[id];
            complete &= !value || known_[id];
            view.types.push_back(value ? &value->type : nullptr);
            view.constants.push_back(value && value->constant ? &*value->constant : nullptr);
        }
        if (!complete) return useDeclared(node);
        FETTLE_TRY(const std::vector<TensorType> types, row->shape(view));
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] == kNone) continue;
            if (i >= types.size())
                return fail(ErrorCode::BadModel, "the model is not valid", describe(node),
                            "the operator has no output " + std::to_string(i));
            FETTLE_CHECK(checkSize(types[i], describe(node)));
            graph_.values[node.outputs[i]].type = types[i];
            known_[node.outputs[i]] = true;
        }
        return fold(node, *row, view, types);
    }

    // After a node that we do not know, what the model says itself is the best there is.
    Status useDeclared(const Node& node) {
        for (ValueId output : node.outputs) {
            if (output == kNone) continue;
            const TensorType& type = declared_[output];
            const bool isStatic =
                std::all_of(type.shape.begin(), type.shape.end(), [](int64_t extent) { return extent >= 0; });
            if (type.dtype == graph::DType::Undefined || !isStatic || !checkSize(type, "")) continue;
            graph_.values[output].type = type;
            known_[output] = !type.shape.empty();
        }
        return {};
    }

    Status fold(const Node& node, const ops::OpRow& row, const ops::NodeView& view,
                const std::vector<TensorType>& types) {
        const bool onlyShape = node.op == "Shape" || node.op == "Size";
        std::vector<Tensor> stand(view.types.size());
        std::vector<const Tensor*> inputs;
        for (size_t i = 0; i < view.types.size(); ++i) {
            const Tensor* constant = view.constants[i];
            if (onlyShape && view.has(i)) {
                stand[i].type = *view.types[i];
                constant = &stand[i];
            }
            if (view.has(i) && (!constant || (!onlyShape && !small(constant->type)))) return {};
            inputs.push_back(constant);
        }
        for (const TensorType& type : types)
            if (!small(type)) return {};
        if (!row.evaluate) return {};
        FETTLE_TRY(const std::vector<Tensor> outputs, row.evaluate(node, inputs));
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] == kNone || i >= outputs.size()) continue;
            graph_.values[node.outputs[i]].constant = outputs[i];
            graph_.values[node.outputs[i]].producer = -1;
        }
        folded_ = true;
        return {};
    }

    Status checkOutputs() {
        for (ValueId id : graph_.outputs) {
            const Value& value = graph_.values[id];
            const TensorType& declared = declared_[id];
            if (!known_[id] || declared.dtype == graph::DType::Undefined) continue;
            const std::string where = "output '" + shown(value.name) + "'";
            const std::string both =
                "the declared type is " + typeText(declared) + ", the inferred type is " + typeText(value.type);
            if (declared.dtype != value.type.dtype)
                return fail(ErrorCode::BadModel, "the model is not valid", where, both);
            bool same = declared.shape.size() == value.type.shape.size();
            for (size_t i = 0; same && i < declared.shape.size(); ++i)
                same = declared.shape[i] < 0 || declared.shape[i] == value.type.shape[i];
            if (!same)
                model_.warnings.push_back("Output " + shown(value.name) + ": " + both + "; the inferred one is used.");
        }
        return {};
    }

    ImportedModel& model_;
    graph::Graph& graph_;
    bool lenient_;
    bool folded_ = false;
    std::vector<TensorType> declared_;
    std::vector<bool> known_;
};

}  // namespace

void findUnsupported(ImportedModel& model) {
    for (const Node& node : model.graph.nodes) {
        if (node.domain != "fettle" && ops::findOp(node.domain, node.op, node.opset)) continue;
        std::string reason = "the operator is not supported";
        if (node.opset == 0)
            reason = "the model imports no opset for its domain";
        else if (!node.domain.empty())
            reason = "the domain is not supported";
        model.unsupported.push_back({node.name, node.op, node.domain, node.opset, reason});
    }
    for (const Value& value : model.graph.values)
        if (value.producer < 0 && value.type.dtype == graph::DType::String)
            model.unsupported.push_back({value.name, "(value)", "", 0, "string tensors are not supported"});
}

Status inferTypes(ImportedModel& model, bool allowUnsupported) {
    return Inference(model, allowUnsupported).run();
}

}  // namespace fettle::onnx
