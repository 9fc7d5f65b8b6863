// SPDX-License-Identifier: GPL-3.0-or-later
// A profile as text for other tools. Always '.' as the decimal point; names may hold any UTF-8.
#pragma once

#include <string>

#include "core/compile/model.h"

namespace fettle::compile {

// Chrome's Trace Event Format, complete events ("ph":"X"), times in microseconds: for Perfetto, chrome://tracing,
// speedscope. One process, one thread; kind, FLOPs, bytes and the spread are in "args".
std::string chromeTrace(const Profile& profile);

// Folded stacks of flamegraph.pl: "model;section;operator;stage NANOSECONDS", self times, one line a span that has any.
// A ';' or line break in a name becomes ','.
std::string foldedStacks(const Profile& profile);

// An icicle as SVG, `width` pixels wide, as tall as the profile is deep; every span has a <title> with its time.
std::string profileSvg(const Profile& profile, int width);

}  // namespace fettle::compile
