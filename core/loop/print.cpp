// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/program.h"

namespace fettle::loop {

namespace {

const char* roleName(Role role) {
    switch (role) {
        case Role::Input:
            return "input ";
        case Role::Constant:
            return "const ";
        case Role::Output:
            return "output";
        case Role::Temp:
            return "temp  ";
    }
    return "";
}

class Printer {
public:
    explicit Printer(const LoopProgram& program) : program_(program) {
        for (const TensorDecl& tensor : program.tensors) tensorNames_.push_back(tensor.name);
    }

    std::string run() {
        text_ = "# " + program_.name + "\n";
        for (const TensorDecl& tensor : program_.tensors)
            text_ += std::string(roleName(tensor.role)) + " " + tensor.name + " " + graph::typeText(tensor.type) + "\n";
        for (size_t s = 0; s < program_.stages.size(); ++s)
            if (program_.nests[s].attachStage < 0) printNest(static_cast<int>(s), 0, 0, false);
        return text_;
    }

private:
    void line(int indent, const std::string& text) {
        text_ += std::string(static_cast<size_t>(indent) * 2, ' ') + text + "\n";
    }

    void printNest(int stage, int depth, int indent, bool accumulatorOpen) {
        const Stage& s = program_.stages[static_cast<size_t>(stage)];
        const Nest& nest = program_.nests[static_cast<size_t>(stage)];
        for (size_t other = 0; other < program_.stages.size(); ++other) {
            const Nest& attached = program_.nests[other];
            if (attached.attachStage == stage && attached.attachDepth == depth)
                printNest(static_cast<int>(other), attached.attachDepth, indent, false);
        }
        const bool reducesHere =
            depth < static_cast<int>(nest.loops.size()) && isReduce(s, nest.loops[static_cast<size_t>(depth)]);
        if (reducesHere && !accumulatorOpen) {
            line(indent, s.name + " = " + initial(s.reduction));
            printNest(stage, depth, indent, true);
            const auto [indices, names] = axisTexts(s, nest);
            line(indent, output(s, indices, names) + " = " + epilogue(s, indices, names));
            return;
        }
        if (depth == static_cast<int>(nest.loops.size())) {
            const auto [indices, names] = axisTexts(s, nest);
            const std::string body = print(substituteAxes(s.body, indices), tensorNames_, names);
            if (s.reduction == Reduction::None)
                line(indent, output(s, indices, names) + " = " +
                                 (s.epilogue ? epilogue(s, indices, names) + "  where acc = " + body : body));
            else
                line(indent, s.name + " " + update(s.reduction) + " " + body);
            return;
        }
        const Loop& loop = nest.loops[static_cast<size_t>(depth)];
        std::string text = "for " + loop.name + " in " + std::to_string(loop.extent);
        if (depth < nest.parallelLoops) text += " parallel";
        if (loop.kind == LoopKind::Unrolled) text += " unrolled";
        if (loop.kind == LoopKind::Vectorized) text += " vectorized";
        const int64_t extent = s.axes[static_cast<size_t>(loop.axis)].extent;
        if (isOutermostOf(nest, depth) && extent % loop.step != 0)
            text += "  # tail " + std::to_string(extent % loop.step);
        line(indent, text);
        printNest(stage, depth + 1, indent + 1, accumulatorOpen);
    }

    static bool isReduce(const Stage& stage, const Loop& loop) {
        return stage.axes[static_cast<size_t>(loop.axis)].kind == AxisKind::Reduce;
    }
    static bool isOutermostOf(const Nest& nest, int depth) {
        for (const Loop& loop : nest.loops)
            if (loop.axis == nest.loops[static_cast<size_t>(depth)].axis &&
                loop.step > nest.loops[static_cast<size_t>(depth)].step)
                return false;
        return true;
    }
    static const char* initial(Reduction r) {
        return r == Reduction::Max ? "-inf" : r == Reduction::Min ? "inf" : r == Reduction::Product ? "1" : "0";
    }
    static const char* update(Reduction r) {
        return r == Reduction::Max ? "max=" : r == Reduction::Min ? "min=" : r == Reduction::Product ? "*=" : "+=";
    }

    // Each axis as the sum of its loops, and the names of the loops.
    static std::pair<std::vector<Index>, std::vector<std::string>> axisTexts(const Stage& stage, const Nest& nest) {
        std::vector<Index> indices(stage.axes.size(), Index(0));
        std::vector<std::string> names;
        for (const Loop& loop : nest.loops) {
            indices[static_cast<size_t>(loop.axis)] =
                indices[static_cast<size_t>(loop.axis)] + Index::axis(static_cast<int>(names.size())) * loop.step;
            names.push_back(loop.name);
        }
        return {indices, names};
    }

    std::string output(const Stage& stage, const std::vector<Index>& axes,
                       const std::vector<std::string>& names) const {
        std::string text = tensorNames_[static_cast<size_t>(stage.output)] + "[";
        for (size_t d = 0; d < stage.outputIndices.size(); ++d)
            text += (d ? ", " : "") + print(substitute(stage.outputIndices[d], axes), names);
        return text + "]";
    }
    std::string epilogue(const Stage& stage, const std::vector<Index>& axes,
                         const std::vector<std::string>& names) const {
        if (!stage.epilogue) return stage.name;
        return print(substituteAxes(stage.epilogue, axes), tensorNames_, names,
                     stage.reduction == Reduction::None ? "acc" : stage.name);
    }

    const LoopProgram& program_;
    std::vector<std::string> tensorNames_;
    std::string text_;
};

}  // namespace

std::string print(const LoopProgram& program) {
    return Printer(program).run();
}

}  // namespace fettle::loop
