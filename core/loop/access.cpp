// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/access.h"

#include <cstdlib>

namespace fettle::loop {
namespace {

int64_t floorDivision(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

// The value with one axis at `steps` and the others at 0; values loaded from tensors count as 0.
int64_t valueAt(const Index& index, int axis, int64_t steps) {
    switch (index.kind()) {
        case Index::Kind::Constant:
            return index.constant();
        case Index::Kind::Axis:
            return index.axisNumber() == axis ? steps : 0;
        case Index::Kind::Add:
            return valueAt(index.left(), axis, steps) + valueAt(index.right(), axis, steps);
        case Index::Kind::Mul:
            return valueAt(index.left(), axis, steps) * index.constant();
        case Index::Kind::FloorDiv:
            return floorDivision(valueAt(index.left(), axis, steps), index.constant());
        case Index::Kind::Mod: {
            const int64_t value = valueAt(index.left(), axis, steps);
            return value - floorDivision(value, index.constant()) * index.constant();
        }
        case Index::Kind::Loaded:
            return 0;
    }
    return 0;
}

bool hasLoaded(const Index& index) {
    switch (index.kind()) {
        case Index::Kind::Loaded:
            return true;
        case Index::Kind::Add:
            return hasLoaded(index.left()) || hasLoaded(index.right());
        case Index::Kind::Mul:
        case Index::Kind::FloorDiv:
        case Index::Kind::Mod:
            return hasLoaded(index.left());
        default:
            return false;
    }
}

bool dependsOn(const Index& index, int axis) {
    switch (index.kind()) {
        case Index::Kind::Axis:
            return index.axisNumber() == axis;
        case Index::Kind::Add:
            return dependsOn(index.left(), axis) || dependsOn(index.right(), axis);
        case Index::Kind::Mul:
        case Index::Kind::FloorDiv:
        case Index::Kind::Mod:
            return dependsOn(index.left(), axis);
        default:
            return false;
    }
}

// Byte strides of every logical dimension under the tensor's layout.
void setStrides(const graph::TensorType& type, std::vector<DimAccess>& dims) {
    const graph::Layout& layout = type.layout;
    int64_t stride = graph::dtypeBytes(type.dtype);
    for (size_t k = layout.blocks.size(); k-- > 0;) {
        const auto& block = layout.blocks[k];
        auto& dim = dims[static_cast<size_t>(block.axis)];
        dim.innerStride = dim.block == 1 ? stride : dim.innerStride;
        dim.block *= block.size;
        stride *= block.size;
    }
    for (size_t k = dims.size(); k-- > 0;) {
        const size_t logical = layout.order.empty() ? k : static_cast<size_t>(layout.order[k]);
        auto& dim = dims[logical];
        dim.outerStride = stride;
        int64_t extent = (dim.extent + dim.block - 1) / dim.block;
        if (!layout.haloBefore.empty()) extent += layout.haloBefore[logical];
        if (!layout.haloAfter.empty()) extent += layout.haloAfter[logical];
        stride *= std::max<int64_t>(extent, 1);
    }
}

Access makeAccess(const LoopProgram& program, const Stage& stage, int tensor, const std::vector<Index>& indices) {
    const graph::TensorType& type = program.tensors[static_cast<size_t>(tensor)].type;
    Access access;
    access.tensor = tensor;
    access.elementBytes = graph::dtypeBytes(type.dtype);
    access.dims.resize(type.shape.size());
    for (size_t k = 0; k < type.shape.size(); ++k) {
        DimAccess& dim = access.dims[k];
        dim.index = k < indices.size() ? indices[k] : Index(0);
        dim.extent = type.shape[k];
        const Affine form = affine(dim.index, static_cast<int>(stage.axes.size()));
        dim.affine = form.valid;
        dim.coefficients = form.coefficients;
        access.gathered = access.gathered || hasLoaded(dim.index);
    }
    setStrides(type, access.dims);
    return access;
}

void addLoads(const LoopProgram& program, const Stage& stage, const Scalar& scalar, bool epilogue,
              std::vector<Access>& result) {
    if (!scalar) return;
    for (const ScalarNode* node : loads(scalar)) {
        Access access = makeAccess(program, stage, node->tensor, node->indices);
        access.guarded = node->guarded;
        access.epilogue = epilogue;
        result.push_back(std::move(access));
    }
}

}  // namespace

int64_t DimAccess::delta(int axis, int64_t steps) const {
    if (affine) return coefficients[static_cast<size_t>(axis)] * steps;
    return valueAt(index, axis, steps) - valueAt(index, axis, 0);
}

int64_t Access::byteStep(int axis, int64_t steps) const {
    int64_t bytes = 0;
    for (const DimAccess& dim : dims) {
        const int64_t delta = dim.delta(axis, steps);
        if (dim.block == 1) {
            bytes += delta * dim.outerStride;
        } else {
            const int64_t blocks = delta / dim.block;
            bytes += blocks * dim.outerStride + (delta - blocks * dim.block) * dim.innerStride;
        }
    }
    return bytes;
}

bool Access::moves(int axis, int64_t steps) const {
    for (const DimAccess& dim : dims)
        if (dim.affine ? dim.coefficients[static_cast<size_t>(axis)] * steps != 0 : dependsOn(dim.index, axis))
            return true;
    return false;
}

std::vector<Access> accesses(const LoopProgram& program, const Stage& stage) {
    std::vector<Access> result;
    addLoads(program, stage, stage.body, false, result);
    addLoads(program, stage, stage.epilogue, true, result);
    result.push_back(makeAccess(program, stage, stage.output, stage.outputIndices));
    result.back().store = true;
    result.back().epilogue = true;
    return result;
}

}  // namespace fettle::loop
