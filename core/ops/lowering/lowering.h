// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench on which the nodes of a group become stages. Each node writes its output value into a tensor of the
// program (a temp for values that stay inside the group); joinStages() then substitutes stages into one another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/loop/program.h"
#include "core/ops/op.h"

namespace fettle::ops {

using loop::Index;
using loop::Scalar;
using Indices = std::vector<Index>;

// A stage with what joinStages() must know about it.
struct LoweredStage {
    loop::Stage stage;
    bool keep = false;            // its value is read by several later stages on purpose: never substituted
    std::optional<Indices> push;  // for a one-to-one movement: the output's indices as a function of the logical
    int pushTensor = -1;          //   indices of `pushTensor`, its only input (axis k: dimension k of that tensor)
};

class Lowering {
public:
    // `program` has its inputs, constants and outputs; temps are appended.
    Lowering(const graph::Graph& graph, const graph::Group& group, loop::LoopProgram& program);

    // The node that the next calls are about.
    void enter(graph::NodeId node);

    // The input's value at logical indices; a constant of one element becomes a number.
    Scalar read(size_t input, Indices indices) const;
    // The same where indices may lie outside: `outside` there.
    Scalar readOr(size_t input, Indices indices, double outside) const;
    int inputTensor(size_t input) const;  // -1: a constant that the program does not carry
    const graph::TensorType& inputType(size_t input) const;

    const graph::TensorType& outputType(size_t output = 0) const;
    int outputTensor(size_t output = 0);  // the tensor of that value; made a temp when it is internal

    // A new tensor in plain layout for use inside the operator; `suffix` as in "softmax.max".
    int temp(const std::string& suffix, graph::DType dtype, graph::Shape shape);

    // "softmax", or "softmax.max" with a suffix: unique in the program.
    std::string name(const std::string& suffix = {}) const;

    void add(loop::Stage stage);
    void keep(loop::Stage stage);                                             // never substituted into its readers
    void move(loop::Stage stage, size_t input, std::optional<Indices> push);  // an element movement

    std::vector<LoweredStage>& stages() { return stages_; }

private:
    std::optional<double> smallConstant(graph::ValueId value) const;
    graph::ValueId value(size_t input) const;

    const graph::Graph& graph_;
    loop::LoopProgram& program_;
    std::map<graph::ValueId, int> tensors_;
    std::map<std::string, int> used_;
    std::vector<LoweredStage> stages_;
    const graph::Node* node_ = nullptr;
    std::string base_;
};

// Substitutes stages into one another, splits axes where that makes indices affine, drops axes of extent 1 and temps
// without use. See join.cpp for the rules.
void joinStages(std::vector<LoweredStage>& stages, loop::LoopProgram& program);

// A stage without reduce axes has no reduction: its epilogue joins its body.
void settle(loop::Stage& stage);

// Helpers that every family uses.
Indices axisIndices(size_t count, size_t first = 0);                    // axis(first), axis(first+1) ...
std::vector<loop::Axis> outputAxes(const graph::Shape& shape);          // named n c h w, rows cols ...
Indices broadcastIndices(const graph::Shape& from, const Indices& to);  // numpy rules; `to` indexes the result
Scalar add(Scalar a, Scalar b);
Scalar sub(Scalar a, Scalar b);
Scalar mul(Scalar a, Scalar b);
Scalar div(Scalar a, Scalar b);
int64_t normalAxis(int64_t axis, size_t rank);  // -1 becomes rank-1
tl::unexpected<Error> cannotLower(const graph::Node& node, std::string why);
// The integers of a constant input, or of the attribute that older versions had; nothing when neither is there.
std::optional<std::vector<int64_t>> intsOf(const NodeView& view, size_t input, const std::string& attribute);

}  // namespace fettle::ops
