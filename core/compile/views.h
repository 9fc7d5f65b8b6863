// SPDX-License-Identifier: GPL-3.0-or-later
// Values that need no memory of their own, and groups that then need no step.
#pragma once

#include <map>
#include <vector>

#include "core/graph/graph.h"

namespace fettle::compile {

struct View {
    graph::ValueId value = graph::kNone;  // whose storage
    int64_t offset = 0;                   // bytes into it, a multiple of 64
};

struct Views {
    std::map<graph::ValueId, View> parent;
    std::vector<bool> skipped;  // per group

    View root(graph::ValueId id) const;  // the storage that finally holds the value
};

Views findViews(const graph::FusedGraph& fused);

}  // namespace fettle::compile
