// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/architecture/rules.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace fettle::architecture {
namespace {

// The arrows of the plan, downward only. Whoever knows a room may know what that room knows, because headers hand types
// on: a deviation from the letter of the plan, which draws direct arrows.
const std::map<std::string, std::set<std::string>> kKnows = {
    {"app", {"ui", "session"}},
    {"ui", {"session", "store", "graph", "schedule", "target"}},
    {"session", {"search", "compile", "store", "onnx"}},
    {"compile", {"codegen", "measure", "graph", "ops", "schedule"}},  // best traces come in
    {"search", {"space", "cost", "measure"}},
    {"measure", {"codegen"}},
    {"space", {"schedule", "target"}},
    {"cost", {"schedule", "target"}},
    {"schedule", {"loop"}},
    {"codegen", {"loop", "target", "runtime"}},  // the table that codegen emits and the runtime runs
    {"ops", {"graph", "loop"}},
    {"onnx", {"graph", "ops"}},
    {"loop", {"graph"}},  // plain data: element types and layouts
    {"graph", {}},
    {"store", {}},
    {"target", {}},
    {"runtime", {}},
    {"support", {}},
};

// A dependency may be reached, also through headers, from these rooms only. Not here: the standard library,
// tl::expected (the form of every error) and nlohmann's JSON (text that several rooms read and write).
struct Door {
    const char* includes;  // of what stands between < and >
    std::set<std::string> rooms;
};
const std::vector<Door> kDoors = {
    {"(llvm|llvm-c|lld|clang|clang-c)/.*", {"codegen"}},
    {"(onnx|google/protobuf)/.*|.*\\.pb\\.h", {"onnx"}},
    {"xgboost/.*", {"cost"}},
    {"sqlite3.*", {"store"}},
    {"spdlog/.*", {"support"}},
    {"CLI/.*", {"app"}},
    {"(Q[A-Z].*|Qt.*|Qsci/.*|qcustomplot.*)", {"ui", "app"}},
};

struct Include {
    int line;
    std::string name;
};

std::vector<Include> includesOf(const std::string& text) {
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
    std::vector<Include> found;
    std::istringstream lines(text);
    std::string line;
    std::smatch match;
    for (int number = 1; std::getline(lines, line); ++number)
        if (std::regex_match(line, match, pattern)) found.push_back({number, match[2]});
    return found;
}

std::set<std::string> mayKnow(const std::string& room) {
    std::set<std::string> seen = {"support"};
    std::vector<std::string> todo = {room};
    while (!todo.empty()) {
        std::string at = todo.back();
        todo.pop_back();
        auto found = kKnows.find(at);
        if (seen.insert(at).second && found != kKnows.end())
            todo.insert(todo.end(), found->second.begin(), found->second.end());
    }
    return seen;
}

// The foreign headers that including `header` brings in, by way of our own headers.
void collectForeign(const std::map<std::string, std::vector<Include>>& all, const std::string& header,
                    std::set<std::string>& seen, std::set<std::string>& foreign) {
    auto file = all.find(header);
    if (file == all.end() || !seen.insert(header).second) return;
    for (const Include& include : file->second) {
        if (!roomOf(include.name).empty())
            collectForeign(all, include.name, seen, foreign);
        else
            foreign.insert(include.name);
    }
}

bool allowed(const std::string& room, const std::string& foreign) {
    return std::ranges::all_of(kDoors, [&](const Door& door) {
        return door.rooms.contains(room) || !std::regex_match(foreign, std::regex(door.includes));
    });
}

}  // namespace

std::string roomOf(std::string_view path) {
    auto part = [&](size_t begin) { return std::string(path.substr(begin, path.find('/', begin) - begin)); };
    if (path.find('/') == std::string_view::npos) return "";
    std::string first = part(0);
    return first == "core" ? part(5) : first == "ui" || first == "app" ? first : "";
}

std::vector<std::string> violations(const Sources& sources) {
    std::map<std::string, std::vector<Include>> all;
    for (const auto& [path, text] : sources) all[path] = includesOf(text);
    std::vector<std::string> found;
    for (const auto& [path, includes] : all) {
        std::string room = roomOf(path);
        auto report = [&](int line, const std::string& problem) {
            found.push_back(path + ":" + std::to_string(line) + ": " + problem);
        };
        if (!kKnows.contains(room)) report(1, "there is no room '" + room + "'");
        std::set<std::string> known = mayKnow(room);
        for (const Include& include : includes) {
            std::string other = roomOf(include.name);
            if (other.empty()) {  // another library's, or generated from one
                if (!allowed(room, include.name))
                    report(include.line, room + " is not the door of <" + include.name + ">");
                continue;
            }
            if (!known.contains(other)) report(include.line, room + " may not know " + other);
            std::set<std::string> seen, foreign;
            if (other != room) collectForeign(all, include.name, seen, foreign);
            for (const std::string& name : foreign)
                if (!allowed(room, name)) report(include.line, include.name + " shows <" + name + ">");
        }
    }
    return found;
}

}  // namespace fettle::architecture
