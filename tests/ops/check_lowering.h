// SPDX-License-Identifier: GPL-3.0-or-later
// The key check of lowering: what a loop program computes, point by point, is what the reference says the group
// computes. Lanes beyond the extent of a blocked dimension are poisoned, so that mixing them shows.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/graph/passes.h"
#include "core/ops/lower.h"
#include "core/ops/op.h"
#include "core/ops/traits.h"

namespace fettle::test {

using graph::Tensor;
using graph::TensorType;

// The bytes of a float tensor with NaN in every padding lane (the halo stays zero).
inline std::vector<std::byte> poisoned(const Tensor& tensor) {
    std::vector<std::byte> bytes(tensor.data().begin(), tensor.data().end());
    if (tensor.type.dtype != graph::DType::Float32 || tensor.type.layout.blocks.empty()) return bytes;
    TensorType full = tensor.type;
    for (const auto& block : full.layout.blocks) {
        int64_t& extent = full.shape[static_cast<size_t>(block.axis)];
        extent = (extent + block.size - 1) / block.size * block.size;
    }
    const auto ones = [](const TensorType& type) {
        const std::vector<double> values(static_cast<size_t>(graph::elementCount(type.shape)), 1.0);
        return graph::relayout(graph::fromDoubles(type.dtype, type.shape, values), type.layout);
    };
    const Tensor logical = ones(tensor.type), whole = ones(full);
    auto* data = reinterpret_cast<float*>(bytes.data());
    for (size_t i = 0; i < bytes.size() / 4; ++i)
        if (whole.as<float>()[i] == 1 && logical.as<float>()[i] == 0) data[i] = std::numeric_limits<float>::quiet_NaN();
    return bytes;
}

inline std::vector<Tensor> randomInputs(const graph::Graph& graph, const std::vector<graph::ValueId>& ids,
                                        uint64_t seed) {
    std::vector<Tensor> inputs;
    for (graph::ValueId id : ids) {
        const graph::Value& value = graph.values[static_cast<size_t>(id)];
        inputs.push_back(value.constant ? *value.constant : graph::randomTensor(value.type, ++seed));
    }
    return inputs;
}

inline void checkGroup(const graph::FusedGraph& fused, const graph::Group& group, uint64_t seed) {
    const auto program = ops::lowerGroup(fused.graph, group);
    ASSERT_TRUE(program) << program.error().message();
    const std::vector<Tensor> inputs = randomInputs(fused.graph, group.inputs, seed);
    const auto expected = ops::evaluateGroup(fused.graph, group, inputs);
    ASSERT_TRUE(expected) << expected.error().message();

    std::vector<std::vector<std::byte>> storage;
    for (size_t t = 0; t < program->tensors.size(); ++t) {
        const loop::TensorDecl& decl = program->tensors[t];
        if (t < inputs.size()) {
            ASSERT_EQ(decl.type, inputs[t].type);
            storage.push_back(decl.role == loop::Role::Constant
                                  ? std::vector<std::byte>(inputs[t].data().begin(), inputs[t].data().end())
                                  : poisoned(inputs[t]));
        } else {
            storage.emplace_back(static_cast<size_t>(graph::physicalBytes(decl.type)), std::byte{0xff});
        }
    }
    std::vector<std::byte*> buffers;
    for (auto& bytes : storage) buffers.push_back(bytes.data());
    loop::interpret(*program, buffers);
    for (size_t i = 0; i < expected->size(); ++i) {
        const size_t t = inputs.size() + i;
        const Tensor actual{program->tensors[t].type, std::make_shared<const std::vector<std::byte>>(storage[t])};
        const graph::Difference difference = graph::compareTensors(actual, (*expected)[i]);
        EXPECT_FALSE(difference.finiteMismatch) << loop::print(*program);
        EXPECT_LT(difference.maxRel, 1e-5) << "at " << difference.at << "\n" << loop::print(*program);
    }
}

// Passes, then every group on its own; and the passes leave the model's outputs as they were.
inline graph::FusedGraph checkModel(const graph::Graph& graph, int lanes, uint64_t seed, double tolerance = 1e-5) {
    graph::PassOptions options;
    options.lanes = lanes;
    auto fused = graph::optimise(graph, ops::traits(), options);
    EXPECT_TRUE(fused) << (fused ? "" : fused.error().message());
    if (!fused) return {};
    for (const graph::Group& group : fused->groups) checkGroup(*fused, group, seed);
    const std::vector<Tensor> inputs = randomInputs(graph, graph.inputs, seed);
    const auto before = ops::evaluateGraph(graph, inputs), after = ops::evaluateGraph(fused->graph, inputs);
    EXPECT_TRUE(before && after) << (before ? "" : before.error().message()) << (after ? "" : after.error().message());
    if (!before || !after) return *fused;
    for (size_t i = 0; i < before->size(); ++i) {
        const graph::Difference difference = graph::compareTensors((*after)[i], (*before)[i]);
        EXPECT_FALSE(difference.finiteMismatch);
        EXPECT_LT(difference.maxRel, tolerance) << graph::print(fused->graph);
    }
    return *fused;
}

}  // namespace fettle::test
