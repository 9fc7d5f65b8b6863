// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include "core/loop/program.h"

namespace fettle::loop {

namespace {

tl::unexpected<Error> broken(const std::string& where, const std::string& why) {
    return fail(ErrorCode::Failed, "illegal loop program", where, why);
}

std::vector<Range> axisRanges(const Stage& stage) {
    std::vector<Range> ranges;
    for (const Axis& axis : stage.axes) ranges.push_back({0, axis.extent - 1});
    return ranges;
}

bool containsLoaded(const Index& index) {
    switch (index.kind()) {
        case Index::Kind::Constant:
        case Index::Kind::Axis:
            return false;
        case Index::Kind::Loaded:
            return true;
        case Index::Kind::Add:
            return containsLoaded(index.left()) || containsLoaded(index.right());
        default:
            return containsLoaded(index.left());
    }
}

Status checkAccess(const LoopProgram& program, const Stage& stage, int tensor, const std::vector<Index>& indices,
                   bool guarded, bool mayReadHalo) {
    if (tensor < 0 || static_cast<size_t>(tensor) >= program.tensors.size())
        return broken(stage.name, "tensor " + std::to_string(tensor) + " does not exist");
    const TensorDecl& decl = program.tensors[static_cast<size_t>(tensor)];
    const std::string where = stage.name + ", " + decl.name;
    if (indices.size() != decl.type.shape.size())
        return broken(where,
                      std::to_string(indices.size()) + " indices for rank " + std::to_string(decl.type.shape.size()));
    if (guarded) return {};
    const std::vector<Range> ranges = axisRanges(stage);
    for (const Range& range : ranges)
        if (range.high < range.low) return {};  // an empty domain touches nothing
    for (size_t d = 0; d < indices.size(); ++d) {
        if (containsLoaded(indices[d])) continue;
        const Range range = rangeOf(simplify(indices[d], ranges), ranges);
        const graph::Layout& layout = decl.type.layout;
        const int64_t before = mayReadHalo && !layout.haloBefore.empty() ? layout.haloBefore[d] : 0;
        const int64_t after = mayReadHalo && !layout.haloAfter.empty() ? layout.haloAfter[d] : 0;
        if (range.low < -before || range.high >= decl.type.shape[d] + after)
            return broken(where, "index " + std::to_string(d) + " spans [" + std::to_string(range.low) + "," +
                                     std::to_string(range.high) + "] of extent " + std::to_string(decl.type.shape[d]));
    }
    return {};
}

Status checkStage(const LoopProgram& program, const Stage& stage) {
    if (!stage.body) return broken(stage.name, "no body");
    bool reduceSeen = false;
    for (const Axis& axis : stage.axes) {
        if (axis.extent < 0) return broken(stage.name + "." + axis.name, "negative extent");
        if (axis.kind == AxisKind::Space && reduceSeen)
            return broken(stage.name, "space axes must come before reduce axes");
        reduceSeen |= axis.kind == AxisKind::Reduce;
    }
    if (reduceSeen != (stage.reduction != Reduction::None))
        return broken(stage.name, "reduce axes and a reduction belong together");
    FETTLE_CHECK(checkAccess(program, stage, stage.output, stage.outputIndices, false, false));
    for (const Scalar& scalar : {stage.body, stage.epilogue})
        if (scalar)
            for (const ScalarNode* load : loads(scalar))
                FETTLE_CHECK(checkAccess(program, stage, load->tensor, load->indices, load->guarded, true));
    return {};
}

// The loops of one axis must count it exactly: innermost step 1, each outer step what the inner loops cover.
Status checkAxisCover(const Stage& stage, const Nest& nest, int axis) {
    std::vector<Loop> loops;
    for (const Loop& loop : nest.loops)
        if (loop.axis == axis) loops.push_back(loop);
    std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
        return a.step != b.step ? a.step < b.step : a.extent < b.extent;
    });
    int64_t covered = 1;
    const int64_t extent = stage.axes[static_cast<size_t>(axis)].extent;
    for (const Loop& loop : loops) {
        if (loop.step != covered)
            return broken(stage.name + "." + loop.name,
                          "step " + std::to_string(loop.step) + ", but inner loops cover " + std::to_string(covered));
        covered *= loop.extent;
    }
    const int64_t outerStep = loops.empty() ? 1 : loops.back().step;
    const int64_t needed = (extent + outerStep - 1) / outerStep * outerStep;
    if (loops.empty() ? extent != 1 : covered != needed)
        return broken(stage.name + "." + stage.axes[static_cast<size_t>(axis)].name,
                      "loops cover " + std::to_string(covered) + " of " + std::to_string(extent));
    return {};
}

Status checkNest(const LoopProgram& program, int stageIndex) {
    const Stage& stage = program.stages[static_cast<size_t>(stageIndex)];
    const Nest& nest = program.nests[static_cast<size_t>(stageIndex)];
    std::set<std::string> names;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
        const Loop& loop = nest.loops[i];
        const std::string where = stage.name + "." + loop.name;
        if (loop.axis < 0 || static_cast<size_t>(loop.axis) >= stage.axes.size()) return broken(where, "no such axis");
        if (!names.insert(loop.name).second) return broken(where, "the name is used twice");
        if (loop.kind == LoopKind::Vectorized && i + 1 != nest.loops.size())
            return broken(where, "a vectorised loop must be the innermost");
        if (static_cast<int>(i) < nest.parallelLoops &&
            stage.axes[static_cast<size_t>(loop.axis)].kind != AxisKind::Space)
            return broken(where, "a reduce loop cannot run in parallel");
    }
    if (nest.parallelLoops > static_cast<int>(nest.loops.size()))
        return broken(stage.name, "more parallel loops than loops");
    for (size_t axis = 0; axis < stage.axes.size(); ++axis)
        FETTLE_CHECK(checkAxisCover(stage, nest, static_cast<int>(axis)));
    return {};
}

// The producer's point for the shared axes must be the one the reader is at.
Status checkSharedReads(const LoopProgram& program, int producer, int reader, int depth) {
    const Stage& from = program.stages[static_cast<size_t>(producer)];
    const Stage& to = program.stages[static_cast<size_t>(reader)];
    const Nest& fromNest = program.nests[static_cast<size_t>(producer)];
    const Nest& toNest = program.nests[static_cast<size_t>(reader)];
    for (const Scalar& scalar : {to.body, to.epilogue}) {
        if (!scalar) continue;
        for (const ScalarNode* load : loads(scalar)) {
            if (load->tensor != from.output) continue;
            for (int k = 0; k < depth; ++k) {
                const int fromAxis = fromNest.loops[static_cast<size_t>(k)].axis;
                const int toAxis = toNest.loops[static_cast<size_t>(k)].axis;
                if (from.axes[static_cast<size_t>(fromAxis)].extent == 1) continue;
                bool found = false;
                for (size_t d = 0; d < from.outputIndices.size(); ++d)
                    found |= equal(from.outputIndices[d], Index::axis(fromAxis)) &&
                             equal(load->indices[d], Index::axis(toAxis));
                if (!found)
                    return broken(from.name, to.name + " reads it at other points of " +
                                                 fromNest.loops[static_cast<size_t>(k)].name +
                                                 " than the shared loop is at");
            }
        }
    }
    return {};
}

Status checkAttachment(const LoopProgram& program, int producer) {
    const Nest& nest = program.nests[static_cast<size_t>(producer)];
    if (nest.attachStage < 0) return {};
    const std::string& name = program.stages[static_cast<size_t>(producer)].name;
    const int count = static_cast<int>(program.stages.size());
    if (nest.attachStage <= producer || nest.attachStage >= count)
        return broken(name, "computed at a stage that is not later");
    const Nest& host = program.nests[static_cast<size_t>(nest.attachStage)];
    if (host.attachStage >= 0) return broken(name, "computed at a stage that is itself computed elsewhere");
    if (nest.parallelLoops != 0) return broken(name, "has parallel loops of its own inside shared ones");
    const auto depth = static_cast<size_t>(nest.attachDepth);
    if (depth > nest.loops.size() || depth > host.loops.size()) return broken(name, "shares more loops than there are");
    const Stage& from = program.stages[static_cast<size_t>(producer)];
    const Stage& to = program.stages[static_cast<size_t>(nest.attachStage)];
    for (size_t k = 0; k < depth; ++k) {
        const Loop &a = nest.loops[k], &b = host.loops[k];
        const Axis& fromAxis = from.axes[static_cast<size_t>(a.axis)];
        if (a.extent != b.extent || a.step != b.step || fromAxis.extent != to.axes[static_cast<size_t>(b.axis)].extent)
            return broken(name + "." + a.name, "differs from " + to.name + "." + b.name + ", which it should share");
        if (fromAxis.kind != AxisKind::Space || to.axes[static_cast<size_t>(b.axis)].kind != AxisKind::Space)
            return broken(name + "." + a.name, "only space loops can be shared");
        if (b.kind != LoopKind::Serial) return broken(name + "." + a.name, "only plain loops can be shared");
    }
    for (int reader = producer + 1; reader < count; ++reader) {
        const Stage& stage = program.stages[static_cast<size_t>(reader)];
        bool reads = false;
        for (const Scalar& scalar : {stage.body, stage.epilogue})
            if (scalar)
                for (const ScalarNode* load : loads(scalar)) reads |= load->tensor == from.output;
        if (!reads) continue;
        const Nest& readerNest = program.nests[static_cast<size_t>(reader)];
        const bool inside = reader == nest.attachStage ||
                            (readerNest.attachStage == nest.attachStage && readerNest.attachDepth >= nest.attachDepth);
        if (!inside) return broken(name, stage.name + " reads it outside the shared loops");
        FETTLE_CHECK(checkSharedReads(program, producer, reader, nest.attachDepth));
    }
    return {};
}

}  // namespace

Status validate(const LoopProgram& program) {
    if (program.nests.size() != program.stages.size()) return broken(program.name, "one nest per stage is due");
    std::set<std::string> names;
    for (const Stage& stage : program.stages) {
        if (!names.insert(stage.name).second) return broken(stage.name, "the stage name is used twice");
        FETTLE_CHECK(checkStage(program, stage));
    }
    for (int i = 0; i < static_cast<int>(program.stages.size()); ++i) FETTLE_CHECK(checkNest(program, i));
    for (int i = 0; i < static_cast<int>(program.stages.size()); ++i) FETTLE_CHECK(checkAttachment(program, i));
    return {};
}

}  // namespace fettle::loop
