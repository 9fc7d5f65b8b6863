// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/stage_shape.h"

#include <algorithm>
#include <cstdlib>

namespace fettle::space {
namespace {

using loop::Access;

int64_t tensorBytes(const loop::LoopProgram& program, const Access& access) {
    return graph::physicalBytes(program.tensors[static_cast<size_t>(access.tensor)].type);
}

void setAxis(const loop::LoopProgram& program, const StageShape& shape, AxisShape& axis) {
    int64_t largest = -1;
    for (const Access& access : shape.accesses) {
        if (!access.moves(axis.axis)) continue;
        if (access.store) {
            axis.outStep = access.byteStep(axis.axis);
        } else if (tensorBytes(program, access) > largest) {
            largest = tensorBytes(program, access);
            axis.inStep = access.byteStep(axis.axis);
        }
        for (const loop::DimAccess& dim : access.dims)
            if (dim.block > 1 && dim.delta(axis.axis, 1) == 1)
                axis.block = axis.block == 1 ? dim.block : std::min(axis.block, dim.block);
    }
}

// The space axis with the largest extent that is contiguous in the output.
int contiguousInOutput(const StageShape& shape) {
    int best = -1;
    for (const AxisShape& axis : shape.axes) {
        if (axis.reduce || axis.extent < 2 || axis.outStep != shape.accesses.back().elementBytes) continue;
        if (best < 0 || axis.extent > shape.extent(best)) best = axis.axis;
    }
    return best;
}

int contiguousReduce(const StageShape& shape) {
    for (size_t k = shape.axes.size(); k-- > 0;) {
        const AxisShape& axis = shape.axes[k];
        if (!axis.reduce || axis.extent < 2) continue;
        bool any = false, all = true;
        for (const Access& access : shape.accesses) {
            if (access.store || access.epilogue || !access.moves(axis.axis)) continue;
            any = true;
            all = all && !access.gathered && access.byteStep(axis.axis) == access.elementBytes;
        }
        if (any && all) return axis.axis;
    }
    return -1;
}

int gathered(const StageShape& shape) {
    if (shape.laneAxis < 0) return -1;
    for (const Access& access : shape.accesses)
        if (!access.store && !access.epilogue && access.moves(shape.laneAxis) &&
            (access.gathered || access.byteStep(shape.laneAxis) != access.elementBytes))
            return access.tensor;
    return -1;
}

}  // namespace

int StageShape::lanesOf(int axis) const {
    const AxisShape& shape = axes[static_cast<size_t>(axis)];
    int64_t lanes = vectorLanes;
    while (lanes > 1 && lanes / 2 >= shape.extent) lanes /= 2;
    while (shape.block > 1 && lanes > 1 && shape.block % lanes != 0) lanes /= 2;
    return static_cast<int>(lanes);
}

int StageShape::reuses(int axis, int lane) const {
    int count = 0;
    for (const Access& access : accesses)
        if (!access.store && !access.epilogue && access.moves(lane) && !access.moves(axis)) ++count;
    return count;
}

std::vector<int> StageShape::rowAxes(int lane, int prefix) const {
    std::vector<int> rows;
    for (const AxisShape& axis : axes)
        if (!axis.reduce && axis.axis != lane && axis.axis >= prefix && axis.extent > 1) rows.push_back(axis.axis);
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
        const int reuseA = reuses(a, lane), reuseB = reuses(b, lane);
        if (reuseA != reuseB) return reuseA > reuseB;
        return std::abs(axes[static_cast<size_t>(a)].outStep) < std::abs(axes[static_cast<size_t>(b)].outStep);
    });
    return rows;
}

StageShape stageShape(const loop::LoopProgram& program, int stageIndex, const target::Target& target) {
    const loop::Stage& stage = program.stages[static_cast<size_t>(stageIndex)];
    StageShape shape;
    shape.stage = stageIndex;
    shape.name = stage.name;
    shape.accesses = loop::accesses(program, stage);
    shape.reduction = stage.reduction != loop::Reduction::None;
    shape.registers = std::max(8, target.vectorRegisters);
    shape.opsPerPoint = std::max(1, loop::operationCount(stage.body));
    const int64_t bytes = std::clamp<int64_t>(shape.accesses.back().elementBytes, 4, 8);
    shape.vectorLanes = std::max(1, target.lanes(static_cast<int>(bytes)));
    while ((shape.vectorLanes & (shape.vectorLanes - 1)) != 0) shape.vectorLanes &= shape.vectorLanes - 1;
    for (size_t k = 0; k < stage.axes.size(); ++k) {
        AxisShape axis;
        axis.axis = static_cast<int>(k);
        axis.name = stage.axes[k].name;
        axis.extent = stage.axes[k].extent;
        axis.reduce = stage.axes[k].kind == loop::AxisKind::Reduce;
        setAxis(program, shape, axis);
        shape.points *= static_cast<double>(std::max<int64_t>(axis.extent, 1));
        shape.axes.push_back(std::move(axis));
    }
    shape.laneAxis = contiguousInOutput(shape);
    shape.reduceLaneAxis = contiguousReduce(shape);
    shape.gatheredTensor = gathered(shape);
    return shape;
}

}  // namespace fettle::space
