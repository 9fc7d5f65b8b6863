// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/sketches.h"

#include <algorithm>
#include <set>

namespace fettle::space {
namespace {

constexpr double kOpenShare = 0.1;       // stages with a smaller share of the work keep their usual decisions
constexpr double kWorthThreads = 65536;  // operations of a stage from which threads are the default

struct Plan {
    schedule::Trace head;
    std::vector<StagePlan> stages;  // in the order of the program
    std::vector<bool> open;         // which stages' decisions are shown
    int anchor = 0;
    int sharedLoops = 0;  // > 0: all stages but the last run inside the last one's first loops
    int threads = 1;
};

double work(const StageShape& shape) {
    return shape.points * (shape.opsPerPoint + (shape.reduction ? 1 : 0));
}

// How many outer loops give every thread several turns.
int usualParallel(const std::vector<BuiltLoop>& outer, int threads) {
    int64_t jobs = 1;
    int loops = 0;
    while (loops < static_cast<int>(outer.size()) && jobs < 4 * threads)
        jobs *= outer[static_cast<size_t>(loops++)].extent;
    return jobs > 1 ? loops : 0;
}

void addParallel(const StageShape& shape, const std::vector<BuiltLoop>& outer, int loops, schedule::Trace& trace) {
    schedule::Parallel primitive{shape.name, {}};
    for (int k = 0; k < std::min(loops, static_cast<int>(outer.size())); ++k)
        primitive.loops.push_back(outer[static_cast<size_t>(k)].name);
    if (!primitive.loops.empty()) trace.primitives.emplace_back(std::move(primitive));
}

// parallel: -1 as usual, else that many loops of the anchor.
schedule::Trace emit(const Plan& plan, const std::vector<std::vector<int64_t>>& values, int parallel) {
    schedule::Trace trace = plan.head;
    std::vector<std::vector<BuiltLoop>> outer;
    for (size_t k = 0; k < plan.stages.size(); ++k) outer.push_back(plan.stages[k].emit(values[k], trace));
    const size_t last = plan.stages.size() - 1;
    for (size_t k = 0; k < plan.stages.size(); ++k) {
        const StageShape& shape = *plan.stages[k].shape;
        if (plan.sharedLoops > 0 && k < last) {
            const std::string& loop = plan.stages[last].shape->axes[static_cast<size_t>(plan.sharedLoops - 1)].name;
            trace.primitives.emplace_back(schedule::ComputeAt{shape.name, plan.stages[last].shape->name, loop});
            continue;
        }
        if (plan.threads < 2) continue;
        if (plan.sharedLoops > 0) outer[k].resize(std::min(outer[k].size(), static_cast<size_t>(plan.sharedLoops)));
        const bool isAnchor = plan.sharedLoops > 0 || static_cast<int>(k) == plan.anchor;
        int loops = work(shape) >= kWorthThreads ? usualParallel(outer[k], plan.threads) : 0;
        if (isAnchor && parallel >= 0) loops = parallel;
        addParallel(shape, outer[k], loops, trace);
    }
    return trace;
}

// Where a decision of the sketch goes: a slot of a stage, or the parallel loops (stage -1).
struct Slot {
    int stage, slot;
};

struct Values {
    std::vector<std::vector<int64_t>> ofStage;
    int parallel = -1;
};

// From indices into choices to the values that plans take.
struct Resolver {
    std::vector<Slot> slots;
    std::vector<std::vector<int64_t>> usual;
    std::vector<Decision> decisions;

    Values values(const std::vector<int>& choice) const {
        Values result{usual, -1};
        for (size_t k = 0; k < slots.size(); ++k) {
            const int64_t value = decisions[k].choices.at(static_cast<size_t>(choice[k]));
            if (slots[k].stage < 0)
                result.parallel = static_cast<int>(value);
            else
                result.ofStage[static_cast<size_t>(slots[k].stage)][static_cast<size_t>(slots[k].slot)] = value;
        }
        return result;
    }
};

Sketch sketchOf(std::shared_ptr<const Plan> plan, std::string name) {
    Sketch sketch;
    sketch.name = std::move(name);
    std::vector<Slot> slots;
    std::vector<std::vector<int64_t>> usual;
    const bool several = std::count(plan->open.begin(), plan->open.end(), true) > 1;
    for (size_t k = 0; k < plan->stages.size(); ++k) {
        usual.emplace_back();
        for (size_t d = 0; d < plan->stages[k].decisions.size(); ++d) {
            const Decision& decision = plan->stages[k].decisions[d];
            usual[k].push_back(decision.choices[static_cast<size_t>(decision.usual)]);
            if (!plan->open[k] || decision.choices.size() < 2) continue;
            sketch.decisions.push_back(decision);
            if (several) sketch.decisions.back().name = plan->stages[k].shape->name + " " + decision.name;
            slots.push_back({static_cast<int>(k), static_cast<int>(d)});
        }
    }
    if (plan->threads > 1) {
        Decision decision{"parallel loops", {0, 1, 2, 3, 4}, 0};
        schedule::Trace scratch;
        const size_t at = plan->sharedLoops > 0 ? plan->stages.size() - 1 : static_cast<size_t>(plan->anchor);
        const std::vector<BuiltLoop> outer = plan->stages[at].emit(usual[at], scratch);
        if (work(*plan->stages[at].shape) >= kWorthThreads)
            decision.usual = std::min(4, usualParallel(outer, plan->threads));
        sketch.decisions.push_back(decision);
        slots.push_back({-1, 0});
    }
    const auto resolve = std::make_shared<const Resolver>(Resolver{slots, std::move(usual), sketch.decisions});
    sketch.broken = [plan, resolve](const std::vector<int>& choice) -> const char* {
        if (choice.size() != resolve->slots.size()) return "wrong number of choices";
        const Values values = resolve->values(choice);
        for (size_t k = 0; k < plan->stages.size(); ++k)
            if (const char* why = plan->stages[k].broken(values.ofStage[k])) return why;
        return nullptr;
    };
    sketch.build = [plan, resolve, broken = sketch.broken](const std::vector<int>& choice) -> Result<schedule::Trace> {
        if (const char* why = broken(choice))
            return fail(ErrorCode::Failed, "no such schedule", plan->stages[0].shape->name, why);
        const Values values = resolve->values(choice);
        return emit(*plan, values.ofStage, values.parallel);
    };
    return sketch;
}

// Leading axes that every stage has in common with the last one.
int commonPrefix(const std::vector<ShapePtr>& shapes) {
    const StageShape& last = *shapes.back();
    size_t prefix = last.axes.size();
    for (const ShapePtr& shape : shapes) {
        size_t k = 0;
        while (k < std::min(shape->axes.size(), prefix) && !shape->axes[k].reduce && !last.axes[k].reduce &&
               shape->axes[k].extent == last.axes[k].extent)
            ++k;
        prefix = k;
    }
    if (prefix == last.axes.size() && prefix > 0) --prefix;  // something must be left to vectorise
    return static_cast<int>(prefix);
}

// The stages' plans under one preferred rule: a stage it does not suit takes its first that applies.
Plan planWith(const std::vector<ShapePtr>& shapes, const StageRule* preferred, int prefix, const Variant& variant,
              int threads) {
    Plan plan;
    plan.head = variant.head;
    plan.sharedLoops = prefix;
    plan.threads = threads;
    double total = 0, most = -1;
    for (const ShapePtr& shape : shapes) total += work(*shape);
    for (size_t k = 0; k < shapes.size(); ++k) {
        const StageRule* rule = preferred && preferred->applies(*shapes[k], prefix) ? preferred : nullptr;
        for (const StageRule& candidate : stageRules())
            if (!rule && candidate.applies(*shapes[k], prefix)) rule = &candidate;
        plan.stages.push_back(rule->plan(shapes[k], prefix));
        plan.open.push_back(work(*shapes[k]) >= kOpenShare * total);
        if (work(*shapes[k]) > most) {
            most = work(*shapes[k]);
            plan.anchor = static_cast<int>(k);
        }
    }
    return plan;
}

std::string nameOf(const Plan& plan, const Variant& variant) {
    std::string name = plan.stages[static_cast<size_t>(plan.anchor)].name + " " +
                       plan.stages[static_cast<size_t>(plan.anchor)].shape->name;
    if (plan.sharedLoops > 0) name += ", row by row";
    if (!variant.name.empty()) name += ", " + variant.name;
    return name;
}

std::string signature(const Plan& plan) {
    std::string text = std::to_string(plan.sharedLoops);
    for (const StagePlan& stage : plan.stages) text += "|" + stage.name;
    return text;
}

}  // namespace

std::vector<Sketch> sketches(const Variant& variant, const target::Target& target, int threads) {
    std::vector<Sketch> result;
    if (variant.program.stages.empty()) return result;
    std::vector<ShapePtr> shapes;
    for (size_t k = 0; k < variant.program.stages.size(); ++k)
        shapes.push_back(std::make_shared<StageShape>(stageShape(variant.program, static_cast<int>(k), target)));
    std::vector<const StageRule*> preferred{nullptr};
    for (const StageRule& rule : stageRules())
        if (!rule.lastResort) preferred.push_back(&rule);
    std::vector<int> prefixes{0};
    const int prefix = commonPrefix(shapes);
    int64_t rows = 1;
    for (int k = 0; k < prefix; ++k) rows *= shapes.back()->axes[static_cast<size_t>(k)].extent;
    if (shapes.size() > 1 && prefix > 0 && rows > 1) prefixes.insert(prefixes.begin(), prefix);

    std::set<std::string> seen;
    for (int shared : prefixes)
        for (const StageRule* rule : preferred) {
            auto plan = std::make_shared<Plan>(planWith(shapes, rule, shared, variant, threads));
            if (!seen.insert(signature(*plan)).second) continue;
            Sketch sketch = sketchOf(plan, nameOf(*plan, variant));
            std::vector<int> usual;
            for (const Decision& decision : sketch.decisions) usual.push_back(decision.usual);
            if (!sketch.broken(usual)) result.push_back(std::move(sketch));
        }
    return result;
}

}  // namespace fettle::space
