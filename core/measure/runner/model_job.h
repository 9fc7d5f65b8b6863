// SPDX-License-Identifier: GPL-3.0-or-later
// Whole models: loaded through their public ABI, run and timed. A few stay loaded, so that runs of several can be
// interleaved.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "core/measure/protocol.h"

namespace fettle::measure::runner {

struct LoadedModel;

class ModelStore {
public:
    ModelStore();
    ~ModelStore();
    // {"op":"model-load","key","name"} blobs: the .so, then its inputs. Answers {"loadMs","bytes","steps"}.
    Result<Message> load(const Message& message);
    // {"op":"model-run","key","threads"}: the outputs as blobs, made in a buffer full of NaN.
    Result<Message> run(const Message& message);
    // {"op":"model-time","key","threads","runs","seconds","perStep"}: until either is reached, at least one run.
    // Answers {"runNs":[...],"stepNs":[[...]]}.
    Result<Message> time(const Message& message, int cpu);

private:
    Result<LoadedModel*> find(const std::string& key);
    std::deque<std::unique_ptr<LoadedModel>> models_;  // the latest last
};

}  // namespace fettle::measure::runner
