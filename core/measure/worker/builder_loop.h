// SPDX-License-Identifier: GPL-3.0-or-later
// `fettle-worker --builder`: loop programs and model plans come in on stdin, shared objects go out on stdout.
#pragma once

namespace fettle::measure::worker {

int runBuilder();  // the exit code

}  // namespace fettle::measure::worker
