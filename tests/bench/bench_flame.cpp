// SPDX-License-Identifier: GPL-3.0-or-later
// The flame chart with 50,000 spans: making the tree, laying it out, painting it. A frame is 16 ms.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>

#include "tests/ui/sample_profile.h"
#include "ui/flame/flame_paint.h"

namespace fettle::ui {
namespace {

const compile::Profile& profile() {
    static const compile::Profile made = randomProfile(7, 50000);
    return made;
}
const FlameTree& tree() {
    static const FlameTree made = runTree(profile(), FlameOrder::Time);
    return made;
}
FlameRange all() {
    return {0, double(tree().totalNs())};
}

void makeTree(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(runTree(profile(), FlameOrder::Cost));
}
BENCHMARK(makeTree)->Unit(benchmark::kMillisecond);

void layOut(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(FlameLayout(tree(), all(), 1400));
}
BENCHMARK(layOut)->Unit(benchmark::kMillisecond);

void paint(benchmark::State& state) {
    static Theme theme(*qApp);
    FlameStyle style;
    const FlameLayout layout(tree(), all(), 1400);
    QImage image(1400, flameHeight(tree().depth(), style, theme), QImage::Format_RGB32);
    ElisionCache elisions;
    for (auto _ : state) {
        QPainter painter(&image);
        paintFlame(painter, {0, 0}, tree(), layout, style, theme, elisions);
    }
}
BENCHMARK(paint)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fettle::ui

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
