// SPDX-License-Identifier: GPL-3.0-or-later
// A folder is written beside its place and renamed when it is whole and verified.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/compile/export_text.h"
#include "core/compile/inputs.h"
#include "core/support/format.h"
#include "core/support/hash.h"

namespace fettle::compile {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kSeed = 1;
constexpr int kLatencyRuns = 20;
constexpr double kLatencySeconds = 0.2;

auto cannotExport(const fs::path& where, std::string why, std::string next = {}) {
    return fail(ErrorCode::Failed, "cannot export the model", where.string(), std::move(why), std::move(next));
}

// Removes what it made unless it was kept.
struct TemporaryFolder {
    fs::path path;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path.empty()) fs::remove_all(path, ignored);
    }
};

std::span<const std::byte> bytesOf(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Status writeFile(const fs::path& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) return cannotExport(path, std::strerror(errno), "Make room on the disk, or choose another folder.");
    return {};
}

Status checkPlace(const fs::path& folder) {
    if (folder.empty()) return cannotExport(folder, "the name of the folder is empty", "Name a folder.");
    std::error_code problem;
    if (fs::exists(folder, problem) && !fs::is_directory(folder, problem))
        return cannotExport(folder, "there is a file of that name", "Choose a folder.");
    return {};
}

Result<fs::path> makeTemporary(const fs::path& folder) {
    std::error_code problem;
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const fs::path parent = whole.has_filename() ? whole.parent_path() : whole.parent_path().parent_path();
    const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
    fs::create_directories(parent, problem);
    const fs::path temporary = parent / ("." + name.string() + ".partial-" + std::to_string(::getpid()));
    if (!problem) {
        fs::remove_all(temporary, problem);
        fs::create_directory(temporary, problem);
    }
    if (problem) return cannotExport(folder, problem.message(), "Choose a folder that you may write to.");
    return temporary;
}

// A new folder appears at once; into one that is there, file by file, each at once, the manifest last.
Status moveIntoPlace(const fs::path& temporary, const fs::path& folder, const std::vector<std::string>& names) {
    std::error_code problem;
    if (!fs::exists(folder, problem)) {
        fs::rename(temporary, folder, problem);
        if (problem) return cannotExport(folder, problem.message());
        return {};
    }
    for (const std::string& name : names) {
        fs::rename(temporary / name, folder / name, problem);
        if (problem) return cannotExport(folder / name, problem.message(), "Choose a folder that you may write to.");
    }
    return {};
}

Status mustBeRight(const Verification& verification, const OpenedModel& model) {
    for (const OutputError& output : verification.outputs)
        if (!output.ok)
            return fail(ErrorCode::Failed, "the compiled model is wrong", model.name + ", output " + output.name,
                        "relative error " + formatDouble(output.maxRelError, 6) + " is above " +
                            formatDouble(verification.tolerance, 6),
                        "Nothing was written. Tune the operator again, or report this model.");
    return {};
}

struct Latency {
    double minNs = 0, medianNs = 0;
    int runs = 0;
};

Result<Latency> expectedLatency(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                int threads) {
    FETTLE_TRY(auto timings, evaluator.timeModel(compiled.sharedObject, compiled.plan.name, seededInputs(model, kSeed),
                                                 threads, kLatencyRuns, kLatencySeconds, false, CancelToken()));
    std::sort(timings.runNs.begin(), timings.runNs.end());
    return Latency{static_cast<double>(timings.runNs.front()),
                   static_cast<double>(timings.runNs[timings.runNs.size() / 2]),
                   static_cast<int>(timings.runNs.size())};
}

}  // namespace

Result<ExportReport> exportModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                 const target::Target& target, const fs::path& folder, const std::string& scheduleText,
                                 const ExportOptions& options) {
    FETTLE_CHECK(checkPlace(folder));
    TemporaryFolder temporary;
    FETTLE_TRY(temporary.path, makeTemporary(folder));

    Manifest manifest;
    manifest.model = &model;
    manifest.plan = &compiled.plan;
    manifest.target = &target;
    manifest.scheduleText = scheduleText;
    manifest.threads = options.threads;
    ExportReport report;
    if (options.verify) {
        FETTLE_TRY(report.verification, verifyModel(model, compiled, evaluator, compiled.plan.tolerance, kSeed));
        FETTLE_CHECK(mustBeRight(report.verification, model));
        manifest.verification = &report.verification;
        FETTLE_TRY(const Latency latency, expectedLatency(model, compiled, evaluator, options.threads));
        manifest.minNs = latency.minNs;
        manifest.medianNs = latency.medianNs;
        manifest.runs = latency.runs;
    }

    const std::string header = modelHeader(compiled.plan, target), example = exampleSource(compiled.plan);
    const auto add = [&](const char* name, std::span<const std::byte> bytes) -> Status {
        FETTLE_CHECK(writeFile(temporary.path / name, bytes));
        manifest.files.push_back({name, sha256Hex(bytes), static_cast<int64_t>(bytes.size())});
        report.files.push_back(name);
        report.bytes += static_cast<int64_t>(bytes.size());
        return {};
    };
    FETTLE_CHECK(add("model.so", compiled.sharedObject));
    FETTLE_CHECK(add("model.h", bytesOf(header)));
    FETTLE_CHECK(add("example.c", bytesOf(example)));
    FETTLE_CHECK(add("model.json", bytesOf(manifestJson(manifest))));
    FETTLE_CHECK(moveIntoPlace(temporary.path, folder, report.files));
    report.folder = folder;
    return report;
}

}  // namespace fettle::compile
