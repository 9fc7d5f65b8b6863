// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "app/cli/command.h"
#include "app/cli/work.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

struct Arguments {
    std::string file, folder, target = "host";
    int threads = 1;
    bool noVerify = false;
    Dims dims;
};

Result<int> exportModel(const Arguments& a) {
    session::OpenOptions options;
    FETTLE_TRY(options.dims, a.dims.parsed());
    options.target = a.target;
    options.readOnly = options.newSession = true;
    FETTLE_TRY(const auto session, session::TuningSession::open(a.file, options));
    drainWarnings(*session);
    if (session->outline()->info.target != a.target)
        return fail(ErrorCode::MissingTarget, "cannot export for " + a.target, a.file,
                    "the session was tuned for " + session->outline()->info.target, "Tune the model for that target.");
    const auto quiet = +[] { return false; };
    FETTLE_TRY(const Outcome outcome,
               waitFor(*session, quiet, [&] { return session->exportTo(a.folder, a.threads, !a.noVerify); }));
    if (outcome.cancelled) return fail(ErrorCode::Cancelled, "stopped", a.folder, "nothing was exported");
    for (const session::Event& event : outcome.events) {
        const auto* exported = std::get_if<session::Exported>(&event);
        if (!exported) continue;
        const compile::ExportReport& report = exported->report;
        for (const std::string& file : report.files) std::cout << (report.folder / file).string() << "\n";
        std::cout << formatBytes(static_cast<double>(report.bytes)) << " in all";
        if (a.noVerify) std::cout << ", not verified";
        for (const compile::OutputError& output : report.verification.outputs)
            std::cout << "\n"
                      << output.name << ": max rel error " << output.maxRelError << " against the reference, "
                      << (output.ok ? "ok" : "WRONG");
        std::cout << "\n";
    }
    return 0;
}

}  // namespace

Action declareExport(CLI::App& app) {
    auto a = std::make_shared<Arguments>();
    app.add_option("file", a->file, "A .fettle session (best schedules) or an .onnx model (default schedules)")
        ->required();
    app.add_option("-o", a->folder, "The folder to make")->required();
    app.add_option("--target", a->target, "What to generate code for");
    app.add_option("--threads", a->threads, "Threads the .so uses at most")->check(CLI::Range(1, 1024));
    app.add_flag("--no-verify", a->noVerify, "Do not compare with the reference first");
    a->dims.declare(app);
    return [a] { return exportModel(*a); };
}

}  // namespace fettle::cli
