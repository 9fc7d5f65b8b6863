// SPDX-License-Identifier: GPL-3.0-or-later
// Integers in lowered groups: the sign of a remainder, and indices that lie outside what they select from.
#include <gtest/gtest.h>

#include "tests/ops/check_lowering.h"
#include "tests/ops/model_builder.h"

namespace fettle::test {
namespace {

// Random integers are in [0,8): less four, both signs meet both signs of the divisor.
TEST(LowerInteger, ModuloTakesTheSignThatOnnxSays) {
    for (const DType dtype : {DType::Int8, DType::Int32, DType::Int64})
        for (const int64_t fmod : {0, 1})
            for (uint64_t seed = 0; seed < 5; ++seed) {
                SCOPED_TRACE(std::string(graph::dtypeName(dtype)) + " fmod " + std::to_string(fmod));
                ModelBuilder m;
                const ValueId x = m.input("x", {4, 6}, dtype);
                const ValueId signs = m.node("Sub", {x, m.numbers({}, {4}, dtype)});
                const ValueId by = m.numbers({6}, {3, -3, 1, -1, 5, -2}, dtype);
                checkModel(m.finish({m.node("Mod", {signs, by}, {{"fmod", fmod}})}), 8, seed);
            }
}

TEST(LowerInteger, UnsignedModuloIsPlain) {
    ModelBuilder m;
    const ValueId x = m.input("x", {4, 6}, DType::UInt8);
    checkModel(m.finish({m.node("Mod", {x, m.numbers({6}, {3, 200, 1, 7, 5, 2}, DType::UInt8)})}), 8, 1);
}

// The reference refuses such indices; a kernel cannot, so it stays inside.
TEST(LowerInteger, IndicesOutOfRangeSelectTheNearestElement) {
    for (const DType dtype : {DType::Int32, DType::Int64}) {
        ModelBuilder m;
        const ValueId table = m.numbers({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31}), ids = m.input("ids", {7}, dtype);
        const auto fused = graph::optimise(m.finish({m.node("Gather", {table, ids})}), ops::traits(), {});
        ASSERT_TRUE(fused) << fused.error().message();
        ASSERT_EQ(fused->groups.size(), 1u);
        const auto program = ops::lowerGroup(fused->graph, fused->groups[0]);
        ASSERT_TRUE(program) << program.error().message();

        const Tensor indices = graph::fromDoubles(dtype, {7}, std::vector<double>{0, 3, 4, 2147483647, -1, -4, -5});
        std::vector<std::vector<std::byte>> storage;
        for (const loop::TensorDecl& tensor : program->tensors) {
            const Tensor& from = tensor.type.dtype == dtype ? indices : *fused->graph.values[0].constant;
            storage.emplace_back(from.data().begin(), from.data().end());
        }
        storage.back().assign(7 * 2 * sizeof(float), std::byte{0xff});
        std::vector<std::byte*> buffers;
        for (auto& bytes : storage) buffers.push_back(bytes.data());
        loop::interpret(*program, buffers);
        const auto* rows = reinterpret_cast<const float*>(storage.back().data());
        EXPECT_EQ(std::vector<float>(rows, rows + 14),
                  (std::vector<float>{0, 1, 30, 31, 30, 31, 30, 31, 30, 31, 0, 1, 0, 1}));
    }
}

TEST(LowerInteger, NothingIsSelectedFromAnEmptyAxis) {
    ModelBuilder m;
    const ValueId data = m.input("data", {0, 2}), ids = m.input("ids", {3}, DType::Int64);
    const auto fused = graph::optimise(m.finish({m.node("Gather", {data, ids})}), ops::traits(), {});
    ASSERT_TRUE(fused) << fused.error().message();
    const auto program = ops::lowerGroup(fused->graph, fused->groups[0]);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().why, "it selects from an empty axis");
}

}  // namespace
}  // namespace fettle::test
