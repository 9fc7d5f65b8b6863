// SPDX-License-Identifier: GPL-3.0-or-later
// The one door to XGBoost. Rows are stores, a program's score is the sum over its rows, so the objective is ours:
// the gradient of (sum of rows - label)^2 is handed to every row of the program (Ansor, OSDI 2020).
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/cost/cost_model.h"

namespace fettle::cost {
namespace {

constexpr int kRounds = 80;
constexpr char kMagic[4] = {'F', 'X', 'G', '1'};

struct Parameter {
    const char* name;
    const char* value;
};
constexpr Parameter kParameters[] = {
    {"nthread", "1"},  // Debian's OpenMP spin barriers make two threads slower, not faster
    {"tree_method", "hist"}, {"max_bin", "64"}, {"max_depth", "6"},  {"eta", "0.15"},    {"min_child_weight", "1"},
    {"gamma", "0.0001"},     {"lambda", "1"},   {"base_score", "0"}, {"subsample", "1"}, {"verbosity", "0"},
};

Status check(int code, const char* what) {
    if (code == 0) return {};
    return fail(ErrorCode::Failed, what, "cost model", XGBGetLastError());
}

struct Booster {
    BoosterHandle handle = nullptr;
    Booster() = default;
    Booster(const Booster&) = delete;
    Booster& operator=(const Booster&) = delete;
    ~Booster() {
        if (handle) XGBoosterFree(handle);
    }
};

struct Matrix {
    DMatrixHandle handle = nullptr;
    ~Matrix() {
        if (handle) XGDMatrixFree(handle);
    }
};

// Rows of many programs, one after another, with the program of each row.
struct Flat {
    std::vector<float> values;
    std::vector<size_t> programOfRow;
    size_t columns = featureNames().size();

    void add(const FeatureRows& rows, size_t program) {
        for (const std::vector<float>& row : rows) {
            values.insert(values.end(), row.begin(), row.end());
            programOfRow.push_back(program);
        }
    }
    size_t rows() const { return programOfRow.size(); }
    std::string arrayInterface() const {
        return R"({"data": [)" + std::to_string(reinterpret_cast<uintptr_t>(values.data())) + R"(, true], "shape": [)" +
               std::to_string(rows()) + ", " + std::to_string(columns) + R"(], "typestr": "<f4", "version": 3})";
    }
};

// best / measured within each task, in (0,1].
std::vector<double> labels(const std::vector<Sample>& samples) {
    std::map<int, double> best;
    for (const Sample& sample : samples) {
        auto [at, isNew] = best.emplace(sample.task, sample.latencyNs);
        if (!isNew) at->second = std::min(at->second, sample.latencyNs);
    }
    std::vector<double> result;
    for (const Sample& sample : samples) result.push_back(best[sample.task] / sample.latencyNs);
    return result;
}

class XgboostModel : public CostModel {
public:
    explicit XgboostModel(uint64_t seed) : seed_(seed) {}

    Status train(const std::vector<Sample>& samples) override {
        Flat flat;
        std::vector<Sample> usable;
        for (const Sample& sample : samples)
            if (sample.latencyNs > 0 && !sample.rows.empty()) {
                flat.add(sample.rows, usable.size());
                usable.push_back(sample);
            }
        if (usable.empty())
            return fail(ErrorCode::Failed, "cannot train the cost model", "cost model", "no valid trial yet");
        Matrix matrix;
        FETTLE_CHECK(check(XGDMatrixCreateFromDense(flat.arrayInterface().c_str(), R"({"missing": NaN, "nthread": 1})",
                                                    &matrix.handle),
                           "cannot make the training matrix"));
        auto booster = std::make_unique<Booster>();
        FETTLE_CHECK(create(*booster, &matrix.handle, 1));
        FETTLE_CHECK(boost(*booster, matrix, flat, labels(usable)));
        booster_ = std::move(booster);
        ++version_;
        return {};
    }

    std::vector<double> predict(const std::vector<FeatureRows>& programs) const override {
        std::vector<double> scores(programs.size(), 0.0);
        Flat flat;
        for (size_t k = 0; k < programs.size(); ++k) flat.add(programs[k], k);
        if (!booster_ || flat.rows() == 0) return scores;
        static const char* config =
            R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true,
                "cache_id": 0, "missing": NaN})";
        const bst_ulong* shape = nullptr;
        bst_ulong dimensions = 0;
        const float* result = nullptr;
        if (XGBoosterPredictFromDense(booster_->handle, flat.arrayInterface().c_str(), config, nullptr, &shape,
                                      &dimensions, &result) != 0)
            return scores;
        for (size_t row = 0; row < flat.rows(); ++row) scores[flat.programOfRow[row]] += result[row];
        return scores;
    }

    std::vector<std::byte> save() const override {
        std::vector<std::byte> bytes(sizeof kMagic + sizeof version_);
        std::memcpy(bytes.data(), kMagic, sizeof kMagic);
        std::memcpy(bytes.data() + sizeof kMagic, &version_, sizeof version_);
        bst_ulong length = 0;
        const char* data = nullptr;
        if (booster_ && XGBoosterSaveModelToBuffer(booster_->handle, R"({"format": "ubj"})", &length, &data) == 0) {
            const auto* first = reinterpret_cast<const std::byte*>(data);
            bytes.insert(bytes.end(), first, first + length);
        }
        return bytes;
    }

    Status load(const std::vector<std::byte>& bytes) override {
        const size_t head = sizeof kMagic + sizeof version_;
        if (bytes.size() < head || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
            return fail(ErrorCode::Failed, "cannot load the cost model", "cost model",
                        "the bytes are not a saved model", "It is trained again after the next round.");
        int version = 0;
        std::memcpy(&version, bytes.data() + sizeof kMagic, sizeof version);
        std::unique_ptr<Booster> booster;
        if (bytes.size() > head) {
            booster = std::make_unique<Booster>();
            FETTLE_CHECK(create(*booster, nullptr, 0));
            FETTLE_CHECK(check(XGBoosterLoadModelFromBuffer(booster->handle, bytes.data() + head, bytes.size() - head),
                               "cannot load the cost model"));
            bst_ulong columns = 0;
            FETTLE_CHECK(check(XGBoosterGetNumFeature(booster->handle, &columns), "cannot load the cost model"));
            if (columns != featureNames().size())
                return fail(ErrorCode::Failed, "cannot load the cost model", "cost model",
                            "it was trained on another set of features", "It is trained again after the next round.");
        }
        booster_ = std::move(booster);
        version_ = booster_ ? version : 0;
        return {};
    }

    int version() const override { return version_; }

    std::vector<std::pair<std::string, double>> importance() const override {
        std::vector<std::pair<std::string, double>> shares;
        bst_ulong count = 0, dimensions = 0;
        const char** names = nullptr;
        const bst_ulong* shape = nullptr;
        const float* gains = nullptr;
        if (!booster_ || XGBoosterFeatureScore(booster_->handle, R"({"importance_type": "total_gain"})", &count, &names,
                                               &dimensions, &shape, &gains) != 0)
            return shares;
        double total = 0;
        for (bst_ulong k = 0; k < count; ++k) {
            const size_t column = std::strtoul(names[k] + 1, nullptr, 10);  // "f12"
            if (column >= featureNames().size()) continue;
            shares.emplace_back(featureNames()[column], gains[k]);
            total += gains[k];
        }
        for (auto& [name, share] : shares) share = total > 0 ? share / total : 0;
        std::stable_sort(shares.begin(), shares.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        return shares;
    }

private:
    Status create(Booster& booster, const DMatrixHandle* matrices, bst_ulong count) const {
        FETTLE_CHECK(check(XGBoosterCreate(matrices, count, &booster.handle), "cannot create the cost model"));
        for (const Parameter& parameter : kParameters)
            FETTLE_CHECK(check(XGBoosterSetParam(booster.handle, parameter.name, parameter.value), "bad parameter"));
        return check(XGBoosterSetParam(booster.handle, "seed", std::to_string(seed_ & 0x7fffffff).c_str()), "bad seed");
    }

    static Status boost(Booster& booster, Matrix& matrix, const Flat& flat, const std::vector<double>& label) {
        std::vector<float> gradient(flat.rows()), hessian(flat.rows(), 1.0F);
        std::vector<double> sum(label.size());
        for (int round = 0; round < kRounds; ++round) {
            static const char* config =
                R"({"type": 1, "training": true, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";
            const bst_ulong* shape = nullptr;
            bst_ulong dimensions = 0;
            const float* result = nullptr;
            FETTLE_CHECK(
                check(XGBoosterPredictFromDMatrix(booster.handle, matrix.handle, config, &shape, &dimensions, &result),
                      "cannot train the cost model"));
            std::fill(sum.begin(), sum.end(), 0.0);
            for (size_t row = 0; row < flat.rows(); ++row) sum[flat.programOfRow[row]] += result[row];
            for (size_t row = 0; row < flat.rows(); ++row) {
                const size_t program = flat.programOfRow[row];
                gradient[row] = static_cast<float>(sum[program] - label[program]);
            }
            FETTLE_CHECK(check(
                XGBoosterBoostOneIter(booster.handle, matrix.handle, gradient.data(), hessian.data(), flat.rows()),
                "cannot train the cost model"));
        }
        return {};
    }

    uint64_t seed_;
    int version_ = 0;
    std::unique_ptr<Booster> booster_;
};

}  // namespace

std::unique_ptr<CostModel> makeXgboostModel(uint64_t seed) {
    return std::make_unique<XgboostModel>(seed);
}

}  // namespace fettle::cost
