// SPDX-License-Identifier: GPL-3.0-or-later
// run and verify: outputs against stored ones, or against the reference.
#include <fstream>
#include <iostream>
#include <span>

#include "app/cli/model_io.h"
#include "core/support/hash.h"

namespace fettle::cli {
namespace {

using nlohmann::json;

struct Arguments {
    std::string file, data;
    double rtol = 1e-4, atol = 1e-5;
    Dims dims;
    bool json = false;
};

int report(const std::vector<OutputVerdict>& verdicts, bool compared, bool asJson) {
    bool ok = true;
    json outputs = json::array();
    for (const OutputVerdict& verdict : verdicts) {
        ok = ok && verdict.ok;
        outputs.push_back({{"name", verdict.name},
                           {"shape", verdict.shape},
                           {"maxAbsError", verdict.difference.maxAbs},
                           {"maxRelError", verdict.difference.maxRel}});
        if (!asJson)
            std::cout << verdict.name << " " << graph::shapeText(verdict.shape) << "  max abs error "
                      << verdict.difference.maxAbs << ", max rel error " << verdict.difference.maxRel << "  "
                      << (verdict.ok ? "ok" : "WRONG") << "\n";
    }
    if (asJson)
        printJson({{"ok", ok}, {"outputs", std::move(outputs)}});
    else if (!compared)
        std::cout << "ran; there is no output_0.pb to compare with\n";
    return ok ? 0 : static_cast<int>(ErrorCode::Failed);
}

Result<int> runOn(const Runnable& model, const std::string& folder, const Arguments& a) {
    FETTLE_TRY(const auto inputs, readInputs(folder, model));
    FETTLE_TRY(const auto expected, readOutputs(folder, model));
    FETTLE_TRY(const auto actual,
               model.evaluator->runModel(model.sharedObject, model.name, inputs, typesOf(model.outputs), 1));
    return report(compareOutputs(model, actual, expected, a.rtol, a.atol), !expected.empty(), a.json);
}

Result<int> run(const Arguments& a) {
    FETTLE_TRY(const auto dims, a.dims.parsed());
    FETTLE_TRY(const Runnable model, makeRunnable(a.file, dims, 1));
    return runOn(model, a.data, a);
}

// The files are as they were exported (SHA-256 in model.json).
Status checkFiles(const std::filesystem::path& folder) {
    std::ifstream in(folder / "model.json");
    const json manifest = json::parse(in, nullptr, false);
    const json files = manifest.is_object() ? manifest.value("files", json::object()) : json::object();
    for (const auto& [name, facts] : files.items()) {
        if (!facts.is_object()) continue;
        const std::filesystem::path file = folder / std::filesystem::path(name).filename();
        std::ifstream content(file, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(content)), {});
        if (sha256Hex(std::as_bytes(std::span(bytes))) != facts.value("sha256", ""))
            return fail(ErrorCode::Failed, "the export is not as it was made", file.string(),
                        content ? "its checksum differs" : "the file is gone", "Export the model again.");
    }
    return {};
}

// Without stored outputs: the export runs, its outputs are finite, and the same inputs give the same outputs twice.
Result<int> runTwice(const Runnable& model, const Arguments& a) {
    const auto inputs = benchInputs(model.inputs, 1);
    const auto once = [&] {
        return model.evaluator->runModel(model.sharedObject, model.name, inputs, typesOf(model.outputs), 1);
    };
    FETTLE_TRY(const auto first, once());
    FETTLE_TRY(const auto second, once());
    if (!a.json) std::cout << "files as exported; two runs compared (give --data to compare with stored outputs)\n";
    return report(compareOutputs(model, first, second, 0, 0), true, a.json);
}

Result<int> verify(Arguments& a) {
    FETTLE_TRY(const Runnable model, makeRunnable((std::filesystem::path(a.file) / "model.so").string(), {}, 1));
    FETTLE_CHECK(checkFiles(a.file));
    if (a.data.empty()) return runTwice(model, a);
    a.rtol = model.tolerance;
    return runOn(model, a.data, a);
}

}  // namespace

Action declareRun(CLI::App& app) {
    auto a = std::make_shared<Arguments>();
    app.add_option("model", a->file, "A .fettle session, an .onnx model, or the model.so of an export")->required();
    app.add_option("--data", a->data, "Folder with input_K.pb and, to compare with, output_K.pb")->required();
    app.add_option("--rtol", a->rtol, "Allowed error relative to the largest expected value");
    app.add_option("--atol", a->atol, "Allowed absolute error");
    a->dims.declare(app);
    app.add_flag("--json", a->json, "Print as JSON");
    return [a] { return run(*a); };
}

Action declareVerify(CLI::App& app) {
    struct VerifyArguments : Arguments {
        std::vector<int> vlen;
    };
    auto a = std::make_shared<VerifyArguments>();
    app.add_option("folder", a->file, "An exported folder")->required();
    app.add_option("--data", a->data, "Folder with input_K.pb and output_K.pb (default: two runs are compared)");
    app.add_option("--vlen", a->vlen, "RISC-V vector lengths to emulate, in bits")->delimiter(',');
    app.add_flag("--json", a->json, "Print as JSON");
    return [a]() -> Result<int> {
        if (!a->vlen.empty())
            return fail(ErrorCode::MissingTarget, "cannot verify for other vector lengths", a->file,
                        "this export is for this machine", "Leave --vlen out.");
        return verify(*a);
    };
}

}  // namespace fettle::cli
