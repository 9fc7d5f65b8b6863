// SPDX-License-Identifier: GPL-3.0-or-later
// One log for the process: lines with a level and a category, to stderr (from Warning up) and to any sinks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fettle::log {

enum class Level { Debug, Info, Warning, Error };

struct Line {
    Level level;
    std::string category;  // the room: "onnx", "search", "measure" ...
    std::string text;
    double unixSeconds;
};

void write(Level level, std::string_view category, std::string text);
inline void debug(std::string_view category, std::string text) {
    write(Level::Debug, category, std::move(text));
}
inline void info(std::string_view category, std::string text) {
    write(Level::Info, category, std::move(text));
}
inline void warning(std::string_view category, std::string text) {
    write(Level::Warning, category, std::move(text));
}
inline void error(std::string_view category, std::string text) {
    write(Level::Error, category, std::move(text));
}

void setStderrLevel(Level level);
// Sinks are called on the writing thread; they must be quick and thread-safe. Returns an id for removeSink.
int addSink(std::function<void(const Line&)> sink);
void removeSink(int id);

}  // namespace fettle::log
