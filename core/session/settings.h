// SPDX-License-Identifier: GPL-3.0-or-later
// Settings and profiles as the JSON that lies in the session file.
#pragma once

#include <string>

#include "core/compile/model.h"
#include "core/session/tuning_session.h"

namespace fettle::session {

std::string toJson(const TuneOptions& options);
TuneOptions tuneOptionsFromJson(const std::string& text);  // what is absent or of another kind keeps its default

// The keys of `fettle-cli profile --json`: totalUs, spans[{name, kind, path, startUs, durationUs, selfUs, flops,
// bytes}], and label, runs, threads, minUs, spread; in spans also parent, group, task, minUs, maxUs.
std::string toJson(const compile::Profile& profile);
Result<compile::Profile> profileFromJson(const std::string& text);

std::string toJson(const Progress::Split& seconds);
Progress::Split splitFromJson(const std::string& text);

std::string toJson(const measure::Roofline& roofline);
measure::Roofline rooflineFromJson(const std::string& text);  // 0: unknown

}  // namespace fettle::session
