// SPDX-License-Identifier: GPL-3.0-or-later
// The data of tasks, kept from trial to trial: inputs that nobody can write, reference outputs.
#pragma once

#include <map>
#include <vector>

#include "core/graph/types.h"
#include "core/measure/protocol.h"
#include "core/measure/runner/buffers.h"

namespace fettle::measure::runner {

struct StoredTask {
    struct Expected {
        graph::TensorType type;
        std::vector<std::byte> bytes;
        std::vector<uint8_t> specified;  // specifiedElements(type)
    };
    std::vector<GuardedBuffer> inputs;  // Input and Constant tensors in order; read-only
    std::vector<Expected> expected;     // Output tensors in order
    double tolerance = 0;
};

// A read-only buffer that holds the bytes.
Result<GuardedBuffer> readOnlyCopy(std::string name, std::span<const std::byte> bytes);

class TaskStore {
public:
    Status keep(const Message& message);  // "data"
    void forget(const std::string& key) { tasks_.erase(key); }
    StoredTask* find(const std::string& key);

private:
    std::map<std::string, StoredTask> tasks_;
};

}  // namespace fettle::measure::runner
