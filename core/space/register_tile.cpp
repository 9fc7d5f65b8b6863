// SPDX-License-Identifier: GPL-3.0-or-later
// Register tile with lanes over a space axis: convolution, matrix product, depthwise, pooling, column reductions.
//   others, P0, L0, P1, R0, L1 | reduce | reduce unrolled, Q1, R1, L2, lanes
// L: the lane axis, R: the axis that reuses most of what the lanes load, Q: the next such axis; P is Q, or R when there
// is no Q. L1 and P1 are cache blocks: L1 whole and P1 one is input-stationary, the other way round weight-stationary.
#include <algorithm>

#include "core/space/stage_plan.h"

namespace fettle::space {
namespace {

constexpr int64_t kBodyLimit = 256;  // bodies emitted at once: beyond, compiling takes longer and code gets slower
constexpr int64_t kAllOf = int64_t{1} << 40;

struct Axes {
    int lane = -1, row = -1, second = -1;
    std::vector<int> others;
    int64_t lanes = 1, laneVectors = 1;
};

Axes chooseAxes(const StageShape& shape, int prefix) {
    Axes axes;
    axes.lane = shape.laneAxis;
    axes.lanes = shape.lanesOf(axes.lane);
    axes.laneVectors = (shape.extent(axes.lane) + axes.lanes - 1) / axes.lanes;
    const std::vector<int> rows = shape.rowAxes(axes.lane, prefix);
    if (!rows.empty()) axes.row = rows[0];
    if (rows.size() > 1 && shape.reuses(rows[1], axes.lane) == shape.reuses(rows[0], axes.lane)) axes.second = rows[1];
    for (const AxisShape& axis : shape.axes)
        if (!axis.reduce && axis.axis >= prefix && axis.axis != axes.lane && axis.axis != axes.row &&
            axis.axis != axes.second)
            axes.others.push_back(axis.axis);
    axes.others = byStride(shape, axes.others);
    return axes;
}

// Are the tensors that move with the lanes larger than those that do not? Then each of their parts is kept longest.
bool lanesAreHeavy(const StageShape& shape, const Axes& axes) {
    double laneSize = 0, otherSize = 0;
    for (const loop::Access& access : shape.accesses) {
        if (access.store || access.epilogue) continue;
        double size = 1;
        for (const loop::DimAccess& dim : access.dims) size *= static_cast<double>(dim.extent);
        double& side = access.moves(axes.lane) ? laneSize : otherSize;
        side = std::max(side, size);
    }
    return laneSize > otherSize;
}

bool fits(const StageShape& shape, int64_t rows, int64_t vectors) {
    return rows * vectors + vectors + 1 <= shape.registers - 1;
}

bool hasBlockedReduce(const StageShape& shape) {
    int others = 0;
    bool blocked = false;
    for (const AxisShape& axis : shape.axes)
        if (axis.reduce) {
            blocked = blocked || (axis.block > 1 && axis.extent > axis.block);
            others += axis.extent > 1;
        }
    return blocked && others > 1;
}

enum Slot { Vectors, Rows, Rows2, LaneBlock, RowBlock, UnrollSteps, BlocksInside, kSlots };

std::vector<Decision> decisionsOf(const StageShape& shape, const Axes& axes) {
    const int64_t most = shape.registers - 2;
    const int64_t vectors = axes.laneVectors % 2 == 0 ? 2 : 1;
    std::vector<Decision> decisions(kSlots);
    decisions[Vectors] = sizes("vectors", tileChoices(axes.laneVectors, 6), vectors);
    const int64_t rowExtent = axes.row >= 0 ? shape.extent(axes.row) : 1;
    const int64_t secondExtent = axes.second >= 0 ? shape.extent(axes.second) : 1;
    const int64_t rows = bestRows(rowExtent, (most - 1 - vectors) / vectors, 12 / vectors);
    decisions[Rows] = sizes("rows", tileChoices(rowExtent, most), rows);
    decisions[Rows2] = sizes("second rows", tileChoices(secondExtent, 4), rows * vectors < 6 ? 2 : 1);
    const bool heavy = lanesAreHeavy(shape, axes);
    decisions[LaneBlock] = sizes("lane block", doublings(axes.laneVectors), heavy ? 1 : kAllOf);
    decisions[RowBlock] =
        sizes("row block", doublings(axes.second >= 0 ? secondExtent : rowExtent), heavy ? kAllOf : 1);
    decisions[UnrollSteps] = sizes("unroll", unrollChoices(shape, true, -1, 64), 4);
    decisions[BlocksInside] =
        sizes("blocks inside", hasBlockedReduce(shape) ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1}, 1);
    return decisions;
}

const char* brokenTile(const StageShape& shape, const std::vector<int64_t>& v) {
    const int64_t rows = v[Rows] * v[Rows2];
    if (!fits(shape, rows, v[Vectors])) return "the accumulators do not fit the vector registers";
    if (rows * v[Vectors] * v[UnrollSteps] > kBodyLimit) return "more than 256 bodies unrolled";
    return nullptr;
}

std::vector<BuiltLoop> emitTile(const StageShape& shape, const Axes& axes, int prefix, const std::vector<int64_t>& v,
                                schedule::Trace& trace) {
    NestBuilder nest(shape);
    const int64_t tile = axes.lanes * v[Vectors];
    const auto lane = nest.tile(axes.lane, {tile * v[LaneBlock], tile, axes.lanes}, axes.lanes > 1);
    std::vector<std::optional<BuiltLoop>> row(3), second(3);
    if (axes.second >= 0) {
        const auto parts = nest.tile(axes.row, {v[Rows]});
        row = {std::nullopt, parts[0], parts[1]};
        second = nest.tile(axes.second, {v[Rows2] * v[RowBlock], v[Rows2]});
    } else if (axes.row >= 0) {
        row = nest.tile(axes.row, {v[Rows] * v[RowBlock], v[Rows]});
    }
    const ReduceLoops reduce = reduceLoops(shape, nest, v[UnrollSteps], v[BlocksInside] != 0, -1);

    for (int k = 0; k < prefix; ++k) nest.serial(nest.tile(k, {}).back());
    for (int axis : axes.others) nest.serial(nest.tile(axis, {}).back());
    nest.serial(axes.second >= 0 ? second[0] : row[0]);
    nest.serial(lane[0]);
    nest.serial(second[1]);
    nest.serial(row[1]);
    nest.serial(lane[1]);
    for (const BuiltLoop& loop : reduce.serial) nest.serial(loop);
    for (const BuiltLoop& loop : reduce.unrolled) nest.unrolled(loop);
    nest.unrolled(second[2]);
    nest.unrolled(row[2]);
    nest.unrolled(lane[2]);
    if (axes.lanes > 1) nest.vectorized(lane[3]);
    nest.emit(trace);
    return nest.outerSpaceLoops();
}

}  // namespace

bool registerTileApplies(const StageShape& shape, int prefix) {
    return shape.reduction && shape.points > 0 && shape.laneAxis >= prefix;
}

StagePlan registerTile(const ShapePtr& shape, int prefix) {
    const Axes axes = chooseAxes(*shape, prefix);
    StagePlan plan{shape, "register tile", decisionsOf(*shape, axes), {}, {}};
    plan.emit = [shape, axes, prefix](const std::vector<int64_t>& values, schedule::Trace& trace) {
        return emitTile(*shape, axes, prefix, values, trace);
    };
    plan.broken = [shape](const std::vector<int64_t>& values) { return brokenTile(*shape, values); };
    return plan;
}

}  // namespace fettle::space
