// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/cost_trainer.h"

#include <chrono>
#include <map>

#include "core/support/affinity.h"

namespace fettle::session {
namespace {

constexpr size_t kHeldOutWindow = 128;
constexpr int kTopK = 8;

}  // namespace

CostTrainer::CostTrainer(uint64_t seed, int lastVersion)
    : seed_(seed), lastVersion_(lastVersion), model_(cost::makeXgboostModel(seed)) {}

CostTrainer::~CostTrainer() {
    if (training_) training_->thread.join();
}

void CostTrainer::start(std::vector<cost::Sample> samples) {
    finish();
    training_ = std::make_unique<Training>();
    training_->model = cost::makeXgboostModel(seed_);
    training_->result.samples = static_cast<int>(samples.size());
    training_->thread = std::thread([training = training_.get(), samples = std::move(samples)] {
        support::leaveMeasuringCpu();
        const auto from = std::chrono::steady_clock::now();
        training->result.status = training->model->train(samples);
        training->result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    });
}

std::optional<CostTrainer::Trained> CostTrainer::finish() {
    if (!training_) return {};
    training_->thread.join();
    const std::unique_ptr<Training> done = std::move(training_);
    if (done->result.status) {
        model_ = std::move(done->model);
        version_ = ++lastVersion_;
        trainedOn_ = done->result.samples;
    }
    return done->result;
}

void CostTrainer::judge(int task, double predictedNs, int modelVersion, int64_t measuredNs) {
    if (modelVersion == 0 || predictedNs <= 0) return;  // not the learnt model's word
    heldOut_.push_back({task, predictedNs, static_cast<double>(measuredNs)});
    if (heldOut_.size() > kHeldOutWindow) heldOut_.pop_front();
}

cost::Quality CostTrainer::quality() const {
    struct PerTask {
        std::vector<double> predicted, measured, scores;
    };
    std::map<int, PerTask> tasks;
    for (const HeldOut& trial : heldOut_) {
        PerTask& task = tasks[trial.task];
        task.predicted.push_back(trial.predicted);
        task.measured.push_back(trial.measured);
        task.scores.push_back(-trial.predicted);
    }
    cost::Quality quality;
    quality.version = version_;
    quality.trainedOn = trainedOn_;
    quality.heldOut = static_cast<int>(heldOut_.size());
    double weight = 0;
    for (const auto& [id, task] : tasks) {
        if (task.measured.size() < 2) continue;
        const auto trials = static_cast<double>(task.measured.size());
        quality.spearman += trials * cost::spearman(task.predicted, task.measured);
        quality.topK += trials * cost::topKRecall(task.scores, task.measured, kTopK);
        weight += trials;
    }
    if (weight > 0) {
        quality.spearman /= weight;
        quality.topK /= weight;
    }
    return quality;
}

}  // namespace fettle::session
