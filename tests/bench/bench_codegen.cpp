// SPDX-License-Identifier: GPL-3.0-or-later
// How much of this machine's peak the emitter's register tiles reach, with hand-written schedules.
// Prints a table; one core; every figure is the minimum of many runs. Arguments: words that a row's name must contain.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/codegen/codegen.h"
#include "core/schedule/trace.h"
#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace {

using namespace fettle;
using codegen::testing::ConvShape;

double nowNs() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Run>
double minNs(Run&& run, double seconds) {
    run();
    double best = 1e30;
    const double stop = nowNs() + seconds * 1e9;
    for (int i = 0; i < 10 || nowNs() < stop; ++i) {
        const double start = nowNs();
        run();
        best = std::min(best, nowNs() - start);
    }
    return best;
}

// 16 independent chains of fused multiply-adds in registers: the peak in flop per ns.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void fmas512(long count) {
    asm volatile("1:\n"
#define FMA(n) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #n "\n"
                 FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7) FMA(8) FMA(9) FMA(10) FMA(11) FMA(12) FMA(13)
                     FMA(14) FMA(15) "dec %0\njnz 1b\n"
#undef FMA
                 : "+r"(count)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
__attribute__((target("avx2,fma"))) void fmas256(long count) {
    asm volatile("1:\n"
#define FMA(n) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #n "\n"
                 FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7) FMA(8) FMA(9) FMA(10)
                     FMA(11) "dec %0\njnz 1b\n"
#undef FMA
                 : "+r"(count)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11");
}
double peakFlopPerNs() {
    constexpr long kCount = 20000;
    if (__builtin_cpu_supports("avx512f")) return kCount * 16 * 32 / minNs([] { fmas512(kCount); }, 0.3);
    return kCount * 12 * 16 / minNs([] { fmas256(kCount); }, 0.3);
}
#else
double peakFlopPerNs() {
    return 0;
}
#endif

struct Row {
    std::string name;
    loop::LoopProgram program;
    std::string schedule;
};

std::vector<Row> rows() {
    using codegen::testing::convolution;
    std::vector<Row> all;
    for (const auto& [tile, rowsOf, vectors] :
         std::vector<std::tuple<std::string, int, int>>{{"8x3", 8, 3}, {"14x1", 14, 1}, {"12x2", 12, 2}, {"6x4", 6, 4}})
        all.push_back({"GEMM 128x768x768 " + tile, loop::sample::matmul(128, 768, 768, 16),
                       "split matmul.n 16 -> n0 nv\nsplit matmul.n0 " + std::to_string(vectors) +
                           " -> no ni\nsplit matmul.m " + std::to_string(rowsOf) +
                           " -> mo mi\nreorder matmul no mo\nmicrokernel matmul mi ni nv\n"});
    const auto conv = [&](const std::string& name, ConvShape shape, int width, int vectors, const std::string& reduce) {
        all.push_back(
            {name + " " + std::to_string(width) + "x" + std::to_string(vectors) + (reduce.empty() ? "" : " " + reduce),
             convolution(shape),
             "split conv.oc 16 -> oc0 ocv\nsplit conv.oc0 " + std::to_string(vectors) + " -> oco oci\nsplit conv.ow " +
                 std::to_string(width) + " -> ow0 ow1\n" +
                 "reorder conv oco oh ow0 ic kh kw\nmicrokernel conv ow1 oci ocv\n" + reduce});
    };
    const ConvShape c64{.inC = 64,
                        .outC = 64,
                        .height = 56,
                        .width = 56,
                        .kernel = 3,
                        .pad = 1,
                        .inBlock = 16,
                        .outBlock = 16,
                        .haloIn = true};
    conv("conv 3x3 64->64@56", c64, 14, 2, "");
    conv("conv 3x3 64->64@56", c64, 7, 4, "");
    conv("conv 3x3 64->64@56", c64, 14, 1, "unroll conv.kw\n");
    ConvShape one = c64;
    one.kernel = 1, one.pad = 0, one.outC = 256, one.haloIn = false;
    conv("conv 1x1 64->256@56", one, 14, 2, "");
    conv("conv 1x1 64->256@56", one, 8, 3, "");
    ConvShape c256 = c64;
    c256.inC = c256.outC = 256, c256.height = c256.width = 14;
    conv("conv 3x3 256->256@14", c256, 14, 2, "");
    conv("conv 3x3 256->256@14", c256, 7, 4, "");
    ConvShape stem{.inC = 3,
                   .outC = 64,
                   .height = 224,
                   .width = 224,
                   .kernel = 7,
                   .stride = 2,
                   .pad = 3,
                   .outBlock = 16,
                   .haloIn = true};
    conv("conv 7x7s2 3->64@224", stem, 14, 2, "");
    conv("conv 7x7s2 3->64@224", stem, 7, 4, "");
    const ConvShape dw{.inC = 144,
                       .outC = 144,
                       .height = 56,
                       .width = 56,
                       .kernel = 3,
                       .pad = 1,
                       .inBlock = 16,
                       .outBlock = 16,
                       .depthwise = true,
                       .haloIn = true};
    for (const int height : {1, 2})
        for (const int width : {7, 14})
            all.push_back({"depthwise 3x3 144@56 " + std::to_string(height) + "x" + std::to_string(width),
                           convolution(dw),
                           "split conv.oc 16 -> oc0 ocv\nsplit conv.oh " + std::to_string(height) +
                               " -> oh0 oh1\nsplit conv.ow " + std::to_string(width) +
                               " -> ow0 ow1\nreorder conv oc0 oh0 ow0 kh kw oh1 ow1 ocv\nunroll conv.kh\nunroll "
                               "conv.kw\nunroll conv.oh1\nunroll conv.ow1\nvectorize conv.ocv\n"});
    return all;
}

void report(const Row& row, double peak) {
    const auto trace = schedule::parse(row.schedule);
    const auto scheduled = trace ? schedule::replay(row.program, *trace) : tl::unexpected<Error>(trace.error());
    if (!scheduled) {
        std::printf("%-34s %s\n", row.name.c_str(), scheduled.error().message().c_str());
        return;
    }
    codegen::Artefacts artefacts;
    artefacts.assembly = std::getenv("FETTLE_ASSEMBLY") != nullptr;
    double compileMs = 1e30;
    Result<codegen::Built> built;
    for (int i = 0; i < 3; ++i) {
        built = codegen::buildTask(*scheduled, target::detectHost(), artefacts);
        if (!built) break;
        compileMs = std::min(compileMs, built->stats.compileMs);
    }
    if (!built) {
        std::printf("%-34s %s\n", row.name.c_str(), built.error().message().c_str());
        return;
    }
    if (artefacts.assembly) std::ofstream(std::getenv("FETTLE_ASSEMBLY")) << built->assembly;
    const auto task = codegen::testing::LoadedTask::load(built->sharedObject);
    codegen::testing::Buffers buffers(*scheduled, 1);
    const std::vector<void*> pointers = buffers.voidPointers();
    const double ns = minNs([&] { task->function()(pointers.data(), nullptr, nullptr); }, 0.5);
    const double flopPerNs = loop::flopCount(row.program) / ns;
    std::printf(
        "%-34s %9.1f us %7.1f Gflop/s %5.1f %% of peak   compile %5.1f ms   hot block: %3d instructions, %3d fmas, %d "
        "spills\n",
        row.name.c_str(), ns / 1e3, flopPerNs, peak > 0 ? 100 * flopPerNs / peak : 0, compileMs,
        built->stats.instructions, built->stats.hotFmas, built->stats.vectorSpills);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const double peak = peakFlopPerNs();
    std::printf("peak of one core (register-only FMA loop): %.1f Gflop/s\n", peak);
    for (const Row& row : rows()) {
        bool wanted = true;
        for (int i = 1; i < argc; ++i) wanted &= row.name.find(argv[i]) != std::string::npos;
        if (wanted) report(row, peak);
    }
}
