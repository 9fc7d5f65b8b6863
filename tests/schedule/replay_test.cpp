// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/schedule/trace.h"
#include "tests/loop/sample_programs.h"

namespace fettle::schedule {
namespace {

using loop::sample::matmul;
using loop::sample::softmax;

// The loops after a schedule, without the tensor lines; or the reason why it is refused.
std::string scheduled(const loop::LoopProgram& program, const std::string& text) {
    const Result<Trace> trace = parse(text);
    if (!trace) return trace.error().message();
    const Result<loop::LoopProgram> result = replay(program, *trace);
    if (!result) return result.error().where + ": " + result.error().why;
    const std::string printed = loop::print(*result);
    return printed.substr(printed.find("for "));
}

TEST(Replay, BuildsARegisterTile) {
    EXPECT_EQ(scheduled(matmul(14, 64, 100, 16),
                        "split matmul.n 16 -> n0 nv\n"
                        "split matmul.n0 2 -> no ni\n"
                        "split matmul.m 6 -> mo mi\n"
                        "reorder matmul no mo\n"
                        "microkernel matmul mi ni nv\n"
                        "parallel matmul no mo\n"),
              "for no in 2 parallel\n"
              "  for mo in 3 parallel  # tail 2\n"
              "    matmul = 0\n"
              "    for k in 100\n"
              "      for mi in 6 unrolled\n"
              "        for ni in 2 unrolled\n"
              "          for nv in 16 vectorized\n"
              "            matmul += A[mo*6 + mi, k] * B[k, no*32 + ni*16 + nv]\n"
              "    C[mo*6 + mi, no*32 + ni*16 + nv] = max(matmul, 0)\n");
}

TEST(Replay, ComputesRowsTogether) {
    EXPECT_EQ(scheduled(softmax(4, 9),
                        "compute-at max out r\n"
                        "compute-at sum out r\n"),
              "for r in 4\n"
              "  max = -inf\n"
              "  for c in 9\n"
              "    max max= X[r, c]\n"
              "  max[r, 0] = max\n"
              "  sum = 0\n"
              "  for c in 9\n"
              "    sum += exp(X[r, c] - max[r, 0])\n"
              "  sum[r, 0] = sum\n"
              "  for c in 9\n"
              "    Y[r, c] = exp(X[r, c] - max[r, 0]) / sum[r, 0]\n");
}

TEST(Replay, CopiesAnInputIntoAnotherLayout) {
    const std::string text = "cache-read matmul B -> packB order=1,0 blocks=1x16\nvectorize packB.d1\n";
    EXPECT_EQ(scheduled(matmul(2, 32, 3), text),
              "for d0 in 3\n"
              "  for d1 in 32 vectorized\n"
              "    packB[d0, d1] = B[d0, d1]\n"
              "for m in 2\n"
              "  for n in 32\n"
              "    matmul = 0\n"
              "    for k in 3\n"
              "      matmul += A[m, k] * packB[k, n]\n"
              "    C[m, n] = max(matmul, 0)\n");
    EXPECT_EQ(print(*parse(text)), text);
}

TEST(Replay, InlinesAnElementwiseProducer) {
    loop::LoopProgram p = matmul(2, 4, 3);
    p.tensors.push_back(loop::sample::tensor("T", {2, 3}, loop::Role::Temp));
    loop::Stage scale{"scale",
                      {{"i", 2, loop::AxisKind::Space}, {"j", 3, loop::AxisKind::Space}},
                      loop::Reduction::None,
                      loop::binary(loop::ScalarOp::Mul, loop::load(0, {loop::Index::axis(0), loop::Index::axis(1)}),
                                   loop::constant(2)),
                      nullptr,
                      3,
                      {loop::Index::axis(0), loop::Index::axis(1)}};
    p.stages[0].body =
        loop::replaceLoads(p.stages[0].body, 0, [](const loop::Scalar& read) { return loop::load(3, read->indices); });
    p.stages.insert(p.stages.begin(), scale);
    p.nests = loop::defaultNests(p);
    ASSERT_TRUE(loop::validate(p)) << loop::validate(p).error().message();
    const Result<loop::LoopProgram> inlined = replay(p, *parse("inline scale"));
    ASSERT_TRUE(inlined) << inlined.error().message();
    EXPECT_EQ(inlined->tensors.size(), 3u);
    EXPECT_NE(loop::print(*inlined).find("matmul += A[m, k] * 2 * B[k, n]"), std::string::npos)
        << loop::print(*inlined);
}

TEST(Replay, SaysWhichRuleWasBroken) {
    const loop::LoopProgram p = matmul(14, 64, 100);
    EXPECT_EQ(scheduled(p, "split conv.n 16 -> a b"),
              "line 1: split conv.n 16 -> a b: there is no stage 'conv'; there are matmul");
    EXPECT_EQ(scheduled(p, "unroll matmul.x"), "line 1: unroll matmul.x: there is no loop 'x'; there are m n k");
    EXPECT_EQ(scheduled(p, "vectorize matmul.n"), "line 1: vectorize matmul.n: 'n' is not the innermost loop");
    EXPECT_EQ(scheduled(p, "parallel matmul n"),
              "line 1: parallel matmul n: 'n' is not among the outermost loops, in this order");
    EXPECT_EQ(scheduled(p, "reorder matmul k m n\nparallel matmul k"),
              "line 2: parallel matmul k: 'k' is a reduce loop");
    EXPECT_EQ(scheduled(p, "parallel matmul m\nsplit matmul.m 2 -> a b"),
              "line 2: split matmul.m 2 -> a b: 'm' is already parallel or shared");
    EXPECT_EQ(scheduled(p, "split matmul.m 4 -> a b\nsplit matmul.b 3 -> c d"),
              "line 2: split matmul.b 3 -> c d: an inner loop of 4 can only be split by its divisors, not by 3");
    EXPECT_EQ(scheduled(softmax(4, 9), "compute-at max out r"), "max: sum reads it outside the shared loops");
}

TEST(Replay, SharedLoopsMustStayEqual) {
    EXPECT_EQ(scheduled(softmax(4, 9), "compute-at max out r\ncompute-at sum out r\nsplit out.r 2 -> ro ri"),
              "max.r: differs from out.ro, which it should share");
}

TEST(Parse, NamesTheLine) {
    for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
             {"split a.b x -> c d", "(line 1): the factor must be a whole number from 1"},
             {"# fine\n\nfrobnicate a", "(line 3): 'frobnicate' is no primitive"},
             {"cache-read a b -> c blocks=1y2", "(line 1): blocks are written AXISxSIZE"},
             {"split ab 4 -> c d", "(line 1): expected 'split STAGE.LOOP FACTOR -> OUTER INNER'"}}) {
        const Result<Trace> trace = parse(text);
        ASSERT_FALSE(trace) << text;
        EXPECT_NE(trace.error().message().find(words), std::string::npos) << trace.error().message();
    }
}

TEST(Parse, RoundTrips) {
    const std::string text =
        "split s.t.a 4 -> a0 a1\nreorder s.t a1 a0\nunroll s.t.a1\nvectorize s.t.a0\nparallel s.t a1\nmicrokernel s.t "
        "a1 a0\n"
        "compute-at p c r\ninline p\ncache-read p T -> U order=1,0 blocks=0x16,1x4\n";
    const Result<Trace> trace = parse(text);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(print(*trace), text);
    EXPECT_EQ(hash(*trace), hash(*parse("# comment\n" + text)));
}

}  // namespace
}  // namespace fettle::schedule
