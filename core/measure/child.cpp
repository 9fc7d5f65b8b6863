// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/child.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/support/format.h"

namespace fettle::measure {

struct SpawnThread::State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::packaged_task<Result<std::unique_ptr<Process>>()>> queue;
    bool stop = false;
};

SpawnThread::SpawnThread() : state_(std::make_unique<State>()) {
    thread_ = std::thread([state = state_.get()] {
        std::unique_lock lock(state->mutex);
        for (;;) {
            state->wake.wait(lock, [&] { return state->stop || !state->queue.empty(); });
            if (state->queue.empty()) return;
            auto task = std::move(state->queue.front());
            state->queue.pop_front();
            lock.unlock();
            task();
            lock.lock();
        }
    });
}

SpawnThread::~SpawnThread() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->wake.notify_all();
    thread_.join();
}

Result<std::unique_ptr<Process>> SpawnThread::spawn(const std::string& program,
                                                    const std::vector<std::string>& arguments) {
    std::packaged_task<Result<std::unique_ptr<Process>>()> task([&] { return Process::spawn(program, arguments); });
    auto result = task.get_future();
    {
        const std::lock_guard lock(state_->mutex);
        state_->queue.push_back(std::move(task));
    }
    state_->wake.notify_one();
    return result.get();
}

Child::Child(std::string program, std::vector<std::string> arguments, std::shared_ptr<SpawnThread> spawner)
    : program_(std::move(program)), arguments_(std::move(arguments)), spawner_(std::move(spawner)) {}

CallFailure Child::failed(ChannelEnd end, std::chrono::milliseconds timeout, std::string why) {
    CallFailure failure{end, {}, {}};
    const std::string name = std::filesystem::path(program_).filename().string();
    if (end == ChannelEnd::Closed) {
        failure.exit = process_->waitExit(std::chrono::seconds(1));
        why = "it ended with " + failure.exit.text();
    } else if (end == ChannelEnd::Timeout) {
        why = "no answer after " + formatDouble(static_cast<double>(timeout.count()) * 1e-3, 1) + " s";
    } else if (end == ChannelEnd::Cancelled) {
        why = "it was cancelled";
    }
    const ErrorCode code = end == ChannelEnd::Cancelled ? ErrorCode::Cancelled : ErrorCode::Failed;
    failure.error = Error{code, name + " gave no result", "", std::move(why), ""};
    process_.reset();
    return failure;
}

Status Child::start() {
    if (process_) return {};
    FETTLE_TRY(process_, spawner_->spawn(program_, arguments_));
    ++generation_;
    constexpr std::chrono::seconds kStartTimeout(20);
    const auto reply = call({R"({"op":"hello"})", {}}, kStartTimeout);
    if (!reply) return tl::unexpected<Error>(reply.error().error);
    const auto json = nlohmann::json::parse(reply->json, nullptr, false);
    if (json.is_discarded() || json.value("version", 0) != kProtocolVersion) {
        process_.reset();
        return fail(ErrorCode::MissingTarget, "cannot use " + program_, "", "it speaks another version of the protocol",
                    "Install programs of one version.");
    }
    return {};
}

tl::expected<Message, CallFailure> Child::call(const MessageView& message, std::chrono::milliseconds timeout,
                                               const CancelToken* cancel) {
    if (auto started = start(); !started)
        return tl::unexpected<CallFailure>(CallFailure{ChannelEnd::None, {}, std::move(started.error())});
    const Channel::Wait wait{Clock::now() + timeout, cancel};
    std::string why;
    Message reply;
    ChannelEnd end = process_->channel().write(message, wait, &why);
    if (end == ChannelEnd::None) end = process_->channel().read(reply, wait, &why);
    if (end != ChannelEnd::None) return tl::unexpected<CallFailure>(failed(end, timeout, std::move(why)));
    return reply;
}

}  // namespace fettle::measure
