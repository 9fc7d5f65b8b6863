// SPDX-License-Identifier: GPL-3.0-or-later
// How stages become fewer:
//   epilogue  a map that reads a value exactly where it was made joins the stage that made it; so does a one-to-one
//             movement, by sending the maker's output to where the elements end up;
//   prologue  a map is substituted into the loads of its readers, when that repeats no real work.
// Both only remove temps; what the program computes stays the same.
#include <algorithm>
#include <set>

#include "core/ops/lowering/join.h"

namespace fettle::ops {

using loop::Reduction;
using loop::ScalarNode;
using loop::ScalarOp;
using loop::Stage;

namespace {

class Joiner {
public:
    Joiner(std::vector<LoweredStage>& stages, loop::LoopProgram& program) : stages_(stages), program_(program) {}

    void run() {
        while (joinOne([this](size_t i) { return joinEpilogue(i); }, false) ||
               joinOne([this](size_t i) { return joinPrologue(i, 1); }, true) ||
               joinOne([this](size_t i) { return joinPrologue(i, stages_.size()); }, true)) {
        }
    }

private:
    template <class Join>
    bool joinOne(Join join, bool fromLast) {
        for (size_t i = 0; i < stages_.size(); ++i)
            if (join(fromLast ? stages_.size() - 1 - i : i)) return true;
        return false;
    }

    static std::vector<const ScalarNode*> loadsOf(const Stage& stage) {
        std::vector<const ScalarNode*> result = loop::loads(stage.body);
        if (stage.epilogue)
            for (const ScalarNode* load : loop::loads(stage.epilogue)) result.push_back(load);
        return result;
    }

    bool reads(size_t stage, int tensor) const {
        const auto all = loadsOf(stages_[stage].stage);
        return std::any_of(all.begin(), all.end(), [&](const ScalarNode* load) { return load->tensor == tensor; });
    }

    std::vector<size_t> readers(int tensor) const {
        std::vector<size_t> result;
        for (size_t i = 0; i < stages_.size(); ++i)
            if (reads(i, tensor)) result.push_back(i);
        return result;
    }

    std::vector<size_t> writers(int tensor) const {
        std::vector<size_t> result;
        for (size_t i = 0; i < stages_.size(); ++i)
            if (stages_[i].stage.output == tensor) result.push_back(i);
        return result;
    }

    bool isTemp(int tensor) const { return program_.tensors[static_cast<size_t>(tensor)].role == loop::Role::Temp; }

    // indices[d] is axis d of the stage, over the whole extent of dimension d.
    bool isPoint(const Stage& stage, const Indices& indices, int tensor) const {
        const graph::Shape& shape = program_.tensors[static_cast<size_t>(tensor)].type.shape;
        if (indices.size() != stage.axes.size()) return false;
        for (size_t d = 0; d < indices.size(); ++d) {
            if (stage.axes[d].extent != shape[d]) return false;
            const bool only = shape[d] == 1 && equal(indices[d], Index(0));
            if (!only && !equal(indices[d], Index::axis(static_cast<int>(d)))) return false;
        }
        return true;
    }

    // Everything that `stage` reads but `except` is complete before stage number `position`.
    bool availableAt(const Stage& stage, int except, size_t position) const {
        for (const ScalarNode* load : loadsOf(stage)) {
            if (load->tensor == except) continue;
            for (size_t writer : writers(load->tensor))
                if (writer >= position) return false;
        }
        return true;
    }

    static Scalar valueOf(const Stage& stage) {
        if (stage.reduction == Reduction::None) return stage.body;
        return stage.epilogue ? stage.epilogue : loop::accumulator(stage.body->dtype);
    }

    bool joinEpilogue(size_t position) {
        const LoweredStage reader = stages_[position];
        if (reader.stage.reduction != Reduction::None) return false;
        std::set<int> candidates;
        for (const ScalarNode* load : loadsOf(reader.stage)) candidates.insert(load->tensor);
        for (int tensor : candidates)
            if (isTemp(tensor) && joinReaderOf(tensor, position, reader)) return true;
        return false;
    }

    bool joinReaderOf(int tensor, size_t position, const LoweredStage& reader) {
        const Stage& stage = reader.stage;
        if (readers(tensor) != std::vector<size_t>{position}) return false;
        const std::vector<size_t> makers = writers(tensor);
        if (makers.empty() || makers.back() >= position) return false;
        const Stage& first = stages_[makers[0]].stage;
        if (makers.size() == 1 && first.reduction == Reduction::None && isPoint(first, first.outputIndices, tensor) &&
            !stages_[makers[0]].keep)
            return false;  // a prologue does the same
        bool point = true;
        for (const ScalarNode* load : loadsOf(stage))
            if (load->tensor == tensor) point &= !load->guarded && isPoint(stage, load->indices, tensor);
        const bool move = reader.push && reader.pushTensor == tensor && stage.body->op == ScalarOp::Load &&
                          stage.body->tensor == tensor;
        if (!point && !move) return false;
        for (size_t maker : makers)
            if (!availableAt(stage, tensor, maker)) return false;

        for (size_t maker : makers) {
            Stage& target = stages_[maker].stage;
            const Indices at = target.outputIndices;
            Indices to;
            for (const Index& index : point ? stage.outputIndices : *reader.push) to.push_back(substitute(index, at));
            if (point) {
                const Scalar value = valueOf(target);
                Scalar joined = loop::substituteAxes(stage.body, at);
                joined = loop::replaceLoads(joined, tensor, [&](const Scalar&) { return value; });
                (target.reduction == Reduction::None ? target.body : target.epilogue) = joined;
            }
            target.output = stage.output;
            target.outputIndices = to;
            stages_[maker].push.reset();
        }
        stages_.erase(stages_.begin() + static_cast<long>(position));
        return true;
    }

    // Unguarded, and inside the tensor whatever the axes are (a data-dependent index always is).
    bool staysInside(const Stage& stage, const ScalarNode& load) const {
        if (load.guarded) return false;
        const std::vector<loop::Range> ranges = rangesOf(stage);
        const graph::Shape& shape = program_.tensors[static_cast<size_t>(load.tensor)].type.shape;
        for (size_t d = 0; d < shape.size(); ++d) {
            if (load.indices[d].kind() == Index::Kind::Loaded) continue;
            const loop::Range range = loop::rangeOf(loop::simplify(load.indices[d], ranges), ranges);
            if (range.low < 0 || range.high >= shape[d]) return false;
        }
        return true;
    }

    // A reduction that reads each element at several of its points would compute it as often.
    static bool repeats(const Stage& stage, const ScalarNode& load) {
        if (stage.reduction == Reduction::None) return false;
        const Scalar node = loop::load(load.tensor, load.indices, load.dtype);
        for (size_t axis = 0; axis < stage.axes.size(); ++axis) {
            if (stage.axes[axis].extent == 1) continue;
            Indices shifted = axisIndices(stage.axes.size());
            shifted[axis] = shifted[axis] + Index(1);
            if (loop::equal(loop::substituteAxes(node, shifted),
                            loop::substituteAxes(node, axisIndices(shifted.size()))))
                return true;
        }
        return false;
    }

    bool joinPrologue(size_t position, size_t mostReaders) {
        const LoweredStage& producer = stages_[position];
        const int tensor = producer.stage.output;
        if (producer.stage.reduction != Reduction::None || producer.keep || !isTemp(tensor)) return false;
        if (writers(tensor).size() != 1 || !isPoint(producer.stage, producer.stage.outputIndices, tensor)) return false;
        const std::vector<size_t> all = readers(tensor);
        if (all.empty() || all.size() > mostReaders) return false;
        const int operations = loop::operationCount(producer.stage.body);
        if (all.size() > 1 && operations > 1) return false;
        for (size_t reader : all)
            for (const ScalarNode* load : loadsOf(stages_[reader].stage)) {
                if (load->tensor != tensor) continue;
                if (!staysInside(stages_[reader].stage, *load)) return false;
                if (operations > 0 && repeats(stages_[reader].stage, *load)) return false;
            }
        const LoweredStage copy = producer;
        for (size_t reader : all) substituteInto(stages_[reader], copy, tensor);
        stages_.erase(stages_.begin() + static_cast<long>(position));
        return true;
    }

    static void substituteInto(LoweredStage& reader, const LoweredStage& producer, int tensor) {
        std::vector<std::pair<Indices, Scalar>> made;  // equal loads share one subtree
        const auto replace = [&](const Scalar& load) {
            for (const auto& [indices, scalar] : made)
                if (std::equal(indices.begin(), indices.end(), load->indices.begin(),
                               [](const Index& a, const Index& b) { return equal(a, b); }))
                    return scalar;
            made.emplace_back(load->indices, loop::substituteAxes(producer.stage.body, load->indices));
            return made.back().second;
        };
        reader.stage.body = loop::replaceLoads(reader.stage.body, tensor, replace);
        if (reader.stage.epilogue) reader.stage.epilogue = loop::replaceLoads(reader.stage.epilogue, tensor, replace);
        if (!reader.push || reader.pushTensor != tensor) return;
        if (!producer.push) {
            reader.push.reset();
            return;
        }
        for (Index& index : *reader.push) index = substitute(index, *producer.push);
        reader.pushTensor = producer.pushTensor;
    }

    std::vector<LoweredStage>& stages_;
    loop::LoopProgram& program_;
};

// Temps that no stage mentions any more disappear; the others are renumbered.
void dropUnusedTemps(std::vector<LoweredStage>& stages, loop::LoopProgram& program) {
    std::vector<bool> used(program.tensors.size());
    for (const LoweredStage& lowered : stages) {
        used[static_cast<size_t>(lowered.stage.output)] = true;
        for (const Scalar& scalar : {lowered.stage.body, lowered.stage.epilogue})
            if (scalar)
                for (const ScalarNode* load : loop::loads(scalar)) used[static_cast<size_t>(load->tensor)] = true;
    }
    std::vector<int> number(program.tensors.size());
    std::vector<loop::TensorDecl> kept;
    for (size_t i = 0; i < program.tensors.size(); ++i) {
        number[i] = static_cast<int>(kept.size());
        if (used[i] || program.tensors[i].role != loop::Role::Temp) kept.push_back(program.tensors[i]);
    }
    program.tensors = std::move(kept);
    const auto renumber = [&](const Scalar& scalar) -> Scalar {
        if (!scalar) return scalar;
        return loop::rewrite(scalar, [&](const Scalar& node) -> Scalar {
            if (node->op != ScalarOp::Load) return node;
            ScalarNode copy = *node;
            copy.tensor = number[static_cast<size_t>(node->tensor)];
            return std::make_shared<const ScalarNode>(std::move(copy));
        });
    };
    for (LoweredStage& lowered : stages) {
        lowered.stage.output = number[static_cast<size_t>(lowered.stage.output)];
        lowered.stage.body = renumber(lowered.stage.body);
        lowered.stage.epilogue = renumber(lowered.stage.epilogue);
    }
}

}  // namespace

void joinStages(std::vector<LoweredStage>& stages, loop::LoopProgram& program) {
    Joiner(stages, program).run();
    for (LoweredStage& lowered : stages) tidyAxes(lowered.stage);
    dropUnusedTemps(stages, program);
}

}  // namespace fettle::ops
