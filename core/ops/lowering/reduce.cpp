// SPDX-License-Identifier: GPL-3.0-or-later
// The Reduce family: body, reduction and epilogue of each in one table row.
#include <unordered_map>

#include "core/ops/lowering/lowering.h"
#include "core/ops/lowering/lowerings.h"

namespace fettle::ops::lower {

using loop::AxisKind;
using loop::Reduction;
using loop::ScalarOp;

namespace {

struct ReduceRow {
    Reduction reduction;
    Scalar (*body)(const Scalar& x);
    Scalar (*epilogue)(const Scalar& accumulated, double count);
};

Scalar same(const Scalar& x) {
    return x;
}
Scalar absolute(const Scalar& x) {
    return loop::unary(ScalarOp::Abs, x);
}
Scalar square(const Scalar& x) {
    return mul(x, x);
}
Scalar exponential(const Scalar& x) {
    return loop::unary(ScalarOp::Exp, x);
}
Scalar keepIt(const Scalar& a, double) {
    return a;
}
Scalar average(const Scalar& a, double count) {
    return graph::isFloat(a->dtype) ? mul(a, loop::constant(1 / count, a->dtype))
                                    : div(a, loop::constant(count, a->dtype));
}
Scalar root(const Scalar& a, double) {
    return loop::unary(ScalarOp::Sqrt, a);
}
Scalar logarithm(const Scalar& a, double) {
    return loop::unary(ScalarOp::Log, a);
}

const std::unordered_map<std::string, ReduceRow>& table() {
    static const std::unordered_map<std::string, ReduceRow> kTable = {
        {"ReduceSum", {Reduction::Sum, same, keepIt}},
        {"ReduceMean", {Reduction::Sum, same, average}},
        {"ReduceMax", {Reduction::Max, same, keepIt}},
        {"ReduceMin", {Reduction::Min, same, keepIt}},
        {"ReduceProd", {Reduction::Product, same, keepIt}},
        {"ReduceL1", {Reduction::Sum, absolute, keepIt}},
        {"ReduceL2", {Reduction::Sum, square, root}},
        {"ReduceSumSquare", {Reduction::Sum, square, keepIt}},
        {"ReduceLogSum", {Reduction::Sum, same, logarithm}},
        {"ReduceLogSumExp", {Reduction::Sum, exponential, logarithm}},
    };
    return kTable;
}

}  // namespace

// Space axes carry the names of an output of the input's rank; reduced dimensions become reduce axes "r0", "r1" ...
Status reduce(const NodeView& view, Lowering& lowering) {
    const graph::Node& node = *view.node;
    const auto found = table().find(node.op);
    if (found == table().end()) return cannotLower(node, "there is no loop form of this reduction");
    const graph::Shape& in = view.types[0]->shape;
    const size_t rank = in.size();
    std::vector<int64_t> axes = intsOf(view, 1, "axes").value_or(std::vector<int64_t>{});
    if (view.has(1) && !view.constants[1]) return cannotLower(node, "its axes are not constant");
    std::vector<bool> reduced(rank, axes.empty() && node.intOr("noop_with_empty_axes", 0) == 0);
    for (int64_t axis : axes) reduced[static_cast<size_t>(normalAxis(axis, rank))] = true;

    loop::Stage stage;
    stage.name = lowering.name();
    const bool keepDims = node.intOr("keepdims", 1) != 0;
    const std::vector<loop::Axis> names = outputAxes(in);
    Indices from(rank, Index(0)), to;
    for (size_t d = 0; d < rank; ++d) {
        if (!reduced[d]) {
            from[d] = Index::axis(static_cast<int>(stage.axes.size()));
            to.push_back(from[d]);
            stage.axes.push_back(names[d]);
        } else if (keepDims) {
            to.push_back(Index(0));
        }
    }
    double count = 1;
    for (size_t d = 0; d < rank; ++d) {
        if (!reduced[d]) continue;
        from[d] = Index::axis(static_cast<int>(stage.axes.size()));
        stage.axes.push_back({names[d].name, in[d], AxisKind::Reduce});
        count *= static_cast<double>(in[d]);
    }
    const ReduceRow& row = found->second;
    stage.reduction = row.reduction;
    stage.body = row.body(lowering.read(0, from));
    stage.epilogue = row.epilogue(loop::accumulator(view.types[0]->dtype), count);
    stage.output = lowering.outputTensor();
    stage.outputIndices = to;
    lowering.add(std::move(stage));
    return {};
}

}  // namespace fettle::ops::lower
