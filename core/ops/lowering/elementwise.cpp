// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operators: a table from ONNX name to the scalar expression of its operands.
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using graph::DType;
using graph::Node;
using loop::ScalarOp;

namespace {

using Operands = std::vector<Scalar>;  // absent optional inputs are null
using Build = Scalar (*)(const Node&, const Operands&);

Scalar like(const Scalar& x, double value) {
    return loop::constant(value, x->dtype);
}
Scalar two(ScalarOp op, const Scalar& a, const Scalar& b) {
    return loop::binary(op, a, b);
}
Scalar one(ScalarOp op, const Scalar& a) {
    return loop::unary(op, a);
}
Scalar greater(const Scalar& a, const Scalar& b) {
    return two(ScalarOp::Less, b, a);
}

template <ScalarOp op>
Scalar plainUnary(const Node&, const Operands& in) {
    return one(op, in[0]);
}
template <ScalarOp op>
Scalar plainBinary(const Node&, const Operands& in) {
    return two(op, in[0], in[1]);
}
template <ScalarOp op>
Scalar variadic(const Node&, const Operands& in) {
    Scalar result = in[0];
    for (size_t i = 1; i < in.size(); ++i) result = two(op, result, in[i]);
    return result;
}

Scalar relu(const Node&, const Operands& in) {
    return two(ScalarOp::Max, in[0], like(in[0], 0));
}

Scalar leakyRelu(const Node& node, const Operands& in) {
    const Scalar scaled = mul(in[0], like(in[0], node.floatOr("alpha", 0.01f)));
    return loop::select(two(ScalarOp::Less, in[0], like(in[0], 0)), scaled, in[0]);
}

Scalar prelu(const Node&, const Operands& in) {
    return loop::select(two(ScalarOp::Less, in[0], like(in[0], 0)), mul(in[0], in[1]), in[0]);
}

Scalar thresholdedRelu(const Node& node, const Operands& in) {
    const Scalar alpha = like(in[0], node.floatOr("alpha", 1));
    return loop::select(greater(in[0], alpha), in[0], like(in[0], 0));
}

// exp(x)-1 of negative x only, so that large positive x do not overflow.
Scalar expMinusOne(const Scalar& x) {
    return sub(one(ScalarOp::Exp, two(ScalarOp::Min, x, like(x, 0))), like(x, 1));
}

Scalar elu(const Node& node, const Operands& in) {
    const Scalar negative = mul(like(in[0], node.floatOr("alpha", 1)), expMinusOne(in[0]));
    return loop::select(two(ScalarOp::Less, in[0], like(in[0], 0)), negative, in[0]);
}

Scalar selu(const Node& node, const Operands& in) {
    const double alpha = node.floatOr("alpha", 1.67326319217681884765625f);
    const double gamma = node.floatOr("gamma", 1.05070102214813232421875f);
    const Scalar negative = mul(like(in[0], alpha * gamma), expMinusOne(in[0]));
    return loop::select(two(ScalarOp::Less, in[0], like(in[0], 0)), negative, mul(in[0], like(in[0], gamma)));
}

Scalar celu(const Node& node, const Operands& in) {
    const double alpha = node.floatOr("alpha", 1);
    const Scalar negative = mul(like(in[0], alpha), expMinusOne(mul(in[0], like(in[0], 1 / alpha))));
    return loop::select(two(ScalarOp::Less, in[0], like(in[0], 0)), negative, in[0]);
}

Scalar clampUnit(const Scalar& x) {
    return two(ScalarOp::Min, two(ScalarOp::Max, x, like(x, 0)), like(x, 1));
}

Scalar hardSigmoid(const Node& node, const Operands& in) {
    const Scalar line =
        add(mul(in[0], like(in[0], node.floatOr("alpha", 0.2f))), like(in[0], node.floatOr("beta", 0.5f)));
    return clampUnit(line);
}

Scalar hardSwish(const Node&, const Operands& in) {
    return mul(in[0], clampUnit(add(mul(in[0], like(in[0], 1.0 / 6)), like(in[0], 0.5))));
}

Scalar shrink(const Node& node, const Operands& in) {
    const Scalar &x = in[0], bias = like(x, node.floatOr("bias", 0));
    const double lambda = node.floatOr("lambd", 0.5f);
    return loop::select(two(ScalarOp::Less, x, like(x, -lambda)), add(x, bias),
                        loop::select(greater(x, like(x, lambda)), sub(x, bias), like(x, 0)));
}

Scalar softplusOf(const Scalar& x) {
    const Scalar small = one(ScalarOp::Exp, one(ScalarOp::Neg, one(ScalarOp::Abs, x)));
    return add(two(ScalarOp::Max, x, like(x, 0)), one(ScalarOp::Log, add(small, like(x, 1))));
}

Scalar softplus(const Node&, const Operands& in) {
    return softplusOf(in[0]);
}

Scalar softsign(const Node&, const Operands& in) {
    return div(in[0], add(one(ScalarOp::Abs, in[0]), like(in[0], 1)));
}

Scalar mish(const Node&, const Operands& in) {
    return mul(in[0], one(ScalarOp::Tanh, softplusOf(in[0])));
}

Scalar swish(const Node& node, const Operands& in) {
    const float alpha = node.floatOr("alpha", 1);
    return mul(in[0], one(ScalarOp::Sigmoid, alpha == 1 ? in[0] : mul(in[0], like(in[0], alpha))));
}

Scalar gelu(const Node& node, const Operands& in) {
    const Scalar& x = in[0];
    Scalar inner;
    if (node.stringOr("approximate", "none") == "tanh") {
        const Scalar cube = mul(mul(x, x), mul(x, like(x, 0.044715)));
        inner = one(ScalarOp::Tanh, mul(add(x, cube), like(x, std::sqrt(2 / M_PI))));
    } else {
        inner = one(ScalarOp::Erf, mul(x, like(x, std::sqrt(0.5))));
    }
    return mul(mul(x, like(x, 0.5)), add(inner, like(x, 1)));
}

Scalar sign(const Node&, const Operands& in) {
    const Scalar zero = like(in[0], 0);
    return loop::select(greater(in[0], zero), like(in[0], 1),
                        loop::select(two(ScalarOp::Less, in[0], zero), like(in[0], -1), zero));
}

// Up to opset 10 the bounds are attributes.
Scalar clip(const Node& node, const Operands& in) {
    Scalar x = in[0];
    const bool attributes = node.opset < 11;
    if (attributes && node.attributes.contains("min")) x = two(ScalarOp::Max, x, like(x, node.floatOr("min", 0)));
    if (attributes && node.attributes.contains("max")) x = two(ScalarOp::Min, x, like(x, node.floatOr("max", 0)));
    if (in.size() > 1 && in[1]) x = two(ScalarOp::Max, x, in[1]);
    if (in.size() > 2 && in[2]) x = two(ScalarOp::Min, x, in[2]);
    return x;
}

Scalar power(const Node&, const Operands& in) {
    const Scalar& x = in[0];
    const Scalar& exponent = in[1];
    if (exponent->op == ScalarOp::Constant && graph::isFloat(x->dtype)) {
        if (exponent->value == 1) return x;
        if (exponent->value == 2) return mul(x, x);
        if (exponent->value == 3) return mul(mul(x, x), x);
        if (exponent->value == 0.5) return one(ScalarOp::Sqrt, x);
        if (exponent->value == -1) return one(ScalarOp::Reciprocal, x);
    }
    return two(ScalarOp::Pow, x, loop::cast(exponent, x->dtype));
}

Scalar divide(const Node&, const Operands& in) {
    const Scalar& by = in[1];
    // A product with the reciprocal is within an ulp or so of the quotient, and several times faster.
    if (by->op == ScalarOp::Constant && graph::isFloat(by->dtype) && by->value != 0)
        return mul(in[0], like(in[0], 1 / by->value));
    return div(in[0], by);
}

// Mod-13: integers take the sign of the divisor unless fmod is set; ScalarOp::Mod gives that of the dividend.
Scalar modulo(const Node& node, const Operands& in) {
    const Scalar rest = two(ScalarOp::Mod, in[0], in[1]);
    const Scalar zero = like(rest, 0);
    if (node.intOr("fmod", 0) != 0 || graph::isUnsigned(rest->dtype)) return rest;
    const Scalar sameSign = two(ScalarOp::Equal, two(ScalarOp::Less, rest, zero), two(ScalarOp::Less, in[1], zero));
    return loop::select(two(ScalarOp::Or, two(ScalarOp::Equal, rest, zero), sameSign), rest, add(rest, in[1]));
}

Scalar mean(const Node& node, const Operands& in) {
    return mul(variadic<ScalarOp::Add>(node, in), like(in[0], 1.0 / static_cast<double>(in.size())));
}

Scalar greaterThan(const Node&, const Operands& in) {
    return greater(in[0], in[1]);
}
Scalar greaterOrEqual(const Node&, const Operands& in) {
    return two(ScalarOp::LessEqual, in[1], in[0]);
}
Scalar exclusiveOr(const Node&, const Operands& in) {
    return one(ScalarOp::Not, two(ScalarOp::Equal, in[0], in[1]));
}
Scalar where(const Node&, const Operands& in) {
    return loop::select(in[0], in[1], in[2]);
}

Scalar castTo(const Node& node, const Operands& in) {
    const auto to = static_cast<DType>(node.intOr("to", 0));
    if (to == DType::Bool && in[0]->dtype != DType::Bool)
        return one(ScalarOp::Not, two(ScalarOp::Equal, in[0], like(in[0], 0)));
    return loop::cast(in[0], to);
}

const std::unordered_map<std::string, Build>& table() {
    static const std::unordered_map<std::string, Build> kTable = {
        {"Abs", plainUnary<ScalarOp::Abs>},
        {"Add", plainBinary<ScalarOp::Add>},
        {"And", plainBinary<ScalarOp::And>},
        {"Cast", castTo},
        {"Ceil", plainUnary<ScalarOp::Ceil>},
        {"Celu", celu},
        {"Clip", clip},
        {"Cos", plainUnary<ScalarOp::Cos>},
        {"Div", divide},
        {"Elu", elu},
        {"Equal", plainBinary<ScalarOp::Equal>},
        {"Erf", plainUnary<ScalarOp::Erf>},
        {"Exp", plainUnary<ScalarOp::Exp>},
        {"Floor", plainUnary<ScalarOp::Floor>},
        {"Gelu", gelu},
        {"Greater", greaterThan},
        {"GreaterOrEqual", greaterOrEqual},
        {"HardSigmoid", hardSigmoid},
        {"HardSwish", hardSwish},
        {"LeakyRelu", leakyRelu},
        {"Less", plainBinary<ScalarOp::Less>},
        {"LessOrEqual", plainBinary<ScalarOp::LessEqual>},
        {"Log", plainUnary<ScalarOp::Log>},
        {"Max", variadic<ScalarOp::Max>},
        {"Mean", mean},
        {"Min", variadic<ScalarOp::Min>},
        {"Mish", mish},
        {"Mod", modulo},
        {"Mul", plainBinary<ScalarOp::Mul>},
        {"Neg", plainUnary<ScalarOp::Neg>},
        {"Not", plainUnary<ScalarOp::Not>},
        {"Or", plainBinary<ScalarOp::Or>},
        {"PRelu", prelu},
        {"Pow", power},
        {"Reciprocal", plainUnary<ScalarOp::Reciprocal>},
        {"Relu", relu},
        {"Round", plainUnary<ScalarOp::Round>},
        {"Selu", selu},
        {"Shrink", shrink},
        {"Sigmoid", plainUnary<ScalarOp::Sigmoid>},
        {"Sign", sign},
        {"Sin", plainUnary<ScalarOp::Sin>},
        {"Softplus", softplus},
        {"Softsign", softsign},
        {"Sqrt", plainUnary<ScalarOp::Sqrt>},
        {"Sub", plainBinary<ScalarOp::Sub>},
        {"Sum", variadic<ScalarOp::Add>},
        {"Swish", swish},
        {"Tanh", plainUnary<ScalarOp::Tanh>},
        {"ThresholdedRelu", thresholdedRelu},
        {"Where", where},
        {"Xor", exclusiveOr},
    };
    return kTable;
}

}  // namespace

Status elementwise(const NodeView& view, Lowering& lowering) {
    const Node& node = *view.node;
    const auto row = table().find(node.op);
    if (row == table().end()) return cannotLower(node, "there is no loop form of this elementwise operator");
    const graph::TensorType& out = lowering.outputType();
    if (node.op == "Mod" && graph::isFloat(out.dtype)) return cannotLower(node, "Mod of floats is not compiled");

    loop::Stage stage;
    stage.name = lowering.name();
    stage.axes = outputAxes(out.shape);
    const Indices point = axisIndices(out.shape.size());
    Operands operands;
    for (size_t i = 0; i < node.inputs.size(); ++i)
        operands.push_back(view.has(i) ? lowering.read(i, broadcastIndices(view.types[i]->shape, point)) : nullptr);
    stage.body = row->second(node, operands);
    stage.output = lowering.outputTensor();
    stage.outputIndices = point;
    lowering.add(std::move(stage));
    return {};
}

// BatchNormalization left after folding: (x - mean) * scale / sqrt(var + epsilon) + bias, per channel.
Status batchNorm(const NodeView& view, Lowering& lowering) {
    const graph::TensorType& out = lowering.outputType();
    loop::Stage stage;
    stage.name = lowering.name();
    stage.axes = outputAxes(out.shape);
    const Indices point = axisIndices(out.shape.size());
    const Indices channel = {out.shape.size() > 1 ? Index::axis(1) : Index(0)};
    const Scalar variance = add(lowering.read(4, channel), loop::constant(view.node->floatOr("epsilon", 1e-5f)));
    const Scalar scale = mul(lowering.read(1, channel), one(ScalarOp::Rsqrt, variance));
    stage.body = add(mul(sub(lowering.read(0, point), lowering.read(3, channel)), scale), lowering.read(2, channel));
    stage.output = lowering.outputTensor();
    stage.outputIndices = point;
    lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
