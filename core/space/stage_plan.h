// SPDX-License-Identifier: GPL-3.0-or-later
// One way to schedule one stage, with open decisions. A rule makes plans; sketches are made of plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/space/design_space.h"
#include "core/space/nest_builder.h"
#include "core/space/stage_shape.h"

namespace fettle::space {

using ShapePtr = std::shared_ptr<const StageShape>;

struct StagePlan {
    ShapePtr shape;
    std::string name;  // "register tile", "lanes over the reduction" ...
    std::vector<Decision> decisions;
    // values[k]: the value of decision k (not its index). Appends primitives of this stage; returns its outer loops.
    std::function<std::vector<BuiltLoop>(const std::vector<int64_t>& values, schedule::Trace& trace)> emit;
    std::function<const char*(const std::vector<int64_t>& values)> broken;  // the rule they break; null: none
};

// A row of the list of rules. `prefix`: this many leading axes must stay the outermost loops, whole and in order.
struct StageRule {
    const char* name;
    bool (*applies)(const StageShape& shape, int prefix);
    StagePlan (*plan)(const ShapePtr& shape, int prefix);
    bool lastResort = false;  // not an alternative where another rule applies
};

const std::vector<StageRule>& stageRules();  // best first

bool registerTileApplies(const StageShape& shape, int prefix);
StagePlan registerTile(const ShapePtr& shape, int prefix);
bool reduceLanesApply(const StageShape& shape, int prefix);
StagePlan reduceLanes(const ShapePtr& shape, int prefix);
bool mapApplies(const StageShape& shape, int prefix);
StagePlan map(const ShapePtr& shape, int prefix);
bool plainApplies(const StageShape& shape, int prefix);
StagePlan plain(const ShapePtr& shape, int prefix);

// Helpers that several rules share.
Decision sizes(std::string name, std::vector<int64_t> choices, int64_t usual);  // sorted, unique; the nearest is usual
std::vector<int64_t> tileChoices(int64_t extent, int64_t most);                 // tile sizes worth trying
std::vector<int64_t> doublings(int64_t limit);                                  // 1, 2, 4 ... up to and including limit
// Rows of an honest default: few left over, `enough` of them to hide latency where the extent allows.
int64_t bestRows(int64_t extent, int64_t most, int64_t enough);
std::vector<int> byStride(const StageShape& shape, std::vector<int> axes);  // farthest step in the output first

// The reduce loops of a stage: blocked axes in two levels, the innermost `unroll` steps unrolled.
struct ReduceLoops {
    std::vector<BuiltLoop> serial, unrolled;
};
ReduceLoops reduceLoops(const StageShape& shape, NestBuilder& nest, int64_t unroll, bool blocksInnermost, int except);
std::vector<int64_t> unrollChoices(const StageShape& shape, bool blocksInnermost, int except, int64_t most);

}  // namespace fettle::space
