// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/program.h"

#include "core/support/hash.h"

namespace fettle::loop {

int Stage::spaceAxes() const {
    int count = 0;
    for (const Axis& axis : axes) count += axis.kind == AxisKind::Space;
    return count;
}

int LoopProgram::stageIndex(const std::string& stage) const {
    for (size_t i = 0; i < stages.size(); ++i)
        if (stages[i].name == stage) return static_cast<int>(i);
    return -1;
}

std::vector<Nest> defaultNests(const LoopProgram& program) {
    std::vector<Nest> nests;
    for (const Stage& stage : program.stages) {
        Nest nest;
        for (size_t a = 0; a < stage.axes.size(); ++a)
            nest.loops.push_back({stage.axes[a].name, static_cast<int>(a), stage.axes[a].extent, 1, LoopKind::Serial});
        nests.push_back(std::move(nest));
    }
    return nests;
}

uint64_t structuralHash(const LoopProgram& program) {
    std::string text;
    for (const TensorDecl& tensor : program.tensors)
        text += std::to_string(static_cast<int>(tensor.role)) + graph::typeText(tensor.type) + "\n";
    for (const Stage& stage : program.stages) {
        std::vector<std::string> names;
        for (const Axis& axis : stage.axes) {
            names.push_back("a" + std::to_string(names.size()));
            text += std::to_string(axis.extent) + (axis.kind == AxisKind::Space ? "s " : "r ");
        }
        text += std::to_string(static_cast<int>(stage.reduction)) + " t" + std::to_string(stage.output) + "[";
        for (const Index& index : stage.outputIndices) text += print(index, names) + ",";
        text += "] " + print(stage.body, {}, names) + " | " + print(stage.epilogue, {}, names) + "\n";
    }
    return hash64(text);
}

double flopCount(const LoopProgram& program) {
    double flops = 0;
    for (const Stage& stage : program.stages) {
        double space = 1, all = 1;
        for (const Axis& axis : stage.axes) {
            all *= static_cast<double>(axis.extent);
            if (axis.kind == AxisKind::Space) space *= static_cast<double>(axis.extent);
        }
        flops += all * (operationCount(stage.body) + (stage.reduction == Reduction::None ? 0 : 1));
        if (stage.epilogue) flops += space * operationCount(stage.epilogue);
    }
    return flops;
}

double byteCount(const LoopProgram& program) {
    double bytes = 0;
    for (const TensorDecl& tensor : program.tensors)
        if (tensor.role != Role::Temp)
            bytes += static_cast<double>(graph::elementCount(tensor.type.shape) * graph::dtypeBytes(tensor.type.dtype));
    return bytes;
}

}  // namespace fettle::loop
