// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/synthetic_session.h"

#include <cmath>
#include <thread>

#include "core/graph/kind.h"

namespace fettle::ui::test {

namespace {

struct Shape {
    const char* name;
    graph::OpKind kind;
    const char* detail;
    double ms, flops, bytes;
};

constexpr Shape kShapes[] = {
    {"Conv_%d + Clip_%d", graph::OpKind::Convolution, "1x1, 96 -> 24", 0.50, 17e6, 1.6e6},
    {"Conv_%d + Clip_%d", graph::OpKind::Convolution, "Depthwise 3x3, stride 1, pad 1", 0.61, 8.1e6, 3.6e6},
    {"Conv_%d", graph::OpKind::Convolution, "3x3, 3 -> 32, stride 2", 0.26, 21e6, 2.2e6},
    {"Gemm_%d", graph::OpKind::Matmul, "1x1280x1000", 0.54, 2.6e6, 5.1e6},
    {"Softmax_%d", graph::OpKind::Normalization, "over 1000", 0.02, 5e3, 8e3},
    {"GlobalAveragePool_%d", graph::OpKind::Pool, "7x7", 0.03, 6.3e4, 2.5e5},
    {"Add_%d", graph::OpKind::Elementwise, "1x24x56x56", 0.04, 7.5e4, 9e5},
    {"Reorder_%d", graph::OpKind::Layout, "to blocks of 16", 0.03, 0, 1.2e6},
};

std::string named(const char* pattern, int id) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, id, id + 1);
    return text;
}

}  // namespace

SyntheticTrials::SyntheticTrials(const SyntheticOptions& options) : state_(options.seed * 2862933555777941757ull + 1) {
    for (int t = 0; t < options.tasks; ++t) {
        const Shape& shape = kShapes[t % 9 < 6 ? t % 3 : 3 + (t / 9 * 3 + t % 9 - 6) % 5];
        const double scale = 0.4 + uniform();
        tasks_.push_back(
            {t, named(shape.name, 3 * t), graph::kindName(shape.kind), shape.detail, t % 5 == 0 ? 2 : 1,
             shape.flops * scale, shape.bytes * scale, uint64_t(t + 1),
             "split conv.ow 14 -> ow0 ow1\nreorder conv oh ow0 c kh kw ow1\nvectorize conv.ow1\nparallel conv oh\n"});
        defaultNs_.push_back(shape.ms * 1e6 * scale);
        bestNs_.push_back(0);
    }
}

double SyntheticTrials::uniform() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return double((state_ * 2685821657736338717ull) >> 11) / 9007199254740992.0;
}

store::TrialRow SyntheticTrials::next() {
    store::TrialRow row;
    row.id = ++trial_;
    const auto tasks = int64_t(tasks_.size());
    const bool first = row.id <= tasks;
    row.round = first ? 0 : int((row.id - tasks - 1) / 16 + 1);
    row.task = first ? int(row.id - 1) : int((row.round * 7 + (row.round / 5) % 3) % tasks);
    row.origin = first ? "default" : row.round < 3 ? "analytic" : "evolved";
    row.unixSeconds = 1.7e9 + double(row.id) * 0.05;
    const int c = 8 << int(3 * uniform()), w = 4 + int(12 * uniform());
    row.trace =
        first ? tasks_[row.task].defaultTrace
              : "split conv.c " + std::to_string(c) + " -> c0 c1\nsplit conv.ow " + std::to_string(w) +
                    " -> ow0 ow1\nreorder conv c0 oh ow0 kh kw ow1 c1\nmicrokernel conv ow1 c1\nparallel conv c0 oh\n";
    const double skill = 1.0 / (1.0 + double(row.round) / 18.0);
    const double ratio = first ? 1.0 : 0.24 + (0.25 + 0.9 * skill) * -std::log(1 - 0.93 * uniform()) * 0.8;
    const double ns = defaultNs_[row.task] * ratio;
    row.modelVersion = row.round < 3 ? 0 : row.round - 2;
    row.predictedNs = first ? 0 : ns * std::exp(0.25 * (uniform() + uniform() - 1));
    const double fate = uniform();
    if (!first && fate < 0.048) {
        row.status = fate < 0.018   ? int(measure::TrialStatus::BuildError)
                     : fate < 0.036 ? int(measure::TrialStatus::Timeout)
                     : fate < 0.043 ? int(measure::TrialStatus::Crash)
                                    : int(measure::TrialStatus::WrongResult);
        const char* causes[] = {"", "microkernel: 6x5 tile needs 36 vector registers, 31 are free",
                                "compile over 500 ms: body of 896 multiply-adds exceeds 512",
                                "SIGSEGV at a guard page, 64 bytes past the packed weights",
                                "max error 3.1e-2 over the tolerance 1e-4 at [0,17,3,9]"};
        row.error = causes[row.status];
        return row;
    }
    for (int s = 0; s < 6; ++s) row.samplesNs.push_back(int64_t(ns * (1 + 0.03 * uniform() * uniform())));
    row.minNs = *std::min_element(row.samplesNs.begin(), row.samplesNs.end());
    row.medianNs = row.samplesNs[3];
    return row;
}

SyntheticDriver::SyntheticDriver(const SyntheticOptions& options) : options_(options), source_(options) {
    ++alive;
    auto outline = std::make_shared<session::Outline>();
    outline->info.modelName = "synthetic.onnx";
    outline->info.target = "host";
    outline->target = target::detectHost();
    outline->tasks = source_.tasks();
    outline_ = outline;
}

void SyntheticDriver::push(session::Event event) {
    std::function<void()> wake;
    {
        std::lock_guard guard(mutex_);
        queue_.push_back(std::move(event));
        wake = wake_;
    }
    if (wake) wake();
}

void SyntheticDriver::pushTrials(int count) {
    std::vector<store::TrialRow> rows;
    for (int i = 0; i < count; ++i) rows.push_back(source_.next());
    trials_ += count;
    const int round = rows.back().round, task = rows.back().task;
    if (round != round_) {
        round_ = round;
        push(session::RoundStarted{round, task});
        if (round > 3) {
            const double grown = 1 - 1.0 / (1 + 0.1 * round);
            push(session::CostModelTrained{{round - 2, trials_, trials_ / 2, 0.4 + 0.55 * grown, 0.3 + 0.5 * grown},
                                           {{"ow tile: iterations of the innermost space loop", 0.31},
                                            {"register tile: rows times vectors", 0.24},
                                            {"oc block: channels in a block", 0.17},
                                            {"parallel axis: iterations of the parallel loop", 0.13},
                                            {"unroll: unrolled iterations", 0.09},
                                            {"cache read: bytes packed", 0.06}}});
        }
    }
    push(session::TrialsMeasured{std::move(rows)});
    session::Progress progress;
    progress.trials = trials_;
    progress.trialBudget = budget_;
    progress.etaSeconds = std::max(0, budget_ - trials_) / 20.0;
    progress.task = task;
    push(progress);
}

bool SyntheticDriver::tune(const session::TuneOptions& options) {
    budget_ = options.trials;
    trials_ = 0;
    push(session::StateChanged{session::State::Tuning, {}});
    return true;
}

bool SyntheticDriver::profile(int, int, bool) {
    push(session::ProfileReady{syntheticProfile(source_)});
    push(session::Finished{});
    return true;
}

void SyntheticDriver::stop() {
    push(session::StateChanged{session::State::Finished, {}});
    push(session::Finished{true, {}, false});
}

std::vector<session::Event> SyntheticDriver::poll() {
    std::lock_guard guard(mutex_);
    return std::exchange(queue_, {});
}

void SyntheticDriver::setWake(std::function<void()> wake) {
    std::lock_guard guard(mutex_);
    wake_ = std::move(wake);
}

Result<std::string> SyntheticDriver::show(int, const std::string& trace, const std::string& what) {
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.showMs));
    if (what == "asm")
        return std::string(
            "fettle_task:\n\tpush rbp\n.LBB0_5:\n\tlea r10, [r9 + rcx]\n.LBB0_6:\n\tvmovups zmm7, [rdi + r11]\n"
            "\tvfmadd231ps zmm0, zmm7, [rsi]\n\tvfmadd231ps zmm1, zmm7, [rsi+64]\n\tadd rsi, 64\n\tcmp r11, 576\n"
            "\tjne .LBB0_6\n\tvmovups [r8], zmm0\n\tjne .LBB0_5\n\tret\n");
    if (what == "loops")
        return std::string(
            "# 144 channels = 9 blocks of 16 lanes\nfor c0 in 9 parallel\n  for oh in 56 parallel\n    for ow0 in 8\n"
            "      for kh in 3\n        for kw in 3\n          for ow1 in 7 unrolled\n            acc[ow1] += "
            "P[c0,oh+kh,..] * w\n");
    return "; " + what + " of\n; " + trace;
}

compile::Profile syntheticProfile(const SyntheticTrials& source) {
    compile::Profile profile;
    profile.label = "best schedules";
    profile.runs = 20;
    compile::Span root;
    root.name = "synthetic";
    profile.spans.push_back(root);
    double at = 0;
    for (const store::TaskRow& task : source.tasks()) {
        compile::Span span;
        span.name = task.name;
        span.kind = kindFromName(task.kind);
        span.parent = 0;
        span.task = task.id;
        span.startNs = at;
        span.durationNs = span.selfNs = 50000 + 4000.0 * (task.id % 9);
        at += span.durationNs;
        profile.spans.push_back(span);
    }
    profile.spans[0].durationNs = at;
    profile.totalNs = profile.minNs = at;
    return profile;
}

DriverOpener syntheticOpener(const SyntheticOptions& options, std::shared_ptr<SyntheticDriver>* made) {
    return [options, made](const std::filesystem::path& file,
                           const session::OpenOptions&) -> Result<std::shared_ptr<SessionDriver>> {
        std::this_thread::sleep_for(std::chrono::milliseconds(options.openMs));
        if (file.filename() == "missing.onnx")
            return fail(ErrorCode::BadModel, "cannot open the model", file.string(), "there is no such file",
                        "Check the name.");
        auto driver = std::make_shared<SyntheticDriver>(options);
        if (made) *made = driver;
        return driver;
    };
}

}  // namespace fettle::ui::test
