// SPDX-License-Identifier: GPL-3.0-or-later
// Element types, operators, movement and gathers, against loop::interpret.
#include <gtest/gtest.h>

#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace fettle::codegen::testing {
namespace {

using graph::DType;
using loop::Index;
using loop::ScalarOp;
using loop::sample::tensor;

const char* const kLanes = "split map.c 16 -> c0 cv\nvectorize map.cv\n";

TEST(Ops, FloatArithmetic) {
    const auto x = inputAt(0), z = inputAt(1);
    for (const ScalarOp op :
         {ScalarOp::Neg, ScalarOp::Abs, ScalarOp::Exp, ScalarOp::Tanh, ScalarOp::Erf, ScalarOp::Sigmoid,
          ScalarOp::Floor, ScalarOp::Ceil, ScalarOp::Round, ScalarOp::Sin, ScalarOp::Cos})
        for (const char* schedule : {"", kLanes})
            EXPECT_EQ(
                checkSchedule(elementwise(3, 37, unary(op, binary(ScalarOp::Mul, x, loop::constant(3)))), schedule), "")
                << loop::scalarOpName(op);
    for (const ScalarOp op : {ScalarOp::Add, ScalarOp::Sub, ScalarOp::Mul, ScalarOp::Min, ScalarOp::Max})
        for (const char* schedule : {"", kLanes})
            EXPECT_EQ(checkSchedule(elementwise(3, 37, binary(op, x, z)), schedule), "") << loop::scalarOpName(op);
    const auto positive = binary(ScalarOp::Add, unary(ScalarOp::Abs, z), loop::constant(0.5));
    for (const ScalarOp op : {ScalarOp::Div, ScalarOp::Mod})
        EXPECT_EQ(checkSchedule(elementwise(3, 37, binary(op, x, positive)), kLanes), "") << loop::scalarOpName(op);
    for (const ScalarOp op : {ScalarOp::Sqrt, ScalarOp::Rsqrt, ScalarOp::Reciprocal, ScalarOp::Log})
        EXPECT_EQ(checkSchedule(elementwise(3, 37, unary(op, positive)), kLanes), "") << loop::scalarOpName(op);
}

TEST(Ops, Integers) {
    for (const DType type : {DType::Int64, DType::Int32, DType::UInt8, DType::Int8})
        for (const ScalarOp op : {ScalarOp::Add, ScalarOp::Sub, ScalarOp::Mul, ScalarOp::Min, ScalarOp::Max}) {
            if (type == DType::UInt8 && op == ScalarOp::Sub) continue;  // wraps; the interpreter does not
            const auto body = binary(op, inputAt(0, type), inputAt(1, type));
            EXPECT_EQ(checkSchedule(elementwise(3, 37, body, type, type), kLanes), "")
                << graph::dtypeName(type) << " " << loop::scalarOpName(op);
        }
}

TEST(Ops, ComparisonsSelectsAndCasts) {
    const auto x = inputAt(0), z = inputAt(1);
    for (const ScalarOp op : {ScalarOp::Less, ScalarOp::LessEqual, ScalarOp::Equal}) {
        EXPECT_EQ(checkSchedule(elementwise(3, 37, binary(op, x, z), DType::Float32, DType::Bool), kLanes), "");
        EXPECT_EQ(checkSchedule(elementwise(3, 37, select(binary(op, x, z), x, loop::constant(2))), kLanes), "");
    }
    for (const DType type : {DType::Int32, DType::Int64, DType::Float64, DType::UInt8, DType::Bool}) {
        EXPECT_EQ(checkSchedule(elementwise(3, 37, cast(inputAt(0, type), DType::Float32), type), kLanes), "")
            << graph::dtypeName(type);
        if (type == DType::UInt8) continue;
        EXPECT_EQ(checkSchedule(
                      elementwise(3, 37, cast(binary(ScalarOp::Mul, x, loop::constant(9)), type), DType::Float32, type),
                      kLanes),
                  "")
            << graph::dtypeName(type);
    }
    const auto both = binary(ScalarOp::And, binary(ScalarOp::Less, x, z),
                             unary(ScalarOp::Not, binary(ScalarOp::Less, z, loop::constant(0))));
    EXPECT_EQ(checkSchedule(elementwise(3, 37, both, DType::Float32, DType::Bool), kLanes), "");
}

// Y[i,j] = X at `indices` (over i, j)
loop::LoopProgram movement(const graph::Shape& in, const graph::Shape& out, const std::vector<Index>& indices,
                           const graph::Layout& inLayout = {}, const graph::Layout& outLayout = {},
                           bool guarded = false) {
    loop::LoopProgram p;
    p.name = "Move_0";
    p.tensors = {tensor("X", in, loop::Role::Input, inLayout), tensor("Y", out, loop::Role::Output, outLayout)};
    loop::Stage stage;
    stage.name = "map";
    stage.axes = {{"r", out[0], loop::AxisKind::Space}, {"c", out[1], loop::AxisKind::Space}};
    stage.body = guarded ? loop::guardedLoad(0, indices, -1.5) : loop::load(0, indices);
    stage.output = 1;
    stage.outputIndices = {Index::axis(0), Index::axis(1)};
    p.stages = {stage};
    p.nests = defaultNests(p);
    return p;
}

TEST(Ops, Movement) {
    const Index r = Index::axis(0), c = Index::axis(1);
    for (const char* schedule : {"", kLanes}) {
        EXPECT_EQ(checkSchedule(movement({37, 9}, {9, 37}, {c, r}), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 80}, {9, 37}, {r, c * 2}), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 120}, {9, 37}, {r, c * 3 + Index(2)}), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, Index(36) - c}), schedule), "");
        const Index flat = r * 37 + c;
        EXPECT_EQ(checkSchedule(movement({37, 9}, {9, 37}, {floorDiv(flat, 9), mod(flat, 9)}), schedule), "");
        EXPECT_EQ(checkSchedule(movement({20, 20}, {9, 37}, {r, c - Index(5)}, {}, {}, true), schedule), "");
        EXPECT_EQ(checkSchedule(movement({5, 50}, {9, 37}, {r - Index(2), c}, {}, {}, true), schedule), "");
        const graph::Layout blocked{{}, {{1, 16}}, {}, {}}, eight{{}, {{1, 8}}, {}, {}};
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, c}, blocked, {}), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, c}, {}, blocked), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, c}, eight, blocked), schedule), "");
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, c}, blocked, eight), schedule), "");
        const graph::Layout halo{{}, {{1, 16}}, {2, 0}, {1, 0}};
        EXPECT_EQ(checkSchedule(movement({9, 37}, {9, 37}, {r, c}, blocked, halo), schedule), "");
    }
}

TEST(Ops, HalosAreZeroed) {
    const graph::Layout halo{{}, {}, {2, 1}, {1, 3}};
    const auto p = movement({9, 37}, {9, 37}, {Index::axis(0), Index::axis(1)}, {}, halo);
    const auto built = buildTask(p, target::detectHost(), {});
    ASSERT_TRUE(built) << built.error().message();
    const auto task = LoadedTask::load(built->sharedObject);
    Buffers buffers(p, 5);
    const auto pointers = buffers.voidPointers();
    task->function()(pointers.data(), nullptr, nullptr);
    const graph::Tensor expected = relayout(relayout(buffers.tensor(p, 0), {}), halo);
    EXPECT_EQ(*buffers.tensor(p, 1).bytes, *expected.bytes);
}

TEST(Ops, Gather) {
    for (const bool columns : {false, true})
        for (const char* schedule : {"", kLanes}) {
            loop::LoopProgram p;
            p.name = "Gather_0";
            p.tensors = {tensor("X", {8, 40}, loop::Role::Input),
                         {"I", {DType::Int64, {columns ? 37 : 9}, {}}, loop::Role::Input},
                         tensor("Y", {columns ? 8 : 9, 37}, loop::Role::Output)};
            loop::Stage stage;
            stage.name = "map";
            stage.axes = {{"r", columns ? 8 : 9, loop::AxisKind::Space}, {"c", 37, loop::AxisKind::Space}};
            const Index r = Index::axis(0), c = Index::axis(1);
            const Index chosen = Index::loaded(loop::load(1, {columns ? c : r}, DType::Int64));
            stage.body = loop::load(0, columns ? std::vector<Index>{r, chosen} : std::vector<Index>{chosen, c});
            stage.output = 2;
            stage.outputIndices = {r, c};
            p.stages = {stage};
            p.nests = defaultNests(p);
            EXPECT_EQ(checkSchedule(p, schedule), "");
        }
}

TEST(Ops, Reductions) {
    for (const loop::Reduction kind :
         {loop::Reduction::Sum, loop::Reduction::Max, loop::Reduction::Min, loop::Reduction::Product}) {
        loop::LoopProgram p;
        p.name = "Reduce_0";
        p.tensors = {tensor("X", {21, 37}, loop::Role::Input), tensor("Y", {21}, loop::Role::Output),
                     tensor("Z", {37}, loop::Role::Output)};
        const Index a = Index::axis(0), b = Index::axis(1);
        loop::Stage rows{"rows",  {{"r", 21, loop::AxisKind::Space}, {"c", 37, loop::AxisKind::Reduce}},
                         kind,    loop::load(0, {a, b}),
                         nullptr, 1,
                         {a}};
        loop::Stage columns{"columns", {{"c", 37, loop::AxisKind::Space}, {"r", 21, loop::AxisKind::Reduce}},
                            kind,      loop::load(0, {b, a}),
                            nullptr,   2,
                            {a}};
        p.stages = {rows, columns};
        p.nests = defaultNests(p);
        for (const char* schedule : {"",
                                     "split rows.c 16 -> c0 cv\nvectorize rows.cv\nsplit columns.c 16 -> c0 "
                                     "cv\nreorder columns c0 r cv\nvectorize columns.cv\n",
                                     "split rows.c 8 -> c0 cv\nsplit rows.c0 2 -> c0 c1\nunroll rows.c1\nvectorize "
                                     "rows.cv\nsplit columns.r 4 -> r0 r1\nunroll columns.r1\n"})
            EXPECT_EQ(checkSchedule(p, schedule), "") << schedule;
    }
}

}  // namespace
}  // namespace fettle::codegen::testing
