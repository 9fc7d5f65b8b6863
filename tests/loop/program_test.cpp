// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/graph/tensor.h"
#include "core/loop/json.h"
#include "tests/loop/sample_programs.h"

namespace fettle::loop {
namespace {

TEST(LoopProgram, PrintsAsAPersonWouldWriteIt) {
    EXPECT_EQ(print(sample::matmul(3, 32, 5, 16)),
              "# MatMul_0 + Relu_1\n"
              "input  A float32[3,5]\n"
              "const  B float32[5,32] o1,0 b1x16\n"
              "output C float32[3,32]\n"
              "for m in 3\n"
              "  for n in 32\n"
              "    matmul = 0\n"
              "    for k in 5\n"
              "      matmul += A[m, k] * B[k, n]\n"
              "    C[m, n] = max(matmul, 0)\n");
}

TEST(LoopProgram, InterpretsThroughLayouts) {
    const LoopProgram p = sample::matmul(3, 20, 5, 16);  // 20 columns: the second block of B has 4 lanes
    const graph::Tensor a = graph::randomTensor(p.tensors[0].type, 1);
    const graph::Tensor plainB = graph::randomTensor({DType::Float32, {5, 20}, {}}, 2);
    graph::Tensor b = graph::relayout(plainB, p.tensors[1].type.layout);
    std::vector<float> c(60);
    std::vector<std::byte> aBytes(a.data().begin(), a.data().end()), bBytes(b.data().begin(), b.data().end());
    interpret(p, {aBytes.data(), bBytes.data(), reinterpret_cast<std::byte*>(c.data())});
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 20; ++n) {
            double sum = 0;
            for (int k = 0; k < 5; ++k)
                sum += double(a.as<float>()[static_cast<size_t>(m * 5 + k)]) *
                       plainB.as<float>()[static_cast<size_t>(k * 20 + n)];
            EXPECT_FLOAT_EQ(c[static_cast<size_t>(m * 20 + n)], static_cast<float>(std::fmax(sum, 0)));
        }
}

TEST(LoopProgram, SurvivesJson) {
    for (const LoopProgram& p : {sample::matmul(3, 20, 5, 16), sample::softmax(4, 9)}) {
        const Result<LoopProgram> back = fromJson(toJson(p));
        ASSERT_TRUE(back) << back.error().message();
        EXPECT_EQ(print(*back), print(p));
        EXPECT_EQ(structuralHash(*back), structuralHash(p));
    }
}

TEST(LoopProgram, JsonErrorsAreValues) {
    EXPECT_FALSE(fromJson("{"));
    std::string text = toJson(sample::matmul(3, 20, 5));
    const size_t at = text.find("\"output\":2");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 10, "\"output\":7");
    const Result<LoopProgram> broken = fromJson(text);
    ASSERT_FALSE(broken);
    EXPECT_NE(broken.error().message().find("tensor 7 does not exist"), std::string::npos) << broken.error().message();
}

TEST(LoopProgram, HashIsOfTheComputationOnly) {
    LoopProgram a = sample::matmul(3, 20, 5), b = a;
    b.name = "other";
    b.stages[0].name = "mm";
    b.stages[0].axes[0].name = "row";
    EXPECT_EQ(structuralHash(a), structuralHash(b));
    EXPECT_NE(structuralHash(a), structuralHash(sample::matmul(3, 20, 6)));
    EXPECT_NE(structuralHash(a), structuralHash(sample::matmul(3, 20, 5, 16)));
}

TEST(LoopProgram, CountsWork) {
    EXPECT_EQ(flopCount(sample::matmul(3, 20, 5)), 2 * 3 * 20 * 5 + 60);
    EXPECT_EQ(byteCount(sample::matmul(3, 20, 5)), 4 * (15 + 100 + 60));
}

TEST(LoopProgram, ValidateNamesWhatIsWrong) {
    const auto reason = [](LoopProgram p) {
        const Status status = validate(p);
        return status ? std::string("ok") : status.error().why;
    };
    LoopProgram p = sample::matmul(3, 20, 5);
    EXPECT_EQ(reason(p), "ok");
    p.tensors[0].type.shape = {3, 4};
    EXPECT_EQ(reason(p), "index 1 spans [0,4] of extent 4");
    p = sample::matmul(3, 20, 5);
    p.nests[0].loops[1].extent = 10;
    EXPECT_EQ(reason(p), "loops cover 10 of 20");
    p = sample::matmul(3, 20, 5);
    p.nests[0].loops[0].kind = LoopKind::Vectorized;
    EXPECT_EQ(reason(p), "a vectorised loop must be the innermost");
    p = sample::matmul(3, 20, 5);
    p.nests[0].parallelLoops = 3;
    EXPECT_EQ(reason(p), "a reduce loop cannot run in parallel");
    p = sample::softmax(4, 9);
    p.nests[0].attachStage = 2;  // max inside out's rows, but sum reads it outside
    p.nests[0].attachDepth = 1;
    EXPECT_EQ(reason(p), "sum reads it outside the shared loops");
}

}  // namespace
}  // namespace fettle::loop
