// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/settings.h"

#include <nlohmann/json.hpp>

namespace fettle::session {
namespace {

using nlohmann::json;

// Reads a key into a variable of its own type; anything else in the file leaves the variable alone.
template <class T>
void read(const json& object, const char* key, T& value) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    try {
        value = found->get<T>();
    } catch (const json::exception&) {
    }
}

json parseObject(const std::string& text) {
    json object = json::parse(text, nullptr, false);
    return object.is_object() ? object : json::object();
}

graph::OpKind kindNamed(const std::string& name) {
    for (int k = 0; k <= static_cast<int>(graph::OpKind::Other); ++k)
        if (name == graph::kindName(static_cast<graph::OpKind>(k))) return static_cast<graph::OpKind>(k);
    return graph::OpKind::Other;
}

}  // namespace

std::string toJson(const TuneOptions& o) {
    const measure::EvaluatorConfig& e = o.evaluator;
    return json{{"trials", o.trials},
                {"minutes", o.minutes},
                {"trialsPerRound", o.trialsPerRound},
                {"threads", o.threads},
                {"seed", o.seed},
                {"operators", o.operators},
                {"scheduleScripts", o.scheduleScripts},
                {"evaluator",
                 {{"number", e.number},
                  {"repeat", e.repeat},
                  {"minRepeatMs", e.minRepeatMs},
                  {"flushCache", e.flushCache},
                  {"allocRepeat", e.allocRepeat},
                  {"threads", e.threads}}}}
        .dump();
}

TuneOptions tuneOptionsFromJson(const std::string& text) {
    const json object = parseObject(text);
    TuneOptions o;
    read(object, "trials", o.trials);
    read(object, "minutes", o.minutes);
    read(object, "trialsPerRound", o.trialsPerRound);
    read(object, "threads", o.threads);
    read(object, "seed", o.seed);
    read(object, "operators", o.operators);
    read(object, "scheduleScripts", o.scheduleScripts);
    const json evaluator = object.value("evaluator", json::object());
    read(evaluator, "number", o.evaluator.number);
    read(evaluator, "repeat", o.evaluator.repeat);
    read(evaluator, "minRepeatMs", o.evaluator.minRepeatMs);
    read(evaluator, "flushCache", o.evaluator.flushCache);
    read(evaluator, "allocRepeat", o.evaluator.allocRepeat);
    read(evaluator, "threads", o.evaluator.threads);
    return o;
}

std::string toJson(const compile::Profile& profile) {
    json spans = json::array();
    for (const compile::Span& span : profile.spans)
        spans.push_back({{"name", span.name},
                         {"kind", graph::kindName(span.kind)},
                         {"path", span.path},
                         {"startUs", span.startNs / 1e3},
                         {"durationUs", span.durationNs / 1e3},
                         {"selfUs", span.selfNs / 1e3},
                         {"minUs", span.minNs / 1e3},
                         {"maxUs", span.maxNs / 1e3},
                         {"flops", span.flops},
                         {"bytes", span.bytes},
                         {"parent", span.parent},
                         {"group", span.group},
                         {"task", span.task}});
    return json{{"label", profile.label},           {"runs", profile.runs},         {"threads", profile.threads},
                {"totalUs", profile.totalNs / 1e3}, {"minUs", profile.minNs / 1e3}, {"spread", profile.spread},
                {"spans", std::move(spans)}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<compile::Profile> profileFromJson(const std::string& text) {
    const json object = parseObject(text);
    if (!object.contains("spans") || !object["spans"].is_array())
        return fail(ErrorCode::Failed, "cannot read a stored profile", {}, "it holds no spans", "Profile again.");
    const auto ns = [](const json& from, const char* key) {
        double us = 0;
        read(from, key, us);
        return us * 1e3;
    };
    compile::Profile profile;
    read(object, "label", profile.label);
    read(object, "runs", profile.runs);
    read(object, "threads", profile.threads);
    read(object, "spread", profile.spread);
    profile.totalNs = ns(object, "totalUs");
    profile.minNs = ns(object, "minUs");
    for (const json& row : object["spans"]) {
        compile::Span span;
        std::string kind;
        read(row, "name", span.name);
        read(row, "path", span.path);
        read(row, "kind", kind);
        span.kind = kindNamed(kind);
        read(row, "flops", span.flops);
        read(row, "bytes", span.bytes);
        read(row, "parent", span.parent);
        read(row, "group", span.group);
        read(row, "task", span.task);
        span.startNs = ns(row, "startUs");
        span.durationNs = ns(row, "durationUs");
        span.selfNs = ns(row, "selfUs");
        span.minNs = ns(row, "minUs");
        span.maxNs = ns(row, "maxUs");
        // Parents come first: what breaks that order would send a reader of the tree round in circles.
        if (span.parent >= static_cast<int>(profile.spans.size()) || span.parent < -1) span.parent = -1;
        profile.spans.push_back(std::move(span));
    }
    return profile;
}

std::string toJson(const Progress::Split& s) {
    return json{
        {"search", s.search}, {"compile", s.compile}, {"measure", s.measure}, {"train", s.train}, {"store", s.store}}
        .dump();
}

Progress::Split splitFromJson(const std::string& text) {
    const json object = parseObject(text);
    Progress::Split s;
    read(object, "search", s.search);
    read(object, "compile", s.compile);
    read(object, "measure", s.measure);
    read(object, "train", s.train);
    read(object, "store", s.store);
    return s;
}

std::string toJson(const measure::Roofline& roofline) {
    return json{{"flopsPerSecond", roofline.flopsPerSecond}, {"bytesPerSecond", roofline.bytesPerSecond}}.dump();
}

measure::Roofline rooflineFromJson(const std::string& text) {
    const json object = parseObject(text);
    measure::Roofline roofline;
    read(object, "flopsPerSecond", roofline.flopsPerSecond);
    read(object, "bytesPerSecond", roofline.bytesPerSecond);
    return roofline;
}

}  // namespace fettle::session
