// SPDX-License-Identifier: GPL-3.0-or-later
// The learnt cost model: XGBoost over per-store features, one model for all tasks of a session, retrained from
// scratch each round. A program's score is the sum over its stores; the label is throughput relative to the task's
// best (best / measured, in (0,1]). Higher is faster.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/cost/features.h"

namespace fettle::cost {

struct Sample {
    FeatureRows rows;
    int task = 0;
    double latencyNs = 0;
};

struct Quality {  // on held-out trials (each round's trials, predicted before they were measured)
    int version = 0;
    int trainedOn = 0;  // samples
    int heldOut = 0;
    double spearman = 0;  // of predicted against measured, within tasks, weighted by trials; 0 when heldOut < 2
    double topK = 0;      // share of the best 8 measured that were among the best 8 predicted (recall)
};

class CostModel {  // four verbs
public:
    virtual ~CostModel() = default;
    virtual Status train(const std::vector<Sample>& samples) = 0;                             // bumps version()
    virtual std::vector<double> predict(const std::vector<FeatureRows>& programs) const = 0;  // scores
    virtual std::vector<std::byte> save() const = 0;
    virtual Status load(const std::vector<std::byte>& bytes) = 0;
    virtual int version() const = 0;  // 0: untrained
    // gain share per feature, largest first, for "what matters"
    virtual std::vector<std::pair<std::string, double>> importance() const = 0;
};

std::unique_ptr<CostModel> makeXgboostModel(uint64_t seed);

double spearman(const std::vector<double>& a, const std::vector<double>& b);  // average ranks for ties
double topKRecall(const std::vector<double>& scores, const std::vector<double>& latencies, int k);

}  // namespace fettle::cost
