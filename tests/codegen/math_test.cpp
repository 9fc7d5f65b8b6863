// SPDX-License-Identifier: GPL-3.0-or-later
// Our own vector functions against the C library in double.
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/schedule/trace.h"
#include "core/support/random.h"
#include "tests/codegen/programs.h"
#include "tests/codegen/run_task.h"

namespace fettle::codegen::testing {
namespace {

using loop::ScalarOp;

struct Function {
    ScalarOp op;
    double (*exact)(double);
    double low, high;  // where the error is measured
    double ulps;       // allowed
};

const Function kFunctions[] = {
    {ScalarOp::Exp, [](double x) { return std::exp(x); }, -104, 88.7, 1},
    {ScalarOp::Log, [](double x) { return std::log(x); }, 1e-38, 1e30, 1},
    {ScalarOp::Tanh, [](double x) { return std::tanh(x); }, -12, 12, 4},
    {ScalarOp::Erf, [](double x) { return std::erf(x); }, -6, 6, 1},
    {ScalarOp::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80, 2},
    {ScalarOp::Sin, [](double x) { return std::sin(x); }, -60, 60, 2},
    {ScalarOp::Cos, [](double x) { return std::cos(x); }, -60, 60, 2},
};

constexpr int kCount = 4096;

std::vector<float> evaluated(const loop::LoopProgram& program, const std::vector<float>& xs,
                             const std::vector<float>& zs) {
    const auto trace = schedule::parse("split map.c 16 -> c0 cv\nvectorize map.cv\n");
    const auto scheduled = schedule::replay(program, *trace);
    const auto built = buildTask(*scheduled, target::detectHost(), {});
    EXPECT_TRUE(built) << built.error().message();
    const auto task = LoadedTask::load(built->sharedObject);
    Buffers buffers(*scheduled, 1);
    buffers.set(*scheduled, 0, graph::tensorOf<float>(graph::DType::Float32, {1, kCount}, xs));
    buffers.set(*scheduled, 1, graph::tensorOf<float>(graph::DType::Float32, {1, kCount}, zs));
    const std::vector<void*> pointers = buffers.voidPointers();
    task->function()(pointers.data(), nullptr, nullptr);
    const graph::Tensor out = buffers.tensor(*scheduled, 2);
    return {out.as<float>().begin(), out.as<float>().end()};
}

std::vector<float> spread(double low, double high, uint64_t seed) {
    Rng rng(seed);
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> xs = {0.0f,    -0.0f, inf,    -inf,  std::numeric_limits<float>::quiet_NaN(), 1, -1, 1e-30f,
                             -1e-30f, 1e30f, -1e30f, 1e-40f};
    while (xs.size() < kCount) {
        const double u = rng.uniform();
        const bool wide = low > 0;  // by magnitude where the range is one of magnitudes
        xs.push_back(static_cast<float>(wide ? low * std::pow(high / low, u)
                                             : low + (high - low) * u * (xs.size() % 2 ? 1 : 0.01)));
    }
    return xs;
}

TEST(VectorMath, StaysWithinItsUlps) {
    for (const Function& f : kFunctions) {
        const auto xs = spread(f.low, f.high, 3);
        const auto ys = evaluated(elementwise(1, kCount, loop::unary(f.op, inputAt(0))), xs, xs);
        double worst = 0;
        float at = 0;
        for (int i = 0; i < kCount; ++i) {
            const auto x = static_cast<double>(xs[static_cast<size_t>(i)]);
            const float got = ys[static_cast<size_t>(i)], want = static_cast<float>(f.exact(x));
            const bool trigonometric = f.op == ScalarOp::Sin || f.op == ScalarOp::Cos;
            if (trigonometric && !(std::fabs(x) < 100)) continue;  // out of the range that is promised
            if (std::isnan(want) || std::isinf(want)) {
                EXPECT_EQ(std::isnan(want), std::isnan(got)) << loop::scalarOpName(f.op) << "(" << x << ") = " << got;
                if (std::isinf(want)) {
                    EXPECT_EQ(want, got) << loop::scalarOpName(f.op) << "(" << x << ")";
                }
                continue;
            }
            const double ulp = std::max(std::nextafter(std::fabs(want), INFINITY) - std::fabs(want), 1.4e-45f);
            double error = std::fabs(got - f.exact(x)) / ulp;
            if (trigonometric) error = std::fabs(got - f.exact(x)) / 5.96e-8;  // near a zero: absolute
            if (!(error <= worst)) worst = error, at = xs[static_cast<size_t>(i)];
        }
        EXPECT_LE(worst, f.ulps) << loop::scalarOpName(f.op) << " at " << at;
        std::printf("%-8s worst %.2f ulp at %g\n", loop::scalarOpName(f.op), worst, static_cast<double>(at));
    }
}

TEST(VectorMath, PowFollowsC) {
    auto xs = spread(-20, 20, 5), zs = spread(-5, 5, 6);
    for (size_t i = 0; i < xs.size(); i += 3) zs[i] = std::round(zs[i]);
    for (size_t i = 0; i < 144; ++i) xs[i + 200] = xs[i % 12], zs[i + 200] = zs[i / 12];
    const auto ys = evaluated(elementwise(1, kCount, loop::binary(ScalarOp::Pow, inputAt(0), inputAt(1))), xs, zs);
    for (size_t i = 0; i < xs.size(); ++i) {
        const float want = static_cast<float>(std::pow(static_cast<double>(xs[i]), static_cast<double>(zs[i]))),
                    got = ys[i];
        if (std::isnan(want) || std::isnan(got)) {
            EXPECT_EQ(std::isnan(want), std::isnan(got)) << "pow(" << xs[i] << ", " << zs[i] << ") = " << got;
        } else if (want != got) {
            EXPECT_NEAR(got / want, 1, 1e-5) << "pow(" << xs[i] << ", " << zs[i] << ") = " << got << ", not " << want;
        }
    }
}

}  // namespace
}  // namespace fettle::codegen::testing
