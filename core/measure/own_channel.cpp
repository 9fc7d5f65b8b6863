// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/own_channel.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>

#include "core/measure/channel.h"
#include "core/measure/wire_json.h"

namespace fettle::measure {

namespace {

Message answerSafely(const std::function<Result<Message>(const Message&)>& answer, const Message& message) {
    Error error;
    try {
        auto reply = answer(message);
        if (reply) return std::move(*reply);
        error = std::move(reply.error());
    } catch (const std::exception& problem) {
        error = {ErrorCode::Failed, "cannot do the job", "", problem.what(), ""};
    }
    return {wire::dump({{"failure", wire::errorJson(error)}}), {}};
}

}  // namespace

int serveOwnChannel(const std::function<Result<Message>(const Message&)>& answer) {
    ::signal(SIGPIPE, SIG_IGN);
    const int in = ::fcntl(0, F_DUPFD_CLOEXEC, 100), out = ::fcntl(1, F_DUPFD_CLOEXEC, 100);
    if (in < 0 || out < 0) return 1;
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(null, 0);
    ::dup2(2, 1);
    if (null > 2) ::close(null);
    Channel channel(in, out);
    for (;;) {
        Message message;
        const ChannelEnd end = channel.read(message, {});
        if (end == ChannelEnd::Closed) return 0;
        if (end != ChannelEnd::None) return 1;
        const Message reply = answerSafely(answer, message);
        if (channel.write(viewOf(reply), {}) != ChannelEnd::None) return 1;
    }
}

}  // namespace fettle::measure
