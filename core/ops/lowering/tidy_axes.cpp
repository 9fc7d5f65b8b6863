// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>

#include "core/ops/lowering/join.h"

namespace fettle::ops {

using loop::Axis;
using loop::AxisKind;
using loop::ScalarNode;
using loop::Stage;

namespace {

using IndexMap = std::function<Index(const Index&)>;

Scalar mapIndices(const Scalar& scalar, const IndexMap& map) {
    if (!scalar) return scalar;
    return loop::rewrite(scalar, [&](const Scalar& node) -> Scalar {
        if (node->indices.empty()) return node;
        ScalarNode copy = *node;
        for (Index& index : copy.indices) index = map(index);
        return std::make_shared<const ScalarNode>(std::move(copy));
    });
}

void mapStage(Stage& stage, const IndexMap& map) {
    stage.body = mapIndices(stage.body, map);
    stage.epilogue = mapIndices(stage.epilogue, map);
    for (Index& index : stage.outputIndices) index = map(index);
}

void simplifyStage(Stage& stage) {
    const std::vector<loop::Range> ranges = rangesOf(stage);
    for (const loop::Range& range : ranges)
        if (range.high < range.low) return;
    mapStage(stage, [&](const Index& index) { return loop::simplify(index, ranges); });
}

// The divisions and remainders of the stage, one entry per place.
std::vector<Index> divisions(const Stage& stage) {
    std::vector<Index> found;
    std::function<void(const Index&)> visit = [&](const Index& index) {
        switch (index.kind()) {
            case Index::Kind::Add:
                visit(index.left());
                visit(index.right());
                return;
            case Index::Kind::FloorDiv:
            case Index::Kind::Mod:
                found.push_back(index);
                [[fallthrough]];
            case Index::Kind::Mul:
                visit(index.left());
                return;
            default:
                return;
        }
    };
    for (const Scalar& scalar : {stage.body, stage.epilogue})
        if (scalar)
            for (const ScalarNode* load : loop::loads(scalar))
                for (const Index& index : load->indices) visit(index);
    for (const Index& index : stage.outputIndices) visit(index);
    return found;
}

// Axis `number` becomes two: extent/inner and inner.
Stage splitAxis(const Stage& stage, size_t number, int64_t inner) {
    Stage result = stage;
    const Axis axis = stage.axes[number];
    result.axes[number] = {axis.name + "_o", axis.extent / inner, axis.kind};
    result.axes.insert(result.axes.begin() + static_cast<long>(number) + 1, {axis.name + "_i", inner, axis.kind});
    Indices values;
    for (size_t k = 0; k < stage.axes.size(); ++k) {
        const auto shifted = static_cast<int>(k > number ? k + 1 : k);
        values.push_back(k == number ? Index::axis(shifted) * inner + Index::axis(shifted + 1) : Index::axis(shifted));
    }
    result.body = loop::substituteAxes(result.body, values);
    if (result.epilogue) result.epilogue = loop::substituteAxes(result.epilogue, values);
    for (Index& index : result.outputIndices) index = substitute(index, values);
    simplifyStage(result);
    return result;
}

// One split that leaves fewer divisions, if there is any.
bool splitOnce(Stage& stage) {
    const std::vector<Index> all = divisions(stage);
    for (const Index& division : all) {
        const int64_t divisor = division.constant();
        const loop::Affine affine = loop::affine(division.left(), static_cast<int>(stage.axes.size()));
        if (!affine.valid) continue;
        for (size_t k = 0; k < stage.axes.size(); ++k) {
            const int64_t factor = affine.coefficients[k];
            if (factor <= 0 || divisor % factor != 0) continue;
            const int64_t inner = divisor / factor;
            if (inner <= 1 || stage.axes[k].extent <= inner || stage.axes[k].extent % inner != 0) continue;
            Stage candidate = splitAxis(stage, k, inner);
            if (divisions(candidate).size() >= all.size()) continue;
            stage = std::move(candidate);
            return true;
        }
    }
    return false;
}

void dropUnitAxes(Stage& stage) {
    std::vector<Axis> kept;
    Indices values;
    const bool anySpace = std::any_of(stage.axes.begin(), stage.axes.end(), [](const Axis& axis) {
        return axis.kind == AxisKind::Space && axis.extent != 1;
    });
    const bool anyReduce = std::any_of(stage.axes.begin(), stage.axes.end(), [](const Axis& axis) {
        return axis.kind == AxisKind::Reduce && axis.extent != 1;
    });
    bool spaceKept = anySpace, reduceKept = anyReduce;
    for (const Axis& axis : stage.axes) {
        bool& have = axis.kind == AxisKind::Space ? spaceKept : reduceKept;
        if (axis.extent == 1 && have) {
            values.push_back(Index(0));
            continue;
        }
        have = true;
        values.push_back(Index::axis(static_cast<int>(kept.size())));
        kept.push_back(axis);
    }
    if (kept.size() == stage.axes.size()) return;
    stage.body = loop::substituteAxes(stage.body, values);
    if (stage.epilogue) stage.epilogue = loop::substituteAxes(stage.epilogue, values);
    for (Index& index : stage.outputIndices) index = substitute(index, values);
    stage.axes = std::move(kept);
}

}  // namespace

std::vector<loop::Range> rangesOf(const Stage& stage) {
    std::vector<loop::Range> ranges;
    for (const Axis& axis : stage.axes) ranges.push_back({0, axis.extent - 1});
    return ranges;
}

void tidyAxes(Stage& stage) {
    simplifyStage(stage);
    while (splitOnce(stage)) {
    }
    dropUnitAxes(stage);
    simplifyStage(stage);
}

}  // namespace fettle::ops
