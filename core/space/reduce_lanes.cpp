// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes over a reduce axis that is contiguous in memory: dot products, row sums, row maxima. Several rows at once keep
// several accumulators.
//   others, Q0, R0 | other reduce, K0 | K1 unrolled, Q1, R1, lanes of K
#include <algorithm>

#include "core/space/stage_plan.h"

namespace fettle::space {
namespace {

enum Slot { Rows, Rows2, UnrollSteps, kSlots };

struct Axes {
    int lane = -1, row = -1, second = -1;
    std::vector<int> others;
    int64_t lanes = 1, steps = 1;
};

Axes chooseAxes(const StageShape& shape, int prefix) {
    Axes axes;
    axes.lane = shape.reduceLaneAxis;
    axes.lanes = shape.lanesOf(axes.lane);
    axes.steps = shape.extent(axes.lane) / axes.lanes;
    const std::vector<int> rows = shape.rowAxes(axes.lane, prefix);
    if (!rows.empty()) axes.row = rows[0];
    if (rows.size() > 1) axes.second = rows[1];
    for (const AxisShape& axis : shape.axes)
        if (!axis.reduce && axis.axis >= prefix && axis.axis != axes.row && axis.axis != axes.second)
            axes.others.push_back(axis.axis);
    axes.others = byStride(shape, axes.others);
    return axes;
}

std::vector<int64_t> stepChoices(int64_t steps) {
    std::vector<int64_t> choices{1};
    for (int64_t size = 2; size <= std::min<int64_t>(steps, 8); size *= 2) choices.push_back(size);
    return choices;
}

const char* brokenLanes(const StageShape& shape, const std::vector<int64_t>& v) {
    const int64_t rows = v[Rows] * v[Rows2];
    if (rows > shape.registers / 2) return "the accumulators do not fit the vector registers";
    if (rows * v[UnrollSteps] > 128) return "more than 128 bodies unrolled";
    return nullptr;
}

std::vector<BuiltLoop> emitLanes(const StageShape& shape, const Axes& axes, int prefix, const std::vector<int64_t>& v,
                                 schedule::Trace& trace) {
    NestBuilder nest(shape);
    const auto lane = nest.tile(axes.lane, {axes.lanes * v[UnrollSteps], axes.lanes}, axes.lanes > 1);
    std::vector<std::optional<BuiltLoop>> row(2), second(2);
    if (axes.row >= 0) row = nest.tile(axes.row, {v[Rows]});
    if (axes.second >= 0) second = nest.tile(axes.second, {v[Rows2]});
    const ReduceLoops reduce = reduceLoops(shape, nest, 1, true, axes.lane);
    for (int k = 0; k < prefix; ++k) nest.serial(nest.tile(k, {}).back());
    for (int axis : axes.others) nest.serial(nest.tile(axis, {}).back());
    nest.serial(second[0]);
    nest.serial(row[0]);
    for (const BuiltLoop& loop : reduce.serial) nest.serial(loop);
    nest.serial(lane[0]);
    nest.unrolled(lane[1]);
    nest.unrolled(second[1]);
    nest.unrolled(row[1]);
    if (axes.lanes > 1) nest.vectorized(lane[2]);
    nest.emit(trace);
    return nest.outerSpaceLoops();
}

}  // namespace

bool reduceLanesApply(const StageShape& shape, int) {
    return shape.reduction && shape.points > 0 && shape.reduceLaneAxis >= 0 && shape.lanesOf(shape.reduceLaneAxis) > 1;
}

StagePlan reduceLanes(const ShapePtr& shape, int prefix) {
    const Axes axes = chooseAxes(*shape, prefix);
    const int64_t rowExtent = axes.row >= 0 ? shape->extent(axes.row) : 1;
    const int64_t secondExtent = axes.second >= 0 ? shape->extent(axes.second) : 1;
    std::vector<Decision> decisions(kSlots);
    decisions[Rows] = sizes("rows", tileChoices(rowExtent, 8), 4);
    decisions[Rows2] = sizes("second rows", tileChoices(secondExtent, 6), 1);
    decisions[UnrollSteps] = sizes("unroll", stepChoices(axes.steps), rowExtent >= 4 ? 1 : 4);
    StagePlan plan{shape, "lanes over the reduction", std::move(decisions), {}, {}};
    plan.emit = [shape, axes, prefix](const std::vector<int64_t>& values, schedule::Trace& trace) {
        return emitLanes(*shape, axes, prefix, values, trace);
    };
    plan.broken = [shape](const std::vector<int64_t>& values) { return brokenLanes(*shape, values); };
    return plan;
}

}  // namespace fettle::space
