// SPDX-License-Identifier: GPL-3.0-or-later
// Reduce*-18 (axes as attribute or input), ArgMax-13, ArgMin-13.
#include <cmath>

#include "core/ops/family/rule.h"

namespace fettle::ops {

namespace {

struct ReduceRow {
    const char* name;
    int axesInputSince;  // opset from which axes are an input
    double start;
    double (*step)(double sum, double x);
    double (*finish)(double sum, double count);
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
double asIs(double sum, double) {
    return sum;
}

const ReduceRow kReduce[] = {
    {"ReduceSum", 13, 0, [](double s, double x) { return s + x; }, asIs},
    {"ReduceMean", 18, 0, [](double s, double x) { return s + x; }, [](double s, double n) { return s / n; }},
    {"ReduceMax", 18, -kInfinity, [](double s, double x) { return std::isnan(x) || x > s ? x : s; }, asIs},
    {"ReduceMin", 18, kInfinity, [](double s, double x) { return std::isnan(x) || x < s ? x : s; }, asIs},
    {"ReduceProd", 18, 1, [](double s, double x) { return s * x; }, asIs},
    {"ReduceL1", 18, 0, [](double s, double x) { return s + std::fabs(x); }, asIs},
    {"ReduceL2", 18, 0, [](double s, double x) { return s + x * x; }, [](double s, double) { return std::sqrt(s); }},
    {"ReduceSumSquare", 18, 0, [](double s, double x) { return s + x * x; }, asIs},
    {"ReduceLogSum", 18, 0, [](double s, double x) { return s + x; }, [](double s, double) { return std::log(s); }},
    {"ReduceLogSumExp", 18, 0, [](double s, double x) { return s + std::exp(x); },
     [](double s, double) { return std::log(s); }},
};

// The reduced axes, sorted; nothing when the node is an identity (noop_with_empty_axes).
Result<std::vector<int64_t>> axesOf(const NodeView& view, int axesInputSince) {
    const Node& node = *view.node;
    const size_t rank = view.types[0]->shape.size();
    std::vector<int64_t> axes;
    if (node.opset < axesInputSince) {
        axes = node.intsOr("axes", {});
    } else if (view.has(1)) {
        FETTLE_TRY(axes, constantInts(view, 1, "axes"));
    }
    if (axes.empty()) {
        if (node.opset >= axesInputSince && node.intOr("noop_with_empty_axes", 0) != 0) return axes;
        for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    }
    return normalAxes(node, axes, rank);
}

Shape reducedShape(const Shape& shape, const std::vector<int64_t>& axes, bool keep) {
    Shape result;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i)))
            result.push_back(shape[i]);
        else if (keep)
            result.push_back(1);
    }
    return result;
}

Result<Types> reduceShape(const NodeView& view, int axesInputSince) {
    FETTLE_TRY(const std::vector<int64_t> axes, axesOf(view, axesInputSince));
    const bool keep = view.node->intOr("keepdims", 1) != 0;
    return Types{{view.types[0]->dtype, reducedShape(view.types[0]->shape, axes, keep), {}}};
}

Result<Tensors> reduceEvaluate(const Node& node, const ReduceRow& row, Inputs inputs) {
    const NodeView view = viewOf(node, inputs);
    FETTLE_TRY(const Types types, reduceShape(view, row.axesInputSince));
    FETTLE_TRY(const std::vector<int64_t> axes, axesOf(view, row.axesInputSince));
    const Tensor& x = *inputs[0];
    if (axes.empty()) {
        if (!x.type.shape.empty()) return Tensors{x};
    }
    const Shape kept = reducedShape(x.type.shape, axes, true);
    std::vector<double> sums(graph::elementCount(kept), row.start);
    const std::vector<double> values = toDoubles(x);
    const double* in = values.data();
    forEach<1>(x.type.shape, {broadcastStrides(kept, x.type.shape)},
               [&](const std::array<int64_t, 1>& at) { sums[at[0]] = row.step(sums[at[0]], *in++); });
    const double count = sums.empty() ? 1 : static_cast<double>(values.size()) / static_cast<double>(sums.size());
    for (double& sum : sums) sum = row.finish(sum, count);
    return Tensors{graph::fromDoubles(types[0].dtype, types[0].shape, sums)};
}

Result<Types> argShape(const NodeView& view) {
    FETTLE_CHECK(needRank(view, 0, 1, "data"));
    const Shape& shape = view.types[0]->shape;
    FETTLE_TRY(const int64_t axis, normalAxis(*view.node, view.node->intOr("axis", 0), shape.size()));
    if (shape[axis] == 0) return bad(*view.node, "the axis to search is empty");
    return Types{{DType::Int64, reducedShape(shape, {axis}, view.node->intOr("keepdims", 1) != 0), {}}};
}

template <bool Max>
Result<Tensors> argEvaluate(const Node& node, Inputs inputs) {
    FETTLE_TRY(const Types types, argShape(viewOf(node, inputs)));
    const Shape& shape = inputs[0]->type.shape;
    FETTLE_TRY(const int64_t axis, normalAxis(node, node.intOr("axis", 0), shape.size()));
    const bool last = node.intOr("select_last_index", 0) != 0;
    const std::vector<double> x = toDoubles(*inputs[0]);
    const int64_t inner = graph::elementCount({shape.begin() + axis + 1, shape.end()}), length = shape[axis];
    std::vector<int64_t> y;
    for (int64_t start = 0; start < static_cast<int64_t>(x.size()); start += length * inner)
        for (int64_t i = start; i < start + inner; ++i) {
            int64_t best = 0;
            for (int64_t j = 1; j < length; ++j) {
                const double value = x[i + j * inner], record = x[i + best * inner];
                if (Max ? value > record : value < record) best = j;
                if (last && value == record) best = j;
            }
            y.push_back(best);
        }
    return Tensors{fromInts(DType::Int64, types[0].shape, y)};
}

}  // namespace

std::vector<OpRow> reduceRows() {
    std::vector<OpRow> rows;
    for (const ReduceRow& row : kReduce) {
        RowSpec spec{row.name, OpKind::Pool, Fusion::Anchor, 1, 2, 1, "axes:I keepdims:i noop_with_empty_axes:i", {},
                     {}};
        spec.shape = [since = row.axesInputSince](const NodeView& view) { return reduceShape(view, since); };
        spec.evaluate = [row](const Node& node, Inputs inputs) { return reduceEvaluate(node, row, inputs); };
        rows.push_back(makeRow(spec));
    }
    const char* attributes = "axis:i keepdims:i select_last_index:i";
    rows.push_back(makeRow({"ArgMax", OpKind::Pool, Fusion::Opaque, 1, 1, 1, attributes, argShape, argEvaluate<true>}));
    rows.push_back(
        makeRow({"ArgMin", OpKind::Pool, Fusion::Opaque, 1, 1, 1, attributes, argShape, argEvaluate<false>}));
    return rows;
}

}  // namespace fettle::ops
