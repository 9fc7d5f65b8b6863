// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of the messages between the evaluator and its two programs. Private to measure/: only its .cpp files
// include it. Reading throws nlohmann's exceptions on a wrong shape; the callers turn them into errors.
#pragma once

#include <nlohmann/json.hpp>

#include "core/graph/types.h"
#include "core/loop/program.h"
#include "core/measure/trial.h"
#include "core/target/target.h"

namespace fettle::measure::wire {

using Json = nlohmann::json;

inline Json typeJson(const graph::TensorType& type) {
    Json json = {{"dtype", static_cast<int>(type.dtype)}, {"shape", type.shape}};
    if (type.layout.plain()) return json;
    Json blocks = Json::array();
    for (const auto& block : type.layout.blocks) blocks.push_back({block.axis, block.size});
    json["layout"] = {{"order", type.layout.order},
                      {"blocks", blocks},
                      {"before", type.layout.haloBefore},
                      {"after", type.layout.haloAfter}};
    return json;
}

inline graph::TensorType typeFrom(const Json& json) {
    graph::TensorType type;
    type.dtype = static_cast<graph::DType>(json.at("dtype").get<int>());
    type.shape = json.at("shape").get<graph::Shape>();
    if (!json.contains("layout")) return type;
    const Json& layout = json.at("layout");
    type.layout.order = layout.at("order").get<std::vector<int>>();
    for (const Json& block : layout.at("blocks"))
        type.layout.blocks.push_back({block.at(0).get<int>(), block.at(1).get<int64_t>()});
    type.layout.haloBefore = layout.at("before").get<std::vector<int64_t>>();
    type.layout.haloAfter = layout.at("after").get<std::vector<int64_t>>();
    return type;
}

template <class Tensors>
Json typesJson(const Tensors& tensors) {
    Json json = Json::array();
    for (const auto& tensor : tensors) json.push_back(typeJson(tensor.type));
    return json;
}

inline std::vector<graph::TensorType> typesFrom(const Json& json) {
    std::vector<graph::TensorType> types;
    for (const Json& type : json) types.push_back(typeFrom(type));
    return types;
}

inline Json declsJson(const std::vector<loop::TensorDecl>& tensors) {
    Json json = Json::array();
    for (const auto& tensor : tensors)
        json.push_back(
            {{"name", tensor.name}, {"role", static_cast<int>(tensor.role)}, {"type", typeJson(tensor.type)}});
    return json;
}

inline std::vector<loop::TensorDecl> declsFrom(const Json& json) {
    std::vector<loop::TensorDecl> tensors;
    for (const Json& tensor : json)
        tensors.push_back({tensor.at("name").get<std::string>(), typeFrom(tensor.at("type")),
                           static_cast<loop::Role>(tensor.at("role").get<int>())});
    return tensors;
}

inline Json configJson(const EvaluatorConfig& config) {
    return {{"number", config.number},         {"repeat", config.repeat},           {"minRepeatMs", config.minRepeatMs},
            {"flushCache", config.flushCache}, {"allocRepeat", config.allocRepeat}, {"threads", config.threads}};
}

inline EvaluatorConfig configFrom(const Json& json) {
    EvaluatorConfig config;
    config.number = json.at("number").get<int>();
    config.repeat = json.at("repeat").get<int>();
    config.minRepeatMs = json.at("minRepeatMs").get<double>();
    config.flushCache = json.at("flushCache").get<bool>();
    config.allocRepeat = json.at("allocRepeat").get<int>();
    config.threads = json.at("threads").get<int>();
    return config;
}

inline Json targetJson(const target::Target& target) {
    return {{"name", target.name},
            {"triple", target.triple},
            {"cpu", target.cpu},
            {"features", target.features},
            {"vectorBits", target.vectorBits},
            {"minVlenBits", target.minVlenBits},
            {"vectorRegisters", target.vectorRegisters},
            {"l1Bytes", target.l1Bytes},
            {"l2Bytes", target.l2Bytes},
            {"l3Bytes", target.l3Bytes},
            {"cores", target.cores}};
}

inline target::Target targetFrom(const Json& json) {
    target::Target target;
    target.name = json.at("name").get<std::string>();
    target.triple = json.at("triple").get<std::string>();
    target.cpu = json.at("cpu").get<std::string>();
    target.features = json.at("features").get<std::string>();
    target.vectorBits = json.at("vectorBits").get<int>();
    target.minVlenBits = json.at("minVlenBits").get<int>();
    target.vectorRegisters = json.at("vectorRegisters").get<int>();
    target.l1Bytes = json.at("l1Bytes").get<int64_t>();
    target.l2Bytes = json.at("l2Bytes").get<int64_t>();
    target.l3Bytes = json.at("l3Bytes").get<int64_t>();
    target.cores = json.at("cores").get<int>();
    return target;
}

// Errors of the other side arrive as they left it.
inline Json errorJson(const Error& error) {
    return {{"code", static_cast<int>(error.code)},
            {"what", error.what},
            {"where", error.where},
            {"why", error.why},
            {"next", error.next}};
}

inline Error errorFrom(const Json& json) {
    return {static_cast<ErrorCode>(json.at("code").get<int>()), json.at("what").get<std::string>(),
            json.at("where").get<std::string>(), json.at("why").get<std::string>(), json.at("next").get<std::string>()};
}

// Text that may hold any bytes (names of a model) never makes dump() throw.
inline std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fettle::measure::wire
