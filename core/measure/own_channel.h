// SPDX-License-Identifier: GPL-3.0-or-later
// The other end of a Child: a program that answers messages on its stdin and stdout.
#pragma once

#include <functional>

#include "core/measure/protocol.h"

namespace fettle::measure {

// Takes stdin and stdout for itself (what others print goes to stderr), and answers each message until they end.
// Errors, and exceptions of JSON, are answered as {"failure":{...}}. Returns the exit code.
int serveOwnChannel(const std::function<Result<Message>(const Message&)>& answer);

}  // namespace fettle::measure
