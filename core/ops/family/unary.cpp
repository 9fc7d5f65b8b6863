// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operators of one operand: a name and a function each.
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

// The attributes a and b of the operator (alpha and beta, or lambd and bias ...) reach the function as a and b.
using UnaryFunction = double (*)(double x, double a, double b);

struct UnaryRow {
    const char* name;
    int since;
    UnaryFunction function;
    const char* aName = nullptr;
    float a = 0;
    const char* bName = nullptr;
    float b = 0;
};

double sigmoid(double x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double softplus(double x) {
    return x > 30 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

const UnaryRow kUnary[] = {
    {"Relu", 7, [](double x, double, double) { return x < 0 ? 0 : x; }},
    {"LeakyRelu", 7, [](double x, double a, double) { return x < 0 ? a * x : x; }, "alpha", 0.01f},
    {"ThresholdedRelu", 10, [](double x, double a, double) { return x > a ? x : 0; }, "alpha", 1},
    {"Elu", 7, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, "alpha", 1},
    {"Celu", 12, [](double x, double a, double) { return x < 0 ? a * std::expm1(x / a) : x; }, "alpha", 1},
    {"Selu", 7, [](double x, double a, double b) { return x <= 0 ? b * a * std::expm1(x) : b * x; }, "alpha",
     1.67326319217681884765625f, "gamma", 1.05070102214813232421875f},
    {"Sigmoid", 7, [](double x, double, double) { return sigmoid(x); }},
    {"HardSigmoid", 7, [](double x, double a, double b) { return clamp01(a * x + b); }, "alpha", 0.2f, "beta", 0.5f},
    {"HardSwish", 14, [](double x, double, double) { return x * clamp01(x / 6 + 0.5); }},
    {"Swish", 24, [](double x, double a, double) { return x * sigmoid(a * x); }, "alpha", 1},
    {"Mish", 18, [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    {"Softplus", 7, [](double x, double, double) { return softplus(x); }},
    {"Softsign", 7, [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {"Shrink", 9, [](double x, double a, double b) { return x < -a  ? x + b
                                                            : x > a ? x - b
                                                                    : 0; }, "lambd", 0.5f,
     "bias", 0},
    {"Tanh", 7, [](double x, double, double) { return std::tanh(x); }},
    {"Erf", 9, [](double x, double, double) { return std::erf(x); }},
    {"Exp", 7, [](double x, double, double) { return std::exp(x); }},
    {"Log", 7, [](double x, double, double) { return std::log(x); }},
    {"Sqrt", 7, [](double x, double, double) { return std::sqrt(x); }},
    {"Reciprocal", 7, [](double x, double, double) { return 1 / x; }},
    {"Floor", 7, [](double x, double, double) { return std::floor(x); }},
    {"Ceil", 7, [](double x, double, double) { return std::ceil(x); }},
    {"Round", 11, [](double x, double, double) { return std::nearbyint(x); }},
    {"Sin", 7, [](double x, double, double) { return std::sin(x); }},
    {"Cos", 7, [](double x, double, double) { return std::cos(x); }},
    {"Tan", 7, [](double x, double, double) { return std::tan(x); }},
    {"Asin", 7, [](double x, double, double) { return std::asin(x); }},
    {"Acos", 7, [](double x, double, double) { return std::acos(x); }},
    {"Atan", 7, [](double x, double, double) { return std::atan(x); }},
    {"Sinh", 9, [](double x, double, double) { return std::sinh(x); }},
    {"Cosh", 9, [](double x, double, double) { return std::cosh(x); }},
    {"Asinh", 9, [](double x, double, double) { return std::asinh(x); }},
    {"Acosh", 9, [](double x, double, double) { return std::acosh(x); }},
    {"Atanh", 9, [](double x, double, double) { return std::atanh(x); }},
};

// Those that are defined on integers too, exactly.
struct IntegerRow {
    const char* name;
    int since;
    UnaryFunction onFloat;
    int64_t (*onInt)(int64_t);
};

const IntegerRow kExact[] = {
    {"Abs", 7, [](double x, double, double) { return std::fabs(x); },
     [](int64_t x) { return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x; }},
    {"Neg", 7, [](double x, double, double) { return -x; },
     [](int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }},
    {"Sign", 9, [](double x, double, double) { return static_cast<double>((x > 0) - (x < 0)); },
     [](int64_t x) { return int64_t{(x > 0) - (x < 0)}; }},
};

Result<Types> sameShape(const NodeView& view) {
    return Types{{view.types[0]->dtype, view.types[0]->shape, {}}};
}

Result<Types> boolShape(const NodeView& view) {
    return Types{{DType::Bool, view.types[0]->shape, {}}};
}

Tensors mapped(const Tensor& tensor, UnaryFunction function, double a, double b) {
    std::vector<double> x = toDoubles(tensor);
    for (double& value : x) value = function(value, a, b);
    return {graph::fromDoubles(tensor.type.dtype, tensor.type.shape, x)};
}

OpRow unaryRow(const UnaryRow& row) {
    RowSpec spec{row.name, OpKind::Elementwise, Fusion::Elementwise, 1, 1, 1, "", sameShape, {}, nullptr, row.since};
    static const char* const kAttributes[] = {"", "alpha:f", "alpha:f beta:f", "alpha:f gamma:f", "lambd:f bias:f"};
    spec.attributes = kAttributes[!row.aName ? 0 : !row.bName ? 1 : *row.bName == 'g' ? 3 : *row.aName == 'l' ? 4 : 2];
    spec.evaluate = [row](const Node& node, Inputs inputs) -> Result<Tensors> {
        return mapped(*inputs[0], row.function, row.aName ? node.floatOr(row.aName, row.a) : 0,
                      row.bName ? node.floatOr(row.bName, row.b) : 0);
    };
    return makeRow(spec);
}

OpRow exactRow(const IntegerRow& row) {
    RowSpec spec{row.name, OpKind::Elementwise, Fusion::Elementwise, 1, 1, 1, "", sameShape, {}, nullptr, row.since};
    spec.evaluate = [row](const Node&, Inputs inputs) -> Result<Tensors> {
        const TensorType& type = inputs[0]->type;
        if (graph::isFloat(type.dtype)) return mapped(*inputs[0], row.onFloat, 0, 0);
        std::vector<int64_t> x = toInts(*inputs[0]);
        for (int64_t& value : x) value = row.onInt(value);
        return Tensors{fromInts(type.dtype, type.shape, x)};
    };
    return makeRow(spec);
}

Result<Tensors> geluEvaluate(const Node& node, Inputs inputs) {
    if (node.stringOr("approximate", "none") == "tanh")
        return mapped(
            *inputs[0],
            [](double x, double, double) {
                return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
            },
            0, 0);
    return mapped(
        *inputs[0], [](double x, double, double) { return 0.5 * x * (1 + std::erf(x * 0.7071067811865476)); }, 0, 0);
}

// Results of a test per element.
template <class Test>
Result<Tensors> tested(const Tensor& tensor, Test test) {
    std::vector<int64_t> y;
    for (double x : toDoubles(tensor)) y.push_back(test(x));
    return Tensors{fromInts(DType::Bool, tensor.type.shape, y)};
}

Result<Tensors> notEvaluate(const Node&, Inputs inputs) {
    return tested(*inputs[0], [](double x) { return x == 0; });
}

Result<Tensors> isNanEvaluate(const Node&, Inputs inputs) {
    return tested(*inputs[0], [](double x) { return std::isnan(x); });
}

Result<Tensors> isInfEvaluate(const Node& node, Inputs inputs) {
    const bool positive = node.intOr("detect_positive", 1) != 0, negative = node.intOr("detect_negative", 1) != 0;
    return tested(*inputs[0], [=](double x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

}  // namespace

std::vector<OpRow> unaryRows() {
    std::vector<OpRow> rows;
    for (const UnaryRow& row : kUnary) rows.push_back(unaryRow(row));
    for (const IntegerRow& row : kExact) rows.push_back(exactRow(row));
    const OpKind kind = OpKind::Elementwise;
    const Fusion fusion = Fusion::Elementwise;
    rows.push_back(makeRow({"Gelu", kind, fusion, 1, 1, 1, "approximate:s", sameShape, geluEvaluate, nullptr, 20}));
    rows.push_back(makeRow({"Not", kind, fusion, 1, 1, 1, "", boolShape, notEvaluate}));
    rows.push_back(makeRow({"IsNaN", kind, fusion, 1, 1, 1, "", boolShape, isNanEvaluate, nullptr, 9}));
    rows.push_back(makeRow({"IsInf", kind, fusion, 1, 1, 1, "detect_negative:i detect_positive:i", boolShape,
                            isInfEvaluate, nullptr, 10}));
    return rows;
}

}  // namespace fettle::ops
