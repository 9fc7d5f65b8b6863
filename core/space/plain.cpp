// SPDX-License-Identifier: GPL-3.0-or-later
// The last resort: one serial loop per axis, as lowered. Always legal.
#include "core/space/stage_plan.h"

namespace fettle::space {

bool plainApplies(const StageShape&, int) {
    return true;
}

StagePlan plain(const ShapePtr& shape, int) {
    StagePlan plan{shape, "plain loops", {}, {}, {}};
    plan.emit = [shape](const std::vector<int64_t>&, schedule::Trace&) {
        std::vector<BuiltLoop> outer;
        for (const AxisShape& axis : shape->axes)
            if (!axis.reduce) outer.push_back({axis.name, axis.extent, axis.axis, 1});
        return outer;
    };
    plan.broken = [](const std::vector<int64_t>&) -> const char* { return nullptr; };
    return plan;
}

}  // namespace fettle::space
