// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a model plan on the interpreter, with the arena shared as planned and filled with NaN first, so that a buffer
// that is reused too early, or a view that lies wrong, shows in the outputs.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "core/compile/model.h"

namespace fettle::test {

// What generated code does before its stages: the border of every output is zero.
inline void zeroHalo(const graph::TensorType& type, std::byte* data) {
    if (!type.layout.hasHalo()) return;
    graph::TensorType full = type;
    for (const auto& block : full.layout.blocks) {
        int64_t& extent = full.shape[static_cast<size_t>(block.axis)];
        extent = (extent + block.size - 1) / block.size * block.size;
    }
    const std::vector<double> values(static_cast<size_t>(graph::elementCount(full.shape)), 1.0);
    const graph::Tensor ones = graph::relayout(graph::fromDoubles(full.dtype, full.shape, values), full.layout);
    const auto size = static_cast<size_t>(graph::dtypeBytes(type.dtype));
    for (size_t i = 0; i < ones.data().size(); i += size)
        if (std::all_of(ones.data().begin() + static_cast<long>(i), ones.data().begin() + static_cast<long>(i + size),
                        [](std::byte b) { return b == std::byte{0}; }))
            std::memset(data + i, 0, size);
}

inline std::vector<graph::Tensor> runPlan(const codegen::ModelPlan& plan, const std::vector<graph::Tensor>& inputs) {
    using Space = codegen::BufferRef::Space;
    std::vector<std::byte> arena(static_cast<size_t>(plan.arenaBytes), std::byte{0xff});
    std::vector<std::byte> constants = plan.constants;
    std::vector<std::vector<std::byte>> given, made;
    for (const graph::Tensor& tensor : inputs) given.emplace_back(tensor.data().begin(), tensor.data().end());
    for (const auto& output : plan.outputs)
        made.emplace_back(static_cast<size_t>(graph::physicalBytes(output.type)), std::byte{0xff});
    for (const codegen::Step& step : plan.steps) {
        const loop::LoopProgram& program = plan.tasks[static_cast<size_t>(step.task)];
        std::vector<std::byte*> buffers;
        for (size_t t = 0; t < step.buffers.size(); ++t) {
            const codegen::BufferRef& ref = step.buffers[t];
            EXPECT_EQ(ref.offset % 64, 0);
            std::byte* base = ref.space == Space::Input      ? given[static_cast<size_t>(ref.index)].data()
                              : ref.space == Space::Output   ? made[static_cast<size_t>(ref.index)].data()
                              : ref.space == Space::Constant ? constants.data()
                                                             : arena.data();
            buffers.push_back(base + ref.offset);
            const loop::TensorDecl& tensor = program.tensors[t];
            if (tensor.role == loop::Role::Output) zeroHalo(tensor.type, buffers.back());
        }
        EXPECT_EQ(buffers.size(), program.tensors.size());
        loop::interpret(program, buffers);
    }
    EXPECT_EQ(constants, plan.constants);
    std::vector<graph::Tensor> outputs;
    for (size_t i = 0; i < made.size(); ++i)
        outputs.push_back({plan.outputs[i].type, std::make_shared<const std::vector<std::byte>>(made[i])});
    return outputs;
}

}  // namespace fettle::test
