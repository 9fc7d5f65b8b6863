// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/script.h"

#include <cctype>
#include <sstream>

namespace fettle::session {
namespace {

std::string trimmed(const std::string& text) {
    const size_t from = text.find_first_not_of(" \t\r");
    return from == std::string::npos ? std::string() : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

void replaceAll(std::string& text, const std::string& what, const std::string& with) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

// The line with `*` replaced by the stage, and innermost / outermost by its present loops.
std::string forStage(std::string line, const loop::LoopProgram& program, size_t stage) {
    const std::string name = program.stages[stage].name;
    replaceAll(line, "*.", name + ".");
    replaceAll(line, " * ", " " + name + " ");
    const auto& loops = program.nests[stage].loops;
    if (!loops.empty()) {
        replaceAll(line, "innermost", loops.back().name);
        replaceAll(line, "outermost", loops.front().name);
    }
    return line;
}

}  // namespace

bool matchesGlob(const std::string& pattern, const std::string& text) {
    size_t p = 0, t = 0, star = std::string::npos, mark = 0;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || same(pattern[p], text[t]))) {
            ++p;
            ++t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool matchesOperator(const std::string& pattern, const compile::OpenedModel& model, const compile::Task& task) {
    if (matchesGlob(pattern, task.name)) return true;
    for (int g : task.groups)
        for (graph::NodeId id : model.fused.groups[static_cast<size_t>(g)].nodes)
            if (matchesGlob(pattern, model.fused.graph.nodes[static_cast<size_t>(id)].name)) return true;
    return false;
}

Result<std::vector<ScriptBlock>> parseScript(const std::string& text, const std::string& where) {
    std::vector<ScriptBlock> blocks;
    std::istringstream in(text);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        line = trimmed(line);
        if (line.empty() || line[0] == '#') continue;
        if (line == "match" || line.starts_with("match ") || line.starts_with("match\t")) {
            blocks.push_back({trimmed(line.substr(5)), {}, number});
            if (blocks.back().pattern.empty())
                return fail(ErrorCode::Usage, "cannot use the schedule script",
                            where + " line " + std::to_string(number), "a match line names no pattern",
                            "Write for example `match *Conv*`.");
        } else if (blocks.empty()) {
            return fail(ErrorCode::Usage, "cannot use the schedule script", where + " line " + std::to_string(number),
                        "a primitive comes before the first match line", "Start with a line like `match *Conv*`.");
        } else {
            blocks.back().lines.push_back(line);
        }
    }
    return blocks;
}

Result<schedule::Trace> applyScript(const ScriptBlock& block, const loop::LoopProgram& program) {
    schedule::Trace trace;
    const auto append = [&](const std::string& line) -> Status {
        FETTLE_TRY(const schedule::Trace more, schedule::parse(line));
        trace.primitives.insert(trace.primitives.end(), more.primitives.begin(), more.primitives.end());
        return {};
    };
    for (const std::string& line : block.lines) {
        const bool forAll = line.find("*.") != std::string::npos || line.find(" * ") != std::string::npos;
        Status status;
        if (!forAll) {
            status = append(line);
        } else {
            FETTLE_TRY(const loop::LoopProgram now, schedule::replay(program, trace));
            for (size_t stage = 0; status && stage < now.stages.size(); ++stage)
                if (!now.nests[stage].loops.empty()) status = append(forStage(line, now, stage));
        }
        if (!status)
            return fail(ErrorCode::Usage, "cannot use the schedule script", "match " + block.pattern + ": " + line,
                        status.error().why.empty() ? status.error().message() : status.error().why);
    }
    FETTLE_CHECK(schedule::replay(program, trace));
    return trace;
}

}  // namespace fettle::session
