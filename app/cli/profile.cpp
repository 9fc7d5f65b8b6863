// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <iostream>

#include "app/cli/command.h"
#include "app/cli/work.h"
#include "core/compile/profile_export.h"
#include "core/session/settings.h"
#include "core/support/format.h"

namespace fettle::cli {
namespace {

constexpr int kSvgWidth = 1200;

struct Arguments {
    std::string file, trace, svg, folded;
    int runs = 20, threads = 1;
    Dims dims;
    bool json = false, table = false, defaults = false;
};

Status writeFile(const std::string& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        return fail(ErrorCode::Failed, "cannot write the file", file, "the folder cannot be written",
                    "Choose another place.");
    return {};
}

// Fused operators, the longest first.
std::string operatorTable(const compile::Profile& profile) {
    std::vector<const compile::Span*> spans;
    for (const compile::Span& span : profile.spans)
        if (span.group >= 0) spans.push_back(&span);
    std::stable_sort(spans.begin(), spans.end(),
                     [](const auto* a, const auto* b) { return a->durationNs > b->durationNs; });
    std::vector<std::vector<std::string>> rows = {{"operator", "kind", "time", "share", "GFLOP/s"}};
    for (const compile::Span* span : spans)
        rows.push_back({span->name, graph::kindName(span->kind), formatLatency(span->durationNs),
                        formatDouble(100 * span->durationNs / std::max(1.0, profile.totalNs), 1) + " %",
                        formatDouble(span->durationNs > 0 ? span->flops / span->durationNs : 0, 1)});
    return textTable(rows, {false, false, true, true, true});
}

Result<int> profile(const Arguments& a) {
    session::OpenOptions options;
    FETTLE_TRY(options.dims, a.dims.parsed());
    // The profile of a session is kept in it; a model's is only shown.
    options.readOnly = options.newSession = !isSession(a.file);
    FETTLE_TRY(const auto session, session::TuningSession::open(a.file, options));
    drainWarnings(*session);
    const auto quiet = +[] { return false; };
    const bool best = isSession(a.file) && !a.defaults;
    FETTLE_TRY(const Outcome outcome,
               waitFor(*session, quiet, [&] { return session->profile(a.runs, a.threads, best); }));
    if (outcome.cancelled) return fail(ErrorCode::Cancelled, "stopped", a.file, "the profile was not finished");
    for (const session::Event& event : outcome.events) {
        const auto* ready = std::get_if<session::ProfileReady>(&event);
        if (!ready) continue;
        const compile::Profile& found = ready->profile;
        if (!a.trace.empty()) FETTLE_CHECK(writeFile(a.trace, compile::chromeTrace(found)));
        if (!a.svg.empty()) FETTLE_CHECK(writeFile(a.svg, compile::profileSvg(found, kSvgWidth)));
        if (!a.folded.empty()) FETTLE_CHECK(writeFile(a.folded, compile::foldedStacks(found)));
        if (a.json)
            std::cout << session::toJson(found) << "\n";
        else
            std::cout << operatorTable(found) << "\n"
                      << found.label << ": median " << formatLatency(found.totalNs) << ", min "
                      << formatLatency(found.minNs) << " over " << found.runs << " runs\n";
    }
    return 0;
}

}  // namespace

Action declareProfile(CLI::App& app) {
    auto a = std::make_shared<Arguments>();
    app.add_option("file", a->file, "A .fettle session (best schedules) or an .onnx model (default schedules)")
        ->required();
    app.add_option("--runs", a->runs, "Runs of the whole model")->check(CLI::Range(1, 100000));
    app.add_option("--threads", a->threads, "Threads")->check(CLI::Range(1, 1024));
    app.add_flag("--default", a->defaults, "A session's default schedules, to compare with its best");
    a->dims.declare(app);
    auto* json = app.add_flag("--json", a->json, "Print the spans as JSON");
    app.add_flag("--table", a->table, "Print a table of operators (the default)")->excludes(json);
    app.add_option("--trace", a->trace, "Write a Chrome trace (JSON)");
    app.add_option("--svg", a->svg, "Write the flame chart as SVG");
    app.add_option("--folded", a->folded, "Write folded stacks");
    return [a] { return profile(*a); };
}

}  // namespace fettle::cli
