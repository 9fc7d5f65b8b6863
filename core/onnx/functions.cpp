// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the model's own functions become their bodies. The size of the result is known before anything is copied.
#include "core/onnx/steps.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

namespace {

using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

constexpr size_t kMaxCallDepth = 200;

std::string keyOf(const std::string& domain, const std::string& name) {
    return (domain == "ai.onnx" ? "" : domain) + "::" + name;
}

tl::unexpected<Error> bad(const std::string& where, const std::string& why) {
    return fail(ErrorCode::BadModel, "the model is not valid", where, why);
}

class Flattener {
public:
    Flattener(const ::onnx::ModelProto& proto, const Opsets& opsets) : opsets_(opsets) {
        for (const auto& function : proto.functions())
            functions_[keyOf(function.domain(), function.name())] = &function;
    }

    Result<std::vector<FlatNode>> run(Nodes& nodes) {
        FETTLE_TRY(const int64_t total, sizeOf(nodes));
        for (const auto& [key, function] : functions_) FETTLE_CHECK(sizeOfFunction(key));
        if (total > kMaxNodes)
            return bad("graph",
                       "its functions expand to more nodes than the expansion limit of " + std::to_string(kMaxNodes));
        result_.reserve(static_cast<size_t>(total));
        for (NodeProto& node : nodes) FETTLE_CHECK(expand(std::move(node), opsets_));
        return std::move(result_);
    }

private:
    const FunctionProto* functionOf(const NodeProto& node) const {
        const auto found = functions_.find(keyOf(node.domain(), node.op_type()));
        return found == functions_.end() ? nullptr : found->second;
    }

    Result<int64_t> sizeOf(const Nodes& nodes) {
        int64_t total = 0;
        for (const NodeProto& node : nodes) {
            int64_t size = 1;
            if (functionOf(node)) {
                FETTLE_TRY(size, sizeOfFunction(keyOf(node.domain(), node.op_type())));
            }
            total = std::min(total + size, kMaxNodes + 1);
        }
        return total;
    }

    Result<int64_t> sizeOfFunction(const std::string& key) {
        if (const auto known = sizes_.find(key); known != sizes_.end()) return known->second;
        if (const auto again = std::find(stack_.begin(), stack_.end(), key); again != stack_.end()) {
            std::string cycle;
            for (auto it = again; it != stack_.end(); ++it) cycle += shown(*it) + " -> ";
            return bad("function " + shown(key), "recursive function: " + cycle + shown(key));
        }
        if (stack_.size() >= kMaxCallDepth)
            return bad("function " + shown(key), "functions call each other too deeply");
        stack_.push_back(key);
        FETTLE_TRY(const int64_t size, sizeOf(functions_[key]->node()));
        stack_.pop_back();
        return sizes_[key] = size;
    }

    static int opsetOf(const NodeProto& node, const Opsets& opsets) {
        const auto found = opsets.find(node.domain() == "ai.onnx" ? "" : node.domain());
        return found == opsets.end() ? 0 : static_cast<int>(std::clamp<int64_t>(found->second, 0, 1 << 20));
    }

    Status expand(NodeProto node, const Opsets& opsets) {
        const FunctionProto* function = functionOf(node);
        if (!function) {
            const int opset = opsetOf(node, opsets);
            result_.push_back({std::move(node), opset});
            return {};
        }
        if (node.input_size() > function->input_size() || node.output_size() > function->output_size())
            return bad("node " + shown(node.name()) + " (" + shown(node.op_type()) + ")",
                       "the call has more inputs or outputs than the function");
        const std::string prefix = function->name() + "_" + std::to_string(calls_++) + "/";
        std::map<std::string, std::string> names;
        for (int i = 0; i < function->input_size(); ++i)
            names[function->input(i)] = i < node.input_size() ? node.input(i) : "";
        std::vector<std::pair<std::string, std::string>> passedThrough;
        for (int i = 0; i < node.output_size(); ++i) {
            const auto [it, fresh] = names.emplace(function->output(i), node.output(i));
            if (!fresh) passedThrough.emplace_back(it->second, node.output(i));
        }
        Opsets own = opsets;
        for (const auto& entry : function->opset_import())
            own[entry.domain() == "ai.onnx" ? "" : entry.domain()] = entry.version();
        for (const NodeProto& inner : function->node()) FETTLE_CHECK(expand(renamed(inner, node, prefix, names), own));
        for (const auto& [from, to] : passedThrough) {
            NodeProto identity;
            identity.set_op_type("Identity");
            identity.add_input(from);
            identity.add_output(to);
            FETTLE_CHECK(expand(std::move(identity), own));
        }
        return {};
    }

    static NodeProto renamed(const NodeProto& inner, const NodeProto& call, const std::string& prefix,
                             const std::map<std::string, std::string>& names) {
        NodeProto node = inner;
        const auto rename = [&](std::string* name) {
            if (name->empty()) return;
            const auto found = names.find(*name);
            *name = found == names.end() ? prefix + *name : found->second;
        };
        for (std::string& input : *node.mutable_input()) rename(&input);
        for (std::string& output : *node.mutable_output()) rename(&output);
        const std::string path = call.name().empty() ? prefix : call.name() + "/";
        if (!node.name().empty()) node.set_name(path + node.name());
        node.clear_attribute();
        for (const auto& attribute : inner.attribute()) {
            if (attribute.ref_attr_name().empty()) {
                *node.add_attribute() = attribute;
                continue;
            }
            for (const auto& given : call.attribute())
                if (given.name() == attribute.ref_attr_name()) {
                    *node.add_attribute() = given;
                    node.mutable_attribute()->rbegin()->set_name(attribute.name());
                }
        }
        return node;
    }

    const Opsets& opsets_;
    std::map<std::string, const FunctionProto*> functions_;
    std::map<std::string, int64_t> sizes_;
    std::vector<std::string> stack_;
    std::vector<FlatNode> result_;
    int64_t calls_ = 0;
};

}  // namespace

Result<std::vector<FlatNode>> flattenFunctions(::onnx::ModelProto& proto, const Opsets& opsets) {
    return Flattener(proto, opsets).run(*proto.mutable_graph()->mutable_node());
}

}  // namespace fettle::onnx
