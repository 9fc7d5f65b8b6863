// SPDX-License-Identifier: GPL-3.0-or-later
// What people type into a search: text in a name, /a regular expression/, or the name of a kind.
#pragma once

#include <QString>
#include <functional>

#include "ui/flame/flame_tree.h"

namespace fettle::ui {

struct SpanFilter {
    std::function<bool(const FlameNode&)> wanted;  // empty: no filter
    bool valid = true;                             // false: not a valid regular expression
};
SpanFilter makeSpanFilter(const QString& text);

}  // namespace fettle::ui
