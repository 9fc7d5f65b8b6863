// SPDX-License-Identifier: GPL-3.0-or-later
// Packing: where lanes along the output would gather an input, a copy of it in blocks of lanes is made first.
#include <algorithm>

#include "core/space/sketches.h"

namespace fettle::space {
namespace {

constexpr double kWorthPacking = 16;  // uses of each packed element from which packing is the default

// [..., K, N] whose lanes go over N becomes [..., N/lanes, K, lanes].
graph::Layout packed(const loop::Access& access, int laneDim, int64_t lanes) {
    graph::Layout layout;
    const int rank = static_cast<int>(access.dims.size());
    for (int d = 0; d + 2 < rank; ++d)
        if (d != laneDim) layout.order.push_back(d);
    layout.order.push_back(laneDim);
    for (int d = std::max(0, rank - 2); d < rank; ++d)
        if (d != laneDim) layout.order.push_back(d);
    layout.blocks = {{laneDim, lanes}};
    return layout;
}

struct Packing {
    Variant variant;
    double uses = 0;
};

std::vector<Packing> packings(const loop::LoopProgram& program, const StageShape& shape) {
    std::vector<Packing> result;
    if (!shape.reduction || shape.gatheredTensor < 0 || shape.lanesOf(shape.laneAxis) < 2) return result;
    const loop::TensorDecl& tensor = program.tensors[static_cast<size_t>(shape.gatheredTensor)];
    const loop::Access* access = nullptr;
    int readers = 0;
    for (const loop::Access& candidate : shape.accesses)
        if (!candidate.store && candidate.tensor == shape.gatheredTensor) {
            access = &candidate;
            ++readers;
        }
    if (readers != 1 || access->guarded || access->gathered || tensor.type.layout.hasHalo()) return result;
    int laneDim = -1;
    for (size_t d = 0; d < access->dims.size(); ++d)
        if (access->dims[d].affine && access->dims[d].delta(shape.laneAxis, 1) == 1) laneDim = static_cast<int>(d);
    if (laneDim < 0 || access->dims.size() < 2) return result;
    Packing packing;
    packing.variant.name = "packed " + tensor.name;
    packing.variant.head.primitives.emplace_back(
        schedule::CacheRead{shape.name, tensor.name, "pack", packed(*access, laneDim, shape.lanesOf(shape.laneAxis))});
    auto scheduled = schedule::replay(program, packing.variant.head);
    if (!scheduled) return result;
    packing.variant.program = std::move(*scheduled);
    packing.uses = shape.points / static_cast<double>(std::max<int64_t>(1, graph::elementCount(tensor.type.shape)));
    result.push_back(std::move(packing));
    return result;
}

}  // namespace

std::vector<Variant> variants(const loop::LoopProgram& program, const target::Target& target) {
    std::vector<Variant> result{{program, {}, ""}};
    for (size_t k = 0; k < program.stages.size(); ++k)
        for (Packing& packing : packings(program, stageShape(program, static_cast<int>(k), target))) {
            const bool first = packing.uses >= kWorthPacking;
            result.insert(first ? result.begin() : result.end(), std::move(packing.variant));
        }
    return result;
}

}  // namespace fettle::space
