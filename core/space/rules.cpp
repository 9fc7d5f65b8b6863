// SPDX-License-Identifier: GPL-3.0-or-later
// The list of rules for CPUs. A stage is scheduled by the first that applies; each other one is an alternative.
#include "core/space/stage_plan.h"

namespace fettle::space {
namespace {

bool tileWithoutGathers(const StageShape& shape, int prefix) {
    return registerTileApplies(shape, prefix) && shape.gatheredTensor < 0;
}

}  // namespace

const std::vector<StageRule>& stageRules() {
    static const std::vector<StageRule> rules = {
        {"register tile", tileWithoutGathers, registerTile},
        {"lanes over the reduction", reduceLanesApply, reduceLanes},
        {"register tile that gathers", registerTileApplies, registerTile, true},
        {"vectors in memory order", mapApplies, map},
        {"plain loops", plainApplies, plain, true},
    };
    return rules;
}

}  // namespace fettle::space
