// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the cost model of a session: trained from scratch after each round, on a thread of its own, while the next
// round is being measured; used once it is done. Also judges each version on trials predicted before they were
// measured.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/cost/cost_model.h"

namespace fettle::session {

class CostTrainer {
public:
    // lastVersion: of the cost model that an earlier part of the session ended with; versions go on from it.
    CostTrainer(uint64_t seed, int lastVersion);
    ~CostTrainer();

    const cost::CostModel& model() const { return *model_; }
    int version() const { return version_; }  // of model(); 0: untrained, the closed form predicts

    void start(std::vector<cost::Sample> samples);  // waits for a training that is under way
    struct Trained {
        Status status;
        int samples = 0;
        double seconds = 0;
    };
    // Waits, takes the new model into use; nothing when none was started.
    std::optional<Trained> finish();

    // A valid trial and what was predicted for it before it was measured.
    void judge(int task, double predictedNs, int modelVersion, int64_t measuredNs);
    // Over the latest held-out trials (at most 128); version and trainedOn are those of model().
    cost::Quality quality() const;

private:
    struct HeldOut {
        int task;
        double predicted;
        double measured;
    };
    struct Training {
        std::unique_ptr<cost::CostModel> model;
        Trained result;
        std::thread thread;
    };
    uint64_t seed_;
    int lastVersion_, version_ = 0, trainedOn_ = 0;
    std::unique_ptr<cost::CostModel> model_;
    std::unique_ptr<Training> training_;
    std::deque<HeldOut> heldOut_;
};

}  // namespace fettle::session
