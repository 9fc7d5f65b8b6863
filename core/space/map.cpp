// SPDX-License-Identifier: GPL-3.0-or-later
// Stages without a reduction: elementwise, movement, reorders. Lanes along the contiguous axis of the output, loops in
// the order of the output's memory, some vectors and rows unrolled.
#include <algorithm>
#include <cstdlib>

#include "core/space/stage_plan.h"

namespace fettle::space {
namespace {

enum Slot { Vectors, Rows, kSlots };

struct Axes {
    int lane = -1, row = -1;
    int64_t lanes = 1, laneVectors = 1;
};

Axes chooseAxes(const StageShape& shape, int prefix) {
    Axes axes;
    axes.lane = shape.laneAxis >= prefix ? shape.laneAxis : -1;
    if (axes.lane >= 0) {
        axes.lanes = shape.lanesOf(axes.lane);
        axes.laneVectors = (shape.extent(axes.lane) + axes.lanes - 1) / axes.lanes;
    }
    int64_t nearest = 0;
    for (const AxisShape& axis : shape.axes) {
        if (axis.axis < prefix || axis.axis == axes.lane || axis.extent < 2) continue;
        if (axes.row < 0 || std::abs(axis.outStep) < nearest) {
            axes.row = axis.axis;
            nearest = std::abs(axis.outStep);
        }
    }
    return axes;
}

const char* brokenMap(const StageShape& shape, const std::vector<int64_t>& v) {
    const int64_t bodies = v[Vectors] * v[Rows];
    return bodies > 16 || bodies * shape.opsPerPoint > 256 ? "too much unrolled" : nullptr;
}

std::vector<BuiltLoop> emitMap(const StageShape& shape, const Axes& axes, int prefix, const std::vector<int64_t>& v,
                               schedule::Trace& trace) {
    NestBuilder nest(shape);
    std::vector<std::optional<BuiltLoop>> lane(3), row(2);
    std::vector<BuiltLoop> outer;
    if (axes.lane >= 0) lane = nest.tile(axes.lane, {axes.lanes * v[Vectors], axes.lanes}, axes.lanes > 1);
    if (axes.row >= 0) row = nest.tile(axes.row, {v[Rows]});
    for (int k = 0; k < prefix; ++k) nest.serial(nest.tile(k, {}).back());
    for (const AxisShape& axis : shape.axes)
        if (axis.axis >= prefix && axis.axis != axes.lane && axis.axis != axes.row)
            outer.push_back(*nest.tile(axis.axis, {}).back());
    if (lane[0]) outer.push_back(*lane[0]);
    if (row[0]) outer.push_back(*row[0]);
    const auto step = [&](const BuiltLoop& loop) {
        return std::abs(shape.accesses.back().byteStep(loop.axis, loop.step));
    };
    std::stable_sort(outer.begin(), outer.end(),
                     [&](const BuiltLoop& a, const BuiltLoop& b) { return step(a) > step(b); });
    for (const BuiltLoop& loop : outer) nest.serial(loop);
    nest.unrolled(row[1]);
    nest.unrolled(lane[1]);
    if (axes.lanes > 1) nest.vectorized(lane[2]);
    nest.emit(trace);
    return nest.outerSpaceLoops();
}

}  // namespace

bool mapApplies(const StageShape& shape, int prefix) {
    return !shape.reduction && shape.points > 0 && static_cast<int>(shape.axes.size()) > prefix;
}

StagePlan map(const ShapePtr& shape, int prefix) {
    const Axes axes = chooseAxes(*shape, prefix);
    std::vector<Decision> decisions(kSlots);
    decisions[Vectors] = sizes("vectors", tileChoices(axes.laneVectors, 8), axes.laneVectors >= 4 ? 4 : 1);
    decisions[Rows] =
        sizes("rows", tileChoices(axes.row >= 0 ? shape->extent(axes.row) : 1, 8), axes.laneVectors >= 4 ? 1 : 2);
    StagePlan plan{shape, "vectors in memory order", std::move(decisions), {}, {}};
    plan.emit = [shape, axes, prefix](const std::vector<int64_t>& values, schedule::Trace& trace) {
        return emitMap(*shape, axes, prefix, values, trace);
    };
    plan.broken = [shape](const std::vector<int64_t>& values) { return brokenMap(*shape, values); };
    return plan;
}

}  // namespace fettle::space
