// SPDX-License-Identifier: GPL-3.0-or-later
// Primitives that add or remove stages.
#include <algorithm>

#include "core/schedule/primitives.h"

namespace fettle::schedule {

namespace {

using loop::Index;
using loop::LoopProgram;
using loop::Scalar;
using loop::Stage;

// Stages from `at` on have moved by `by`.
void shiftAttachments(LoopProgram& program, int at, int by) {
    for (loop::Nest& nest : program.nests)
        if (nest.attachStage >= at) nest.attachStage += by;
}

void forEachScalar(LoopProgram& program, const std::function<Scalar(const Scalar&)>& change) {
    for (Stage& stage : program.stages) {
        stage.body = change(stage.body);
        if (stage.epilogue) stage.epilogue = change(stage.epilogue);
    }
}

void removeTensor(LoopProgram& program, int tensor) {
    program.tensors.erase(program.tensors.begin() + tensor);
    forEachScalar(program, [tensor](const Scalar& scalar) {
        return loop::rewrite(scalar, [tensor](const Scalar& node) -> Scalar {
            if (node->tensor <= tensor) return node;
            loop::ScalarNode copy = *node;
            --copy.tensor;
            return std::make_shared<const loop::ScalarNode>(std::move(copy));
        });
    });
    for (Stage& stage : program.stages)
        if (stage.output > tensor) --stage.output;
}

int tensorIndex(const LoopProgram& program, const std::string& name) {
    for (size_t i = 0; i < program.tensors.size(); ++i)
        if (program.tensors[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

Reason inlineStage(LoopProgram& program, const Inline& p) {
    const int at = program.stageIndex(p.stage);
    if (at < 0) return "there is no stage '" + p.stage + "'";
    const Stage stage = program.stages[static_cast<size_t>(at)];
    if (stage.reduction != loop::Reduction::None) return "a stage with a reduction cannot be inlined";
    if (program.tensors[static_cast<size_t>(stage.output)].role != loop::Role::Temp)
        return "its result is read outside the task";
    for (const loop::Nest& nest : program.nests)
        if (nest.attachStage == at) return "another stage is computed inside it";
    // the axis that each output dimension is indexed by
    std::vector<int> axisOf;
    for (const Index& index : stage.outputIndices) {
        if (index.kind() != Index::Kind::Axis) return "its output is not indexed by plain axes";
        axisOf.push_back(index.axisNumber());
    }
    const Scalar body = stage.epilogue
                            ? loop::rewrite(stage.epilogue,
                                            [&](const Scalar& node) -> Scalar {
                                                return node->op == loop::ScalarOp::Accumulator ? stage.body : node;
                                            })
                            : stage.body;
    forEachScalar(program, [&](const Scalar& scalar) {
        return loop::replaceLoads(scalar, stage.output, [&](const Scalar& load) {
            std::vector<Index> values(stage.axes.size(), Index(0));
            for (size_t d = 0; d < axisOf.size(); ++d) values[static_cast<size_t>(axisOf[d])] = load->indices[d];
            return loop::substituteAxes(body, values);
        });
    });
    program.stages.erase(program.stages.begin() + at);
    program.nests.erase(program.nests.begin() + at);
    shiftAttachments(program, at + 1, -1);
    removeTensor(program, stage.output);
    return {};
}

Reason cacheRead(LoopProgram& program, const CacheRead& p) {
    const int at = program.stageIndex(p.stage), tensor = tensorIndex(program, p.tensor);
    if (at < 0) return "there is no stage '" + p.stage + "'";
    if (tensor < 0) return "there is no tensor '" + p.tensor + "'";
    if (tensorIndex(program, p.copy) >= 0 || program.stageIndex(p.copy) >= 0)
        return "the name '" + p.copy + "' is taken";
    const loop::TensorDecl& source = program.tensors[static_cast<size_t>(tensor)];
    const auto rank = static_cast<int>(source.type.shape.size());
    if (!p.layout.order.empty()) {
        std::vector<int> sorted = p.layout.order;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < rank; ++i)
            if (static_cast<int>(sorted.size()) != rank || sorted[static_cast<size_t>(i)] != i)
                return "order= must name every axis once";
    }
    for (const auto& block : p.layout.blocks)
        if (block.axis < 0 || block.axis >= rank)
            return "blocks= names axis " + std::to_string(block.axis) + " of " + std::to_string(rank);

    loop::TensorDecl copy{p.copy, {source.type.dtype, source.type.shape, p.layout}, loop::Role::Temp};
    Stage stage;
    stage.name = p.copy;
    stage.output = static_cast<int>(program.tensors.size());
    for (int d = 0; d < rank; ++d) {
        stage.axes.push_back(
            {"d" + std::to_string(d), source.type.shape[static_cast<size_t>(d)], loop::AxisKind::Space});
        stage.outputIndices.push_back(Index::axis(d));
    }
    stage.body = loop::load(tensor, stage.outputIndices, source.type.dtype);

    Stage& reader = program.stages[static_cast<size_t>(at)];
    bool halo = false, read = false;
    const auto redirect = [&](const Scalar& scalar) {
        return loop::replaceLoads(scalar, tensor, [&](const Scalar& load) -> Scalar {
            read = true;
            halo |= !load->guarded && source.type.layout.hasHalo();
            loop::ScalarNode node = *load;
            node.tensor = stage.output;
            return std::make_shared<const loop::ScalarNode>(std::move(node));
        });
    };
    reader.body = redirect(reader.body);
    if (reader.epilogue) reader.epilogue = redirect(reader.epilogue);
    if (!read) return "'" + p.stage + "' does not read '" + p.tensor + "'";
    if (halo) return "'" + p.tensor + "' has a halo, which a copy would lose";

    program.tensors.push_back(std::move(copy));
    shiftAttachments(program, at, 1);
    loop::Nest nest;
    for (int d = 0; d < rank; ++d)
        nest.loops.push_back({stage.axes[static_cast<size_t>(d)].name, d, stage.axes[static_cast<size_t>(d)].extent, 1,
                              loop::LoopKind::Serial});
    program.stages.insert(program.stages.begin() + at, std::move(stage));
    program.nests.insert(program.nests.begin() + at, std::move(nest));
    return {};
}

}  // namespace fettle::schedule
