// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/task_store.h"

#include <cstring>

#include "core/measure/runner/check.h"
#include "core/measure/wire_json.h"

namespace fettle::measure::runner {

Result<GuardedBuffer> readOnlyCopy(std::string name, std::span<const std::byte> bytes) {
    FETTLE_TRY(GuardedBuffer buffer, GuardedBuffer::make(std::move(name), bytes.size()));
    if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
    buffer.setReadOnly();
    return buffer;
}

Status TaskStore::keep(const Message& message) {
    const auto json = wire::Json::parse(message.json);
    StoredTask task;
    task.tolerance = json.at("tolerance").get<double>();
    const auto inputs = wire::typesFrom(json.at("inputs")), outputs = wire::typesFrom(json.at("outputs"));
    if (message.blobs.size() != inputs.size() + outputs.size())
        return fail(ErrorCode::Failed, "cannot keep the data of a task", "", "the number of tensors does not match");
    for (size_t i = 0; i < message.blobs.size(); ++i) {
        const auto& blob = message.blobs[i];
        const auto& type = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
        if (static_cast<int64_t>(blob.size()) != graph::physicalBytes(type))
            return fail(ErrorCode::Failed, "cannot keep the data of a task", "tensor " + std::to_string(i),
                        std::to_string(blob.size()) + " bytes came for " + graph::typeText(type));
        if (i < inputs.size()) {
            FETTLE_TRY(GuardedBuffer buffer, readOnlyCopy("input " + std::to_string(i), blob));
            task.inputs.push_back(std::move(buffer));
        } else {
            task.expected.push_back({type, blob, specifiedElements(type)});
        }
    }
    tasks_.insert_or_assign(json.at("key").get<std::string>(), std::move(task));
    return {};
}

StoredTask* TaskStore::find(const std::string& key) {
    const auto found = tasks_.find(key);
    return found == tasks_.end() ? nullptr : &found->second;
}

}  // namespace fettle::measure::runner
