// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operators of two or more operands with numpy broadcasting: a name and a function per number type each.
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

enum class Out : uint8_t { Same, Bool };

struct BinaryRow {
    const char* name;
    int since;
    Out out;
    double (*onFloat)(double, double);
    int64_t (*onInt)(int64_t, int64_t);          // wraps
    uint64_t (*onUnsigned)(uint64_t, uint64_t);  // uint64 only: null where onInt gives the same bits
};

using I = int64_t;
using U = uint64_t;
I wrap(U value) {
    return static_cast<I>(value);
}

I power(I base, I exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    U result = 1, factor = static_cast<U>(base);
    for (; exponent > 0; exponent >>= 1, factor *= factor)
        if (exponent & 1) result *= factor;
    return wrap(result);
}

// Division by zero is refused before (see divisorCheck); the smallest integer by -1 wraps.
I quotient(I a, I b) {
    return b == -1 ? wrap(0 - static_cast<U>(a)) : a / b;
}
I floorMod(I a, I b) {
    if (b == -1) return 0;
    const I rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

const BinaryRow kBinary[] = {
    {"Add", 7, Out::Same, [](double a, double b) { return a + b; }, [](I a, I b) { return wrap(U(a) + U(b)); },
     nullptr},
    {"Sub", 7, Out::Same, [](double a, double b) { return a - b; }, [](I a, I b) { return wrap(U(a) - U(b)); },
     nullptr},
    {"Mul", 7, Out::Same, [](double a, double b) { return a * b; }, [](I a, I b) { return wrap(U(a) * U(b)); },
     nullptr},
    {"Div", 7, Out::Same, [](double a, double b) { return a / b; }, quotient, [](U a, U b) { return a / b; }},
    {"Mod", 10, Out::Same, [](double a, double b) { return std::fmod(a, b); }, floorMod,
     [](U a, U b) { return a % b; }},
    {"PRelu", 7, Out::Same, [](double a, double b) { return a < 0 ? a * b : a; },
     [](I a, I b) { return a < 0 ? wrap(U(a) * U(b)) : a; }, [](U a, U) { return a; }},
    {"And", 7, Out::Bool, nullptr, [](I a, I b) { return I{a && b}; }, nullptr},
    {"Or", 7, Out::Bool, nullptr, [](I a, I b) { return I{a || b}; }, nullptr},
    {"Xor", 7, Out::Bool, nullptr, [](I a, I b) { return I{!a != !b}; }, nullptr},
    {"Equal", 7, Out::Bool, [](double a, double b) { return double(a == b); }, [](I a, I b) { return I{a == b}; },
     nullptr},
    {"Less", 7, Out::Bool, [](double a, double b) { return double(a < b); }, [](I a, I b) { return I{a < b}; },
     [](U a, U b) { return U{a < b}; }},
    {"LessOrEqual", 12, Out::Bool, [](double a, double b) { return double(a <= b); },
     [](I a, I b) { return I{a <= b}; }, [](U a, U b) { return U{a <= b}; }},
    {"Greater", 7, Out::Bool, [](double a, double b) { return double(a > b); }, [](I a, I b) { return I{a > b}; },
     [](U a, U b) { return U{a > b}; }},
    {"GreaterOrEqual", 12, Out::Bool, [](double a, double b) { return double(a >= b); },
     [](I a, I b) { return I{a >= b}; }, [](U a, U b) { return U{a >= b}; }},
    {"BitwiseAnd", 18, Out::Same, nullptr, [](I a, I b) { return a & b; }, nullptr},
    {"BitwiseOr", 18, Out::Same, nullptr, [](I a, I b) { return a | b; }, nullptr},
    {"BitwiseXor", 18, Out::Same, nullptr, [](I a, I b) { return a ^ b; }, nullptr},
};

// Any number of operands, folded from the left.
const BinaryRow kVariadic[] = {
    {"Max", 7, Out::Same, [](double a, double b) { return std::isnan(a) || a > b ? a : b; },
     [](I a, I b) { return std::max(a, b); }, [](U a, U b) { return std::max(a, b); }},
    {"Min", 7, Out::Same, [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
     [](I a, I b) { return std::min(a, b); }, [](U a, U b) { return std::min(a, b); }},
    {"Sum", 7, Out::Same, [](double a, double b) { return a + b; }, [](I a, I b) { return wrap(U(a) + U(b)); },
     nullptr},
    {"Mean", 7, Out::Same, [](double a, double b) { return a + b; }, [](I a, I b) { return wrap(U(a) + U(b)); },
     nullptr},
};

Result<Types> binaryShape(const NodeView& view, const BinaryRow& row) {
    Shape shape = view.types[0]->shape;
    for (size_t i = 1; i < view.types.size(); ++i) {
        if (!view.has(i)) return bad(*view.node, "input " + std::to_string(i) + " is left out");
        FETTLE_TRY(shape, broadcast(*view.node, shape, view.types[i]->shape));
        FETTLE_CHECK(needSameType(view, {0, i}));
    }
    if (graph::isFloat(view.types[0]->dtype) && !row.onFloat)
        return bad(*view.node, std::string("the operator is not defined on ") + dtypeName(view.types[0]->dtype));
    return Types{{row.out == Out::Bool ? DType::Bool : view.types[0]->dtype, shape, {}}};
}

template <class T, class Function>
std::vector<T> combined(const std::vector<T>& a, const Shape& aShape, const std::vector<T>& b, const Shape& bShape,
                        const Shape& to, Function function) {
    std::vector<T> y(graph::elementCount(to));
    if (aShape == to && bShape == to) {
        for (size_t i = 0; i < y.size(); ++i) y[i] = function(a[i], b[i]);
        return y;
    }
    T* out = y.data();
    forEach<2>(to, {broadcastStrides(aShape, to), broadcastStrides(bShape, to)},
               [&](const std::array<int64_t, 2>& at) { *out++ = function(a[at[0]], b[at[1]]); });
    return y;
}

Status divisorCheck(const Node& node, const std::vector<int64_t>& divisor) {
    if ((node.op == "Div" || node.op == "Mod") && std::find(divisor.begin(), divisor.end(), 0) != divisor.end())
        return bad(node, "integer division by zero");
    return {};
}

int64_t fmodInt(int64_t a, int64_t b) {
    return b == -1 ? 0 : a % b;
}

Result<Tensor> binaryPair(const Node& node, const BinaryRow& row, const Tensor& a, const Tensor& b) {
    FETTLE_TRY(const Shape shape, broadcast(node, a.type.shape, b.type.shape));
    const DType dtype = a.type.dtype, out = row.out == Out::Bool ? DType::Bool : dtype;
    if (graph::isFloat(dtype))
        return graph::fromDoubles(out, shape,
                                  combined(toDoubles(a), a.type.shape, toDoubles(b), b.type.shape, shape, row.onFloat));
    const std::vector<int64_t> x = toInts(a), y = toInts(b);
    FETTLE_CHECK(divisorCheck(node, y));
    if (dtype == DType::UInt64 && row.onUnsigned)
        return fromInts(out, shape, combined(x, a.type.shape, y, b.type.shape, shape, [&](I p, I q) {
                            return wrap(row.onUnsigned(U(p), U(q)));
                        }));
    const bool truncating = node.op == "Mod" && node.intOr("fmod", 0) != 0;
    return fromInts(out, shape, combined(x, a.type.shape, y, b.type.shape, shape, truncating ? fmodInt : row.onInt));
}

Result<Tensors> binaryEvaluate(const Node& node, const BinaryRow& row, Inputs inputs) {
    Tensor result = *inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) {
        FETTLE_TRY(result, binaryPair(node, row, result, *inputs[i]));
    }
    if (node.op == "Mean" && inputs.size() > 1) {
        std::vector<double> values = toDoubles(result);
        for (double& value : values) value /= static_cast<double>(inputs.size());
        result = graph::fromDoubles(result.type.dtype, result.type.shape, values);
    }
    return Tensors{result};
}

// Pow-15: the exponent may have a type of its own; the result has the base's.
Result<Types> powShape(const NodeView& view) {
    FETTLE_TRY(const Shape shape, broadcast(*view.node, view.types[0]->shape, view.types[1]->shape));
    return Types{{view.types[0]->dtype, shape, {}}};
}

Result<Tensors> powEvaluate(const Node& node, Inputs inputs) {
    const Tensor &base = *inputs[0], &exponent = *inputs[1];
    FETTLE_TRY(const Shape shape, broadcast(node, base.type.shape, exponent.type.shape));
    if (!graph::isFloat(base.type.dtype) && !graph::isFloat(exponent.type.dtype))
        return Tensors{
            fromInts(base.type.dtype, shape,
                     combined(toInts(base), base.type.shape, toInts(exponent), exponent.type.shape, shape, power))};
    std::vector<double> y = combined(toDoubles(base), base.type.shape, toDoubles(exponent), exponent.type.shape, shape,
                                     [](double a, double b) { return std::pow(a, b); });
    if (!graph::isFloat(base.type.dtype))
        for (double& value : y) value = std::trunc(value);
    return Tensors{graph::fromDoubles(base.type.dtype, shape, y)};
}

Result<Types> bitShiftShape(const NodeView& view) {
    const std::string direction = view.node->stringOr("direction", "");
    if (direction != "LEFT" && direction != "RIGHT") return bad(*view.node, "direction is '" + direction + "'");
    return powShape(view);
}

Result<Tensors> bitShiftEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, bitShiftShape(viewOf(node, inputs)));
    const bool left = node.stringOr("direction", "") == "LEFT";
    auto shift = [left](I a, I b) { return b < 0 || b > 63 ? 0 : wrap(left ? U(a) << b : U(a) >> b); };
    return Tensors{fromInts(types[0].dtype, types[0].shape,
                            combined(toInts(*inputs[0]), inputs[0]->type.shape, toInts(*inputs[1]),
                                     inputs[1]->type.shape, types[0].shape, shift))};
}

OpRow rowOf(const BinaryRow& row, size_t least, size_t most) {
    RowSpec spec{row.name,
                 OpKind::Elementwise,
                 Fusion::Elementwise,
                 least,
                 most,
                 1,
                 row.name == std::string("Mod") ? "fmod:i" : "",
                 {},
                 {}};
    spec.shape = [row](const NodeView& view) { return binaryShape(view, row); };
    spec.evaluate = [row](const Node& node, Inputs inputs) { return binaryEvaluate(node, row, inputs); };
    spec.since = row.since;
    return makeRow(spec);
}

}  // namespace

std::vector<OpRow> binaryRows() {
    std::vector<OpRow> rows;
    for (const BinaryRow& row : kBinary) rows.push_back(rowOf(row, 2, 2));
    for (const BinaryRow& row : kVariadic) rows.push_back(rowOf(row, 1, kAnyNumber));
    const OpKind kind = OpKind::Elementwise;
    const Fusion fusion = Fusion::Elementwise;
    rows.push_back(makeRow({"Pow", kind, fusion, 2, 2, 1, "", powShape, powEvaluate}));
    rows.push_back(
        makeRow({"BitShift", kind, fusion, 2, 2, 1, "direction:s!", bitShiftShape, bitShiftEvaluate, nullptr, 11}));
    return rows;
}

}  // namespace fettle::ops
