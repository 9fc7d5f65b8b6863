// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <set>

#include "core/search/pool.h"
#include "core/search/search.h"
#include "core/search/validity.h"

namespace fettle::search {
namespace {

constexpr double kParentShare = 0.2;   // of the population: the best measured
constexpr double kFreshShare = 0.25;   // of the population: the closed form's best among new points
constexpr size_t kNear = 2;            // candidates of one round differ in at least so many decisions, while they can
constexpr size_t kEnoughTrials = 8;    // of this task, before the model decides instead of the closed form
constexpr size_t kDraftParents = 64;   // of the drafts, mutated into more
constexpr double kLowestScore = 0.02;  // a prediction is at most fifty times the best

// Sketches of trials that came as traces.
constexpr int kUnknown = -1, kElsewhere = -2;

struct Scored {
    space::Point point;
    double score = 0;  // higher is better
};

void sortBest(std::vector<Scored>& scored) {
    std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });
}

size_t difference(const space::Point& a, const space::Point& b) {
    if (a.sketch != b.sketch) return kNear;
    size_t count = 0;
    for (size_t k = 0; k < a.choice.size(); ++k) count += a.choice[k] != b.choice[k];
    return count;
}

uint64_t mix(uint64_t a, uint64_t b) {
    return Rng(a ^ (b * 0x9e3779b97f4a7c15ULL)).next();
}

}  // namespace

struct TaskSearch::State {
    State(const loop::LoopProgram& program, const target::Target& target, const SearchOptions& searchOptions)
        : pool(program, target, searchOptions.threads),
          options(searchOptions),
          identity(mix(searchOptions.seed, loop::structuralHash(program))) {}

    struct Trial {
        space::Point point;  // sketch < 0: not known to be of the design space
        cost::FeatureRows rows;
        int64_t ns = 0;
        uint64_t trace = 0;  // its hash
    };

    Pool pool;
    SearchOptions options;
    uint64_t identity;
    std::set<uint64_t> tried;          // hashes of traces
    std::set<std::string> loopsTried;  // prints of loop nests: two traces may mean the same loops
    std::vector<Trial> valid;
    Validity validity;
    int trials = 0, rounds = 0;
    int64_t bestNs = 0;
    bool exhausted = false;
    std::vector<Scored> drafts;  // best first, by the closed form

    void draft(int limit, Rng& rng);
    void addDrafts(const std::vector<space::Point>& points);
    void recognise();
    std::vector<double> score(const std::vector<space::Point>& points, const cost::CostModel& model);
    std::vector<Scored> evolve(const cost::CostModel& model, Rng& rng);
    std::optional<Candidate> candidate(const space::Point& point);
    void take(const std::vector<Scored>& ranked, size_t n, const char* origin, int version,
              std::vector<Candidate>& taken);
    void takeRandom(size_t n, Rng& rng, std::vector<Candidate>& taken);
};

// Adds to the drafts: all points of a small space, else half of `limit` at random and, in two steps, mutations of the
// best known by then.
void TaskSearch::State::draft(int limit, Rng& rng) {
    const bool all = pool.enumerable(options.draft);
    addDrafts(pool.draft(all ? options.draft : limit / 2, rng));
    for (int step = 0; step < 2 && !all; ++step) {
        std::vector<space::Point> points;
        const size_t parents = std::min(drafts.size(), kDraftParents);
        for (int k = 0; k < limit / 4 && parents > 0; ++k)
            points.push_back(pool.space().mutate(drafts[static_cast<size_t>(k) % parents].point, rng));
        addDrafts(points);
    }
}

// Scored anew, since what is valid is learnt on the way; the best are kept.
void TaskSearch::State::addDrafts(const std::vector<space::Point>& points) {
    std::set<std::pair<int, std::vector<int>>> known;
    for (const Scored& draft : drafts) known.emplace(draft.point.sketch, draft.point.choice);
    for (const space::Point& point : points)
        if (pool.analyticNs(point) && known.emplace(point.sketch, point.choice).second) drafts.push_back({point, 0});
    for (Scored& draft : drafts)
        draft.score = validity.estimate(draft.point) / std::max(*pool.analyticNs(draft.point), 1e-3);
    sortBest(drafts);
    if (drafts.size() > static_cast<size_t>(options.draft)) drafts.resize(static_cast<size_t>(options.draft));
}

// Finds the points of restored trials among the drafts, so that evolution can start from them.
void TaskSearch::State::recognise() {
    std::map<uint64_t, Trial*> unknown;
    for (Trial& trial : valid)
        if (trial.point.sketch == kUnknown) {
            unknown[trial.trace] = &trial;
            trial.point.sketch = kElsewhere;  // looked for once
        }
    if (unknown.empty()) return;
    for (const Scored& draft : drafts) {
        const auto trace = pool.space().trace(draft.point);
        if (!trace) continue;
        if (const auto found = unknown.find(schedule::hash(*trace)); found != unknown.end())
            found->second->point = draft.point;
    }
}

std::vector<double> TaskSearch::State::score(const std::vector<space::Point>& points, const cost::CostModel& model) {
    std::vector<cost::FeatureRows> rows;
    rows.reserve(points.size());
    for (const space::Point& point : points) rows.push_back(pool.features(point));
    std::vector<double> scores = model.predict(rows);
    for (size_t k = 0; k < points.size(); ++k)
        scores[k] = rows[k].empty() ? 0 : std::max(scores[k], kLowestScore) * validity.estimate(points[k]);
    return scores;
}

// Generations of mutation and crossover, parents drawn by score; returns all that lived, best first.
std::vector<Scored> TaskSearch::State::evolve(const cost::CostModel& model, Rng& rng) {
    const auto size = static_cast<size_t>(std::max(1, options.population));
    std::vector<space::Point> population;
    std::vector<Trial> parents;
    for (const Trial& trial : valid)
        if (trial.point.sketch >= 0) parents.push_back(trial);
    std::stable_sort(parents.begin(), parents.end(), [](const Trial& a, const Trial& b) { return a.ns < b.ns; });
    for (size_t k = 0; k < parents.size() && population.size() < static_cast<size_t>(kParentShare * size); ++k)
        population.push_back(parents[k].point);
    for (size_t k = 0; k < drafts.size() && k < static_cast<size_t>(kFreshShare * size); ++k)
        population.push_back(drafts[k].point);
    while (population.size() < size) population.push_back(pool.space().sample(rng));

    std::map<std::pair<int, std::vector<int>>, double> lived;
    for (int generation = 0; generation <= options.generations; ++generation) {
        const std::vector<double> scores = score(population, model);
        std::vector<double> sums(scores.size());
        double total = 0;
        for (size_t k = 0; k < scores.size(); ++k) {
            lived[{population[k].sketch, population[k].choice}] = scores[k];
            total += scores[k];
            sums[k] = total;
        }
        if (generation == options.generations || total <= 0) break;
        const auto drawn = [&]() -> const space::Point& {
            const auto at = std::lower_bound(sums.begin(), sums.end(), rng.uniform() * total) - sums.begin();
            return population[std::min(static_cast<size_t>(at), population.size() - 1)];
        };
        std::vector<space::Point> next;
        while (next.size() < size) {
            const space::Point& parent = drawn();
            next.push_back(rng.uniform() < options.mutateProbability ? pool.space().mutate(parent, rng)
                                                                     : pool.space().crossover(parent, drawn(), rng));
        }
        population = std::move(next);
    }
    std::vector<Scored> scored;
    for (const auto& [key, value] : lived) scored.push_back({{key.first, key.second}, value});
    sortBest(scored);
    return scored;
}

// A point as a candidate, when it is legal and neither its trace nor its loops have been tried.
std::optional<Candidate> TaskSearch::State::candidate(const space::Point& point) {
    auto trace = pool.space().trace(point);
    if (!trace || tried.contains(schedule::hash(*trace))) return std::nullopt;
    auto scheduled = schedule::replay(pool.program(), *trace);
    if (!scheduled || !loopsTried.insert(loop::print(*scheduled)).second) return std::nullopt;
    tried.insert(schedule::hash(*trace));
    Candidate result;
    result.point = point;
    result.trace = std::move(*trace);
    result.scheduled = std::move(*scheduled);
    return result;
}

void TaskSearch::State::take(const std::vector<Scored>& ranked, size_t n, const char* origin, int version,
                             std::vector<Candidate>& taken) {
    for (const size_t apart : {kNear, size_t{0}})
        for (const Scored& scored : ranked) {
            if (taken.size() >= n) return;
            if (scored.score <= 0) continue;
            const bool near = std::any_of(taken.begin(), taken.end(), [&](const Candidate& other) {
                return difference(other.point, scored.point) < apart;
            });
            if (near) continue;
            auto next = candidate(scored.point);
            if (!next) continue;
            next->origin = origin;
            next->modelVersion = version;
            const double likely = validity.estimate(scored.point);
            next->predicted = version == 0 ? *pool.analyticNs(scored.point)
                              : bestNs > 0 ? static_cast<double>(bestNs) * likely / scored.score
                                           : 0;
            taken.push_back(std::move(*next));
        }
}

void TaskSearch::State::takeRandom(size_t n, Rng& rng, std::vector<Candidate>& taken) {
    for (size_t attempt = 0; taken.size() < n && attempt < 8 * n + 64; ++attempt) {
        auto next = candidate(pool.space().sample(rng));
        if (!next) continue;
        next->predicted = *pool.analyticNs(next->point);
        taken.push_back(std::move(*next));
    }
}

TaskSearch::TaskSearch(const loop::LoopProgram& program, const target::Target& target, SearchOptions options)
    : state_(new State(program, target, options)) {}

TaskSearch::~TaskSearch() = default;

std::vector<Candidate> TaskSearch::propose(int n, const cost::CostModel& model) {
    State& s = *state_;
    std::vector<Candidate> taken;
    if (n <= 0 || s.exhausted) return taken;
    Rng rng(mix(s.identity, static_cast<uint64_t>(s.rounds++) * 1000003 + static_cast<uint64_t>(s.trials)));
    const auto wanted = static_cast<size_t>(n);
    const bool analytic = model.version() == 0 || s.valid.size() < kEnoughTrials;
    const bool all = s.pool.enumerable(s.options.draft);
    if (s.drafts.empty() || !all) s.draft(s.drafts.empty() ? s.options.draft : s.options.population, rng);
    s.recognise();
    const size_t random = s.rounds == 1 ? 0 : static_cast<size_t>(std::ceil(s.options.epsilon * n));
    const size_t guided = wanted > random ? wanted - random : 0;
    if (analytic) {
        s.take(s.drafts, guided, "analytic", 0, taken);
    } else if (all) {
        std::vector<space::Point> points;
        for (const Scored& scored : s.drafts) points.push_back(scored.point);
        const std::vector<double> scores = s.score(points, model);
        std::vector<Scored> ranked;
        for (size_t k = 0; k < points.size(); ++k) ranked.push_back({points[k], scores[k]});
        sortBest(ranked);
        s.take(ranked, guided, "evolved", model.version(), taken);
    } else {
        s.take(s.evolve(model, rng), guided, "evolved", model.version(), taken);
    }
    s.takeRandom(wanted, rng, taken);
    if (taken.size() < wanted && all) s.take(s.drafts, wanted, "analytic", 0, taken);
    s.exhausted = taken.size() < wanted && (all || taken.empty());
    return taken;
}

void TaskSearch::report(const Candidate& candidate, const measure::TrialResult& result) {
    State& s = *state_;
    if (result.status == measure::TrialStatus::Cancelled) return;
    ++s.trials;
    s.tried.insert(schedule::hash(candidate.trace));
    const bool valid = result.status == measure::TrialStatus::Ok && result.minNs > 0;
    if (candidate.point.sketch >= 0) s.validity.add(candidate.point, valid);
    if (!valid) return;
    if (s.bestNs == 0 || result.minNs < s.bestNs) s.bestNs = result.minNs;
    s.valid.push_back(
        {candidate.point, s.pool.featuresOf(candidate.scheduled), result.minNs, schedule::hash(candidate.trace)});
}

void TaskSearch::restore(const schedule::Trace& trace, const measure::TrialResult& result) {
    State& s = *state_;
    auto scheduled = schedule::replay(s.pool.program(), trace);
    if (!scheduled) return;
    s.loopsTried.insert(loop::print(*scheduled));
    Candidate candidate;
    candidate.point.sketch = kUnknown;
    candidate.trace = trace;
    candidate.scheduled = std::move(*scheduled);
    report(candidate, result);
}

bool TaskSearch::exhausted() const {
    return state_->exhausted;
}
int64_t TaskSearch::bestNs() const {
    return state_->bestNs;
}
int TaskSearch::trials() const {
    return state_->trials;
}

std::vector<cost::Sample> TaskSearch::samples(int taskIndex) const {
    std::vector<cost::Sample> samples;
    for (const State::Trial& trial : state_->valid)
        samples.push_back({trial.rows, taskIndex, static_cast<double>(trial.ns)});
    return samples;
}

}  // namespace fettle::search
