// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph.h"

#include <cstdio>

namespace fettle::graph {

namespace {

template <class T>
T attributeOr(const Node& node, const std::string& key, T fallback) {
    const auto found = node.attributes.find(key);
    if (found == node.attributes.end()) return fallback;
    const T* value = std::get_if<T>(&found->second);
    return value ? *value : fallback;
}

std::string floatText(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    for (char& c : text)
        if (c == ',') c = '.';
    return text;
}

template <class T, class Print>
std::string listText(const std::vector<T>& values, Print print) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + print(values[i]);
    return text + "]";
}

std::string attributeText(const Attribute& attribute) {
    struct Printer {
        std::string operator()(int64_t v) const { return std::to_string(v); }
        std::string operator()(float v) const { return floatText(v); }
        std::string operator()(const std::string& v) const { return '"' + v + '"'; }
        std::string operator()(const std::vector<int64_t>& v) const {
            return listText(v, [](int64_t i) { return std::to_string(i); });
        }
        std::string operator()(const std::vector<float>& v) const { return listText(v, floatText); }
        std::string operator()(const std::vector<std::string>& v) const {
            return listText(v, [](const std::string& s) { return '"' + s + '"'; });
        }
        std::string operator()(const Tensor& v) const { return typeText(v.type); }
        std::string operator()(const std::shared_ptr<const Graph>& v) const { return "graph " + v->name; }
    };
    return std::visit(Printer{}, attribute);
}

std::string namesText(const Graph& graph, const std::vector<ValueId>& ids) {
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i) {
        if (i) text += ", ";
        text += ids[i] == kNone ? "-" : graph.values[ids[i]].name;
    }
    return text;
}

}  // namespace

int64_t Node::intOr(const std::string& key, int64_t fallback) const {
    return attributeOr(*this, key, fallback);
}
float Node::floatOr(const std::string& key, float fallback) const {
    return attributeOr(*this, key, fallback);
}
std::string Node::stringOr(const std::string& key, std::string fallback) const {
    return attributeOr(*this, key, std::move(fallback));
}
std::vector<int64_t> Node::intsOr(const std::string& key, std::vector<int64_t> fallback) const {
    return attributeOr(*this, key, std::move(fallback));
}

ValueId Graph::addValue(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
}

std::vector<std::vector<NodeId>> Graph::consumers() const {
    std::vector<std::vector<NodeId>> readers(values.size());
    for (size_t n = 0; n < nodes.size(); ++n)
        for (ValueId input : nodes[n].inputs) {
            if (input == kNone) continue;
            auto& list = readers[input];
            if (list.empty() || list.back() != static_cast<NodeId>(n)) list.push_back(static_cast<NodeId>(n));
        }
    return readers;
}

// input x float32[1,3]
// constant w float32[3,4]
// y float32[1,4] = MatMul(x, w) "MatMul_0"
// output y
const std::string& displayName(const Node& node) {
    return node.label.empty() ? node.name : node.label;
}

std::string print(const Graph& graph) {
    std::string text;
    for (ValueId id : graph.inputs)
        text += "input " + graph.values[id].name + " " + typeText(graph.values[id].type) + "\n";
    for (const Value& value : graph.values)
        if (value.constant) text += "constant " + value.name + " " + typeText(value.type) + "\n";
    for (const Node& node : graph.nodes) {
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (i) text += ", ";
            if (node.outputs[i] == kNone) {
                text += "-";
                continue;
            }
            const Value& value = graph.values[node.outputs[i]];
            text += value.name + " " + typeText(value.type);
        }
        text += " = " + node.op + "(" + namesText(graph, node.inputs) + ")";
        if (!node.attributes.empty()) {
            text += " {";
            for (auto it = node.attributes.begin(); it != node.attributes.end(); ++it)
                text += (it == node.attributes.begin() ? "" : ", ") + it->first + "=" + attributeText(it->second);
            text += "}";
        }
        text += " \"" + node.name + "\"\n";
    }
    text += "output " + namesText(graph, graph.outputs) + "\n";
    return text;
}

}  // namespace fettle::graph
