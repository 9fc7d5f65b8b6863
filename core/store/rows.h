// SPDX-License-Identifier: GPL-3.0-or-later
// How the structs of session_file.h lie in rows.
#pragma once

#include "core/store/session_file.h"
#include "core/store/sqlite.h"

namespace fettle::store {

inline constexpr const char* kTrialColumns =
    "id,task,round,trace,origin,predicted_ns,model_version,status,samples_ns,min_ns,median_ns,max_rel_error,error,"
    "unix_seconds,compile_ms,run_ms,crc";

void putTrial(Statement& out, const TrialRow& row);  // every column but crc
TrialRow takeTrial(Statement& in);                   // from kTrialColumns

std::map<std::string, std::string> infoPairs(const SessionInfo& info);
SessionInfo infoFrom(std::map<std::string, std::string> pairs);

}  // namespace fettle::store
