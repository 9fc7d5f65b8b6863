// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/scalar.h"

#include <cassert>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

namespace fettle::loop {

namespace {

struct OpInfo {
    ScalarOp op;
    const char* name;
    int operands;
};

constexpr OpInfo kOps[] = {
    {ScalarOp::Constant, "const", 0},
    {ScalarOp::Load, "load", 0},
    {ScalarOp::AxisValue, "axis", 0},
    {ScalarOp::Accumulator, "acc", 0},
    {ScalarOp::Neg, "neg", 1},
    {ScalarOp::Abs, "abs", 1},
    {ScalarOp::Exp, "exp", 1},
    {ScalarOp::Log, "log", 1},
    {ScalarOp::Sqrt, "sqrt", 1},
    {ScalarOp::Rsqrt, "rsqrt", 1},
    {ScalarOp::Reciprocal, "reciprocal", 1},
    {ScalarOp::Tanh, "tanh", 1},
    {ScalarOp::Erf, "erf", 1},
    {ScalarOp::Sigmoid, "sigmoid", 1},
    {ScalarOp::Floor, "floor", 1},
    {ScalarOp::Ceil, "ceil", 1},
    {ScalarOp::Round, "round", 1},
    {ScalarOp::Sin, "sin", 1},
    {ScalarOp::Cos, "cos", 1},
    {ScalarOp::Not, "not", 1},
    {ScalarOp::Cast, "cast", 1},
    {ScalarOp::Add, "add", 2},
    {ScalarOp::Sub, "sub", 2},
    {ScalarOp::Mul, "mul", 2},
    {ScalarOp::Div, "div", 2},
    {ScalarOp::Min, "min", 2},
    {ScalarOp::Max, "max", 2},
    {ScalarOp::Pow, "pow", 2},
    {ScalarOp::Mod, "mod", 2},
    {ScalarOp::Less, "less", 2},
    {ScalarOp::LessEqual, "lessequal", 2},
    {ScalarOp::Equal, "equal", 2},
    {ScalarOp::And, "and", 2},
    {ScalarOp::Or, "or", 2},
    {ScalarOp::Select, "select", 3},
};

const OpInfo& info(ScalarOp op) {
    const OpInfo& row = kOps[static_cast<size_t>(op)];
    assert(row.op == op);
    return row;
}

bool isComparison(ScalarOp op) {
    return op == ScalarOp::Less || op == ScalarOp::LessEqual || op == ScalarOp::Equal || op == ScalarOp::And ||
           op == ScalarOp::Or || op == ScalarOp::Not;
}

ScalarNode nodeOf(ScalarOp op, DType dtype) {
    ScalarNode node{};
    node.op = op;
    node.dtype = dtype;
    return node;
}

Scalar make(ScalarNode node) {
    return std::make_shared<const ScalarNode>(std::move(node));
}

}  // namespace

bool isUnary(ScalarOp op) {
    return info(op).operands == 1;
}
bool isBinary(ScalarOp op) {
    return info(op).operands == 2;
}
const char* scalarOpName(ScalarOp op) {
    return info(op).name;
}

Scalar constant(double value, DType dtype) {
    ScalarNode node = nodeOf(ScalarOp::Constant, dtype);
    node.value = value;
    return make(std::move(node));
}

Scalar load(int tensor, std::vector<Index> indices, DType dtype) {
    ScalarNode node = nodeOf(ScalarOp::Load, dtype);
    node.tensor = tensor;
    node.indices = std::move(indices);
    return make(std::move(node));
}

Scalar guardedLoad(int tensor, std::vector<Index> indices, double outside, DType dtype) {
    ScalarNode node = nodeOf(ScalarOp::Load, dtype);
    node.tensor = tensor;
    node.indices = std::move(indices);
    node.guarded = true;
    node.guardValue = outside;
    return make(std::move(node));
}

Scalar axisValue(Index index, DType dtype) {
    ScalarNode node = nodeOf(ScalarOp::AxisValue, dtype);
    node.indices = {std::move(index)};
    return make(std::move(node));
}

Scalar accumulator(DType dtype) {
    ScalarNode node = nodeOf(ScalarOp::Accumulator, dtype);
    return make(std::move(node));
}

Scalar unary(ScalarOp op, Scalar a) {
    assert(isUnary(op));
    ScalarNode node = nodeOf(op, isComparison(op) ? DType::Bool : a->dtype);
    node.operands = {std::move(a)};
    return make(std::move(node));
}

Scalar cast(Scalar a, DType dtype) {
    if (a->dtype == dtype) return a;
    ScalarNode node = nodeOf(ScalarOp::Cast, dtype);
    node.operands = {std::move(a)};
    return make(std::move(node));
}

Scalar binary(ScalarOp op, Scalar a, Scalar b) {
    assert(isBinary(op));
    ScalarNode node = nodeOf(op, isComparison(op) ? DType::Bool : a->dtype);
    node.operands = {std::move(a), std::move(b)};
    return make(std::move(node));
}

Scalar select(Scalar condition, Scalar a, Scalar b) {
    ScalarNode node = nodeOf(ScalarOp::Select, a->dtype);
    node.operands = {std::move(condition), std::move(a), std::move(b)};
    return make(std::move(node));
}

namespace {

// Rebuilds `index` where a data-dependent part changes; the same index when nothing does.
Index rewriteLoaded(const Index& index, const std::function<Scalar(const Scalar&)>& visit) {
    using Kind = Index::Kind;
    switch (index.kind()) {
        case Kind::Constant:
        case Kind::Axis:
            return index;
        case Kind::Add:
            return rewriteLoaded(index.left(), visit) + rewriteLoaded(index.right(), visit);
        case Kind::Mul:
            return rewriteLoaded(index.left(), visit) * index.constant();
        case Kind::FloorDiv:
            return floorDiv(rewriteLoaded(index.left(), visit), index.constant());
        case Kind::Mod:
            return mod(rewriteLoaded(index.left(), visit), index.constant());
        case Kind::Loaded:
            return Index::loaded(visit(index.loadedValue()));
    }
    return index;
}

bool hasLoaded(const Index& index) {
    switch (index.kind()) {
        case Index::Kind::Constant:
        case Index::Kind::Axis:
            return false;
        case Index::Kind::Add:
            return hasLoaded(index.left()) || hasLoaded(index.right());
        case Index::Kind::Loaded:
            return true;
        default:
            return hasLoaded(index.left());
    }
}

void visitLoaded(const Index& index, const std::function<void(const Scalar&)>& visit) {
    switch (index.kind()) {
        case Index::Kind::Constant:
        case Index::Kind::Axis:
            return;
        case Index::Kind::Add:
            visitLoaded(index.left(), visit);
            visitLoaded(index.right(), visit);
            return;
        case Index::Kind::Loaded:
            visit(index.loadedValue());
            return;
        default:
            visitLoaded(index.left(), visit);
    }
}

}  // namespace

Scalar rewrite(const Scalar& scalar, const std::function<Scalar(const Scalar&)>& rewriteNode) {
    std::unordered_map<const ScalarNode*, Scalar> done;
    std::function<Scalar(const Scalar&)> visit = [&](const Scalar& node) -> Scalar {
        if (auto found = done.find(node.get()); found != done.end()) return found->second;
        ScalarNode copy = *node;
        bool changed = false;
        for (Scalar& operand : copy.operands) {
            Scalar replaced = visit(operand);
            changed |= replaced != operand;
            operand = std::move(replaced);
        }
        for (Index& index : copy.indices)
            if (hasLoaded(index)) {
                index = rewriteLoaded(index, visit);
                changed = true;
            }
        Scalar result = rewriteNode(changed ? make(std::move(copy)) : node);
        done.emplace(node.get(), result);
        return result;
    };
    return visit(scalar);
}

Scalar substituteAxes(const Scalar& scalar, const std::vector<Index>& axisValues) {
    return rewrite(scalar, [&](const Scalar& node) -> Scalar {
        if (node->indices.empty()) return node;
        ScalarNode copy = *node;
        // Data-dependent parts were rewritten bottom-up already.
        for (Index& index : copy.indices) index = substituteAffinePart(index, axisValues);
        return make(std::move(copy));
    });
}

Scalar replaceLoads(const Scalar& scalar, int tensor, const std::function<Scalar(const Scalar&)>& replacement) {
    return rewrite(scalar, [&](const Scalar& node) -> Scalar {
        return node->op == ScalarOp::Load && node->tensor == tensor ? replacement(node) : node;
    });
}

std::vector<const ScalarNode*> loads(const Scalar& scalar) {
    std::vector<const ScalarNode*> result;
    std::unordered_set<const ScalarNode*> seen;
    std::function<void(const Scalar&)> visit = [&](const Scalar& node) {
        if (!node || !seen.insert(node.get()).second) return;
        for (const Scalar& operand : node->operands) visit(operand);
        for (const Index& index : node->indices) visitLoaded(index, visit);
        if (node->op == ScalarOp::Load) result.push_back(node.get());
    };
    visit(scalar);
    return result;
}

int operationCount(const Scalar& scalar) {
    int count = 0;
    std::unordered_set<const ScalarNode*> seen;
    std::function<void(const Scalar&)> visit = [&](const Scalar& node) {
        if (!node || !seen.insert(node.get()).second) return;
        if (!node->operands.empty() && node->op != ScalarOp::Cast) ++count;
        for (const Scalar& operand : node->operands) visit(operand);
    };
    visit(scalar);
    return count;
}

bool equal(const Scalar& a, const Scalar& b) {
    if (a == b) return true;
    if (!a || !b || a->op != b->op || a->dtype != b->dtype || a->tensor != b->tensor || a->guarded != b->guarded)
        return false;
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    if (!same(a->value, b->value) || !same(a->guardValue, b->guardValue)) return false;
    if (a->indices.size() != b->indices.size() || a->operands.size() != b->operands.size()) return false;
    for (size_t i = 0; i < a->indices.size(); ++i)
        if (!equal(a->indices[i], b->indices[i])) return false;
    for (size_t i = 0; i < a->operands.size(); ++i)
        if (!equal(a->operands[i], b->operands[i])) return false;
    return true;
}

namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    for (char& c : text)
        if (c == ',') c = '.';
    return text;
}

const char* infix(ScalarOp op) {
    switch (op) {
        case ScalarOp::Add:
            return " + ";
        case ScalarOp::Sub:
            return " - ";
        case ScalarOp::Mul:
            return " * ";
        case ScalarOp::Div:
            return " / ";
        case ScalarOp::Less:
            return " < ";
        case ScalarOp::LessEqual:
            return " <= ";
        case ScalarOp::Equal:
            return " == ";
        default:
            return nullptr;
    }
}

}  // namespace

std::string print(const Scalar& scalar, std::span<const std::string> tensorNames,
                  std::span<const std::string> axisNames, std::string_view accumulatorName) {
    if (!scalar) return std::string(accumulatorName);
    const auto child = [&](size_t i) {
        const Scalar& operand = scalar->operands[i];
        const std::string text = print(operand, tensorNames, axisNames, accumulatorName);
        return infix(scalar->op) && infix(operand->op) && scalar->op != operand->op ? "(" + text + ")" : text;
    };
    switch (scalar->op) {
        case ScalarOp::Constant:
            return number(scalar->value);
        case ScalarOp::Accumulator:
            return std::string(accumulatorName);
        case ScalarOp::AxisValue:
            return "index(" + print(scalar->indices[0], axisNames) + ")";
        case ScalarOp::Load: {
            const auto tensor = static_cast<size_t>(scalar->tensor);
            std::string text = tensor < tensorNames.size() ? tensorNames[tensor] : "t" + std::to_string(tensor);
            text += '[';
            for (size_t i = 0; i < scalar->indices.size(); ++i)
                text += (i ? ", " : "") + print(scalar->indices[i], axisNames);
            text += ']';
            if (scalar->guarded) text += " else " + number(scalar->guardValue);
            return scalar->guarded ? "(" + text + ")" : text;
        }
        case ScalarOp::Cast:
            return std::string(graph::dtypeName(scalar->dtype)) + "(" +
                   print(scalar->operands[0], tensorNames, axisNames, accumulatorName) + ")";
        default:
            break;
    }
    if (const char* sign = infix(scalar->op)) {
        std::string right = child(1);
        // a - (b - c) and a / (b / c) need their brackets
        if (scalar->operands[1]->op == scalar->op && (scalar->op == ScalarOp::Sub || scalar->op == ScalarOp::Div))
            right = "(" + right + ")";
        return child(0) + sign + right;
    }
    std::string text = std::string(scalarOpName(scalar->op)) + "(";
    for (size_t i = 0; i < scalar->operands.size(); ++i)
        text += (i ? ", " : "") + print(scalar->operands[i], tensorNames, axisNames, accumulatorName);
    return text + ")";
}

}  // namespace fettle::loop
