// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/log.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace fettle::log {
namespace {

// One log for the process: the one piece of shared state that rooms may reach without being handed it.
struct Log {
    std::shared_ptr<spdlog::logger> err;
    std::atomic<Level> stderrLevel{Level::Warning};
    std::mutex mutex;
    std::map<int, std::shared_ptr<const std::function<void(const Line&)>>> sinks;
    int nextId = 1;

    Log() {
        auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        err = std::make_shared<spdlog::logger>("fettle", sink);
        err->set_pattern("fettle: %l: %v");
        err->set_level(spdlog::level::debug);
        err->flush_on(spdlog::level::debug);
    }
};

Log& theLog() {
    static Log* log = new Log;  // never destroyed: threads may log while the process ends
    return *log;
}

spdlog::level::level_enum toSpdlog(Level level) {
    static constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                            spdlog::level::warn, spdlog::level::err};
    return kLevels[static_cast<int>(level)];
}

double unixNow() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

void write(Level level, std::string_view category, std::string text) {
    Log& log = theLog();
    if (level >= log.stderrLevel.load(std::memory_order_relaxed))
        log.err->log(toSpdlog(level), "{}: {}", category, text);
    std::map<int, std::shared_ptr<const std::function<void(const Line&)>>> sinks;
    {
        std::lock_guard lock(log.mutex);
        sinks = log.sinks;  // called without the lock, so that a sink may log or remove itself
    }
    if (sinks.empty()) return;
    Line line{level, std::string(category), std::move(text), unixNow()};
    for (const auto& [id, sink] : sinks) (*sink)(line);
}

void setStderrLevel(Level level) {
    theLog().stderrLevel = level;
}

int addSink(std::function<void(const Line&)> sink) {
    Log& log = theLog();
    std::lock_guard lock(log.mutex);
    log.sinks[log.nextId] = std::make_shared<const std::function<void(const Line&)>>(std::move(sink));
    return log.nextId++;
}

void removeSink(int id) {
    Log& log = theLog();
    std::lock_guard lock(log.mutex);
    log.sinks.erase(id);
}

}  // namespace fettle::log
