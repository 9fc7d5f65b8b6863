// SPDX-License-Identifier: GPL-3.0-or-later
// Who may know whom, and one door for each dependency: the rules of docs/architecture.md, checked on #include lines.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fettle::architecture {

// Path relative to the source folder ("core/loop/print.cpp") -> text.
using Sources = std::map<std::string, std::string>;

// "core/loop/print.cpp" -> "loop", "ui/shell/theme.h" -> "ui", "app/cli/main.cpp" -> "app"; "" for no room's path.
std::string roomOf(std::string_view path);

// One line for each include that breaks a rule, in order of path and line; empty when all is well.
std::vector<std::string> violations(const Sources& sources);

}  // namespace fettle::architecture
