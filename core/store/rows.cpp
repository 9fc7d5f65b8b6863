// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/rows.h"

#include <nlohmann/json.hpp>

namespace fettle::store {
namespace {

std::vector<std::byte> samplesToBytes(const std::vector<int64_t>& samples) {
    const auto* data = reinterpret_cast<const std::byte*>(samples.data());
    return {data, data + samples.size() * sizeof(int64_t)};
}

std::vector<int64_t> samplesFromBytes(const std::vector<std::byte>& bytes) {
    std::vector<int64_t> samples(bytes.size() / sizeof(int64_t));
    std::copy_n(bytes.data(), samples.size() * sizeof(int64_t), reinterpret_cast<std::byte*>(samples.data()));
    return samples;
}

}  // namespace

void putTrial(Statement& out, const TrialRow& row) {
    out.put(row.id);
    out.put(int64_t{row.task});
    out.put(int64_t{row.round});
    out.put(std::string_view(row.trace));
    out.put(std::string_view(row.origin));
    out.put(row.predictedNs);
    out.put(int64_t{row.modelVersion});
    out.put(int64_t{row.status});
    out.putBlob(samplesToBytes(row.samplesNs));
    out.put(row.minNs);
    out.put(row.medianNs);
    out.put(row.maxRelError);
    out.put(std::string_view(row.error));
    out.put(row.unixSeconds);
    out.put(row.compileMs);
    out.put(row.runMs);
}

TrialRow takeTrial(Statement& in) {
    TrialRow row;
    row.id = in.integer();
    row.task = static_cast<int>(in.integer());
    row.round = static_cast<int>(in.integer());
    row.trace = in.text();
    row.origin = in.text();
    row.predictedNs = in.real();
    row.modelVersion = static_cast<int>(in.integer());
    row.status = static_cast<int>(in.integer());
    row.samplesNs = samplesFromBytes(in.blob());
    row.minNs = in.integer();
    row.medianNs = in.integer();
    row.maxRelError = in.real();
    row.error = in.text();
    row.unixSeconds = in.real();
    row.compileMs = in.real();
    row.runMs = in.real();
    return row;
}

std::map<std::string, std::string> infoPairs(const SessionInfo& info) {
    return {{"model_path", info.modelPath},
            {"model_sha256", info.modelSha256},
            {"model_name", info.modelName},
            {"target", info.target},
            {"target_cpu", info.targetCpu},
            {"dims", nlohmann::json(info.dims).dump()},
            {"settings", info.settingsJson},
            {"fettle_version", info.fettleVersion},
            {"created_unix", nlohmann::json(info.createdUnix).dump()}};
}

SessionInfo infoFrom(std::map<std::string, std::string> pairs) {
    SessionInfo info{pairs["model_path"], pairs["model_sha256"],   pairs["model_name"],
                     pairs["target"],     pairs["target_cpu"],     {},
                     pairs["settings"],   pairs["fettle_version"], 0};
    const auto dims = nlohmann::json::parse(pairs["dims"], nullptr, false);
    for (const auto& [name, value] : dims.items())
        if (value.is_number_integer()) info.dims[name] = value.get<int64_t>();
    const auto created = nlohmann::json::parse(pairs["created_unix"], nullptr, false);
    if (created.is_number()) info.createdUnix = created.get<double>();
    return info;
}

}  // namespace fettle::store
