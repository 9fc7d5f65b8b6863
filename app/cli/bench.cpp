// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include "app/cli/model_io.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

struct Arguments {
    std::string file;
    int threads = 1;
    double minTime = 0.5;
    uint64_t seed = 1;
    Dims dims;
    bool json = false;
};

Result<int> bench(const Arguments& a) {
    FETTLE_TRY(const auto dims, a.dims.parsed());
    FETTLE_TRY(const Runnable model, makeRunnable(a.file, dims, a.threads));
    const CancelToken cancel;
    FETTLE_TRY(const measure::ModelTimings timings,
               model.evaluator->timeModel(model.sharedObject, model.name, benchInputs(model.inputs, a.seed), a.threads,
                                          10, a.minTime, false, cancel));
    std::vector<int64_t> ns = timings.runNs;
    if (ns.empty()) return fail(ErrorCode::Failed, "cannot time the model", a.file, "the runner gave no times");
    std::sort(ns.begin(), ns.end());
    const auto us = [&](double share) {
        return static_cast<double>(
                   ns[std::min(ns.size() - 1, static_cast<size_t>(share * static_cast<double>(ns.size())))]) /
               1e3;
    };
    if (a.json)
        printJson({{"minUs", us(0)},
                   {"medianUs", us(0.5)},
                   {"p90Us", us(0.9)},
                   {"iterations", ns.size()},
                   {"threads", a.threads},
                   {"loadMs", timings.loadMs}});
    else
        std::cout << "min " << formatLatency(us(0) * 1e3) << ", median " << formatLatency(us(0.5) * 1e3) << ", p90 "
                  << formatLatency(us(0.9) * 1e3) << " over " << ns.size() << " runs, " << a.threads
                  << (a.threads == 1 ? " thread" : " threads") << ", loaded in " << formatLatency(timings.loadMs * 1e6)
                  << "\n";
    return 0;
}

}  // namespace

Action declareBench(CLI::App& app) {
    auto a = std::make_shared<Arguments>();
    app.add_option("model", a->file, "A .fettle session, an .onnx model, or the model.so of an export")->required();
    app.add_option("--threads", a->threads, "Threads")->check(CLI::Range(1, 1024));
    app.add_option("--min-time", a->minTime, "Seconds to run for, at least")->check(notNegative());
    app.add_option("--seed", a->seed, "Seed of the inputs");
    a->dims.declare(app);
    app.add_flag("--json", a->json, "Print as JSON");
    return [a] { return bench(*a); };
}

}  // namespace fettle::cli
