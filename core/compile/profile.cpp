// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs and runs with a time stamp at each step take turns, so that a drift of the machine meets both.
#include <numeric>

#include "core/compile/inputs.h"

namespace fettle::compile {

namespace {

constexpr uint64_t kSeed = 1;
constexpr int kTurns = 5;

double quantile(std::vector<int64_t> values, double q) {
    if (values.empty()) return 0;
    const auto at = static_cast<ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return static_cast<double>(values[static_cast<size_t>(at)]);
}

std::vector<std::string> segmentsOf(const std::string& path) {
    std::vector<std::string> segments;
    for (size_t from = 0; from < path.size();) {
        const size_t to = std::min(path.find('/', from), path.size());
        if (to > from) segments.push_back(path.substr(from, to - from));
        from = to + 1;
    }
    return segments;
}

// Builds the tree while the steps come in order. Every span keeps its time in each run, for minimum and maximum.
class Tree {
public:
    Tree(std::string name, size_t runs) : runs_(runs) {
        Span root;
        root.name = std::move(name);
        add(std::move(root));
    }

    void step(const OpenedModel& model, const codegen::Step& step, const std::vector<int64_t>& perRun) {
        const auto group = static_cast<size_t>(step.group);
        const std::string path = group < model.groupPaths.size() ? model.groupPaths[group] : "";
        enter(segmentsOf(path));
        Span span;
        span.name = step.name;
        span.path = path;
        span.parent = open_.empty() ? 0 : open_.back();
        span.group = step.group;
        if (group < model.taskOfGroup.size()) {
            span.task = model.taskOfGroup[group];
            const Task& task = model.tasks[static_cast<size_t>(span.task)];
            span.kind = task.kind;
            span.flops = task.flops;
            span.bytes = task.bytes;
        }
        span.durationNs = span.selfNs = quantile(perRun, 0.5);
        span.startNs = clockNs_;
        clockNs_ += span.durationNs;
        const Span leaf = span;
        const int number = add(std::move(span));
        perRun_[static_cast<size_t>(number)] = perRun;
        for (int at = leaf.parent; at >= 0; at = spans_[static_cast<size_t>(at)].parent) grow(at, leaf, perRun);
    }

    std::vector<Span> finish() {
        for (size_t i = 0; i < spans_.size(); ++i) {
            const auto [low, high] = std::minmax_element(perRun_[i].begin(), perRun_[i].end());
            if (low == perRun_[i].end()) continue;
            spans_[i].minNs = static_cast<double>(*low);
            spans_[i].maxNs = static_cast<double>(*high);
        }
        return std::move(spans_);
    }

private:
    int add(Span span) {
        spans_.push_back(std::move(span));
        perRun_.emplace_back(runs_, 0);
        return static_cast<int>(spans_.size()) - 1;
    }

    // Path spans are kept open while the next step lies under them.
    void enter(const std::vector<std::string>& segments) {
        size_t same = 0;
        while (same < open_.size() && same < segments.size() &&
               spans_[static_cast<size_t>(open_[same])].name == segments[same])
            ++same;
        open_.resize(same);
        for (size_t i = same; i < segments.size(); ++i) {
            Span span;
            span.name = segments[i];
            span.parent = i == 0 ? 0 : open_[i - 1];
            span.path = i == 0 ? segments[0] : spans_[static_cast<size_t>(span.parent)].path + "/" + segments[i];
            span.startNs = clockNs_;
            open_.push_back(add(std::move(span)));
        }
    }

    void grow(int at, const Span& leaf, const std::vector<int64_t>& perRun) {
        Span& span = spans_[static_cast<size_t>(at)];
        span.durationNs += leaf.durationNs;
        span.flops += leaf.flops;
        span.bytes += leaf.bytes;
        std::vector<int64_t>& sum = perRun_[static_cast<size_t>(at)];
        for (size_t run = 0; run < sum.size() && run < perRun.size(); ++run) sum[run] += perRun[run];
    }

    size_t runs_;
    std::vector<Span> spans_;
    std::vector<std::vector<int64_t>> perRun_;  // of each span
    std::vector<int> open_;                     // path spans from the outermost
    double clockNs_ = 0;
};

struct Timings {
    std::vector<int64_t> whole;
    std::vector<std::vector<int64_t>> steps;  // [run][step]
};

Result<Timings> timeInTurns(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                            int threads, int runs, const CancelToken& cancel) {
    const auto inputs = seededInputs(model, kSeed);
    const std::string& name = compiled.plan.name;
    Timings timings;
    FETTLE_CHECK(evaluator.timeModel(compiled.sharedObject, name, inputs, threads, 1, 0, false, cancel));  // warm-up
    const int turns = std::min(kTurns, runs);
    for (int turn = 0; turn < turns; ++turn) {
        const int count = runs * (turn + 1) / turns - runs * turn / turns;
        for (const bool perStep : {false, true}) {
            FETTLE_TRY(const auto part,
                       evaluator.timeModel(compiled.sharedObject, name, inputs, threads, count, 0, perStep, cancel));
            if (!perStep) timings.whole.insert(timings.whole.end(), part.runNs.begin(), part.runNs.end());
            timings.steps.insert(timings.steps.end(), part.stepNs.begin(), part.stepNs.end());
        }
    }
    return timings;
}

}  // namespace

Result<Profile> profileModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                             int threads, int runs, const CancelToken& cancel) {
    FETTLE_TRY(const Timings timings, timeInTurns(model, compiled, evaluator, threads, std::max(runs, 1), cancel));
    const auto& steps = compiled.plan.steps;
    Tree tree(model.name, timings.steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        std::vector<int64_t> perRun;
        for (const auto& run : timings.steps) {
            if (run.size() != steps.size())
                return fail(ErrorCode::Failed, "cannot profile the model", model.name,
                            "it reported " + std::to_string(run.size()) + " steps of " + std::to_string(steps.size()));
            perRun.push_back(run[i]);
        }
        tree.step(model, steps[i], perRun);
    }
    Profile profile;
    profile.runs = static_cast<int>(timings.whole.size());
    profile.threads = threads;
    profile.totalNs = quantile(timings.whole, 0.5);
    profile.minNs = quantile(timings.whole, 0);
    profile.spread = profile.minNs > 0 ? (quantile(timings.whole, 0.9) - profile.minNs) / profile.minNs : 0;
    profile.spans = tree.finish();
    return profile;
}

}  // namespace fettle::compile
