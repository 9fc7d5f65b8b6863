// SPDX-License-Identifier: GPL-3.0-or-later
// The session file `model.fettle`: one SQLite database (WAL; application_id; user_version). The document the window
// opens, the work directory of the CLI, the record that resumes after a crash. Rows carry a CRC32C, checked on read.
// Readers may open it while a writer tunes. Thread-safe: one mutex per object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace fettle::store {

struct SessionInfo {
    std::string modelPath, modelSha256, modelName;
    std::string target;     // text that target::findTarget takes
    std::string targetCpu;  // what "host" was then
    std::map<std::string, int64_t> dims;
    std::string settingsJson;  // tune settings: trials, minutes, seed, evaluator, ...
    std::string fettleVersion;
    double createdUnix = 0;
};

struct TaskRow {
    int id;
    std::string name, kind, detail;
    int weight;
    double flops, bytes;
    uint64_t structuralHash;
    std::string defaultTrace;
};

struct TrialRow {
    int64_t id = 0;  // 1, 2, 3 ... in order of measurement
    int task = 0;
    int round = 0;
    std::string trace, origin;
    double predictedNs = 0;  // 0: none
    int modelVersion = 0;
    int status = 0;  // measure::TrialStatus
    std::vector<int64_t> samplesNs;
    int64_t minNs = 0, medianNs = 0;
    double maxRelError = 0;
    std::string error;
    double unixSeconds = 0, compileMs = 0, runMs = 0;
};

struct ModelRow {
    int version;
    int trainedOn, heldOut;
    double spearman, topK;
    std::vector<std::byte> bytes;
};

struct ProfileRow {
    int64_t id = 0;
    std::string label;
    double unixSeconds = 0;
    std::string json;
};

class SessionFile {
public:
    // Fails (where: the file) when it exists.
    static Result<std::unique_ptr<SessionFile>> create(const std::filesystem::path& file, const SessionInfo& info);
    enum class Mode { ReadWrite, ReadOnly };  // ReadWrite takes the writer's lock; names the holder when it is taken
    static Result<std::unique_ptr<SessionFile>> open(const std::filesystem::path& file, Mode mode);
    ~SessionFile();

    const std::filesystem::path& path() const;
    std::string notice() const;   // what opening had to repair, in a sentence; empty: nothing
    int64_t damagedRows() const;  // rows left out so far because their checksum was wrong
    Result<SessionInfo> info() const;
    Status setSettings(const std::string& json);

    Status putTasks(const std::vector<TaskRow>& tasks);  // replaces
    Result<std::vector<TaskRow>> tasks() const;

    // One transaction; committed when it returns: only then may a trial be shown as done. Ids are assigned.
    Status appendTrials(std::vector<TrialRow>& rows);
    Result<std::vector<TrialRow>> trials(int64_t afterId = 0, std::optional<int> task = {}) const;
    Result<int64_t> trialCount() const;

    Status putCostModel(const ModelRow& row);          // keeps bytes of the newest only
    Result<std::vector<ModelRow>> costModels() const;  // bytes only in the newest

    Status putProfile(const ProfileRow& row);
    Result<std::vector<ProfileRow>> profiles() const;

    Status putValue(const std::string& key, const std::string& value);  // small state: counters, time split
    Result<std::optional<std::string>> value(const std::string& key) const;

private:
    struct Impl;
    Result<std::vector<ModelRow>> modelRows() const;
    explicit SessionFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fettle::store
