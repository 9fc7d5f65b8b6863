// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/lowering/lowering.h"

#include <cassert>
#include <cctype>

namespace fettle::ops {

using graph::kNone;
using graph::ValueId;
using loop::ScalarOp;

Lowering::Lowering(const graph::Graph& graph, const graph::Group& group, loop::LoopProgram& program)
    : graph_(graph), program_(program) {
    int next = 0;
    for (ValueId id : group.inputs) tensors_[id] = next++;
    for (ValueId id : group.outputs) tensors_[id] = next++;
    assert(next == static_cast<int>(program.tensors.size()));
}

void Lowering::enter(graph::NodeId node) {
    node_ = &graph_.nodes[static_cast<size_t>(node)];
    std::string base;
    for (char c : node_->op) base += c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (base.starts_with("fettle_")) base.erase(0, 7);
    const int count = ++used_[base];
    base_ = count == 1 ? base : base + std::to_string(count);
}

ValueId Lowering::value(size_t input) const {
    return input < node_->inputs.size() ? node_->inputs[input] : kNone;
}

std::optional<double> Lowering::smallConstant(ValueId id) const {
    const graph::Value& value = graph_.values[static_cast<size_t>(id)];
    if (!value.constant || graph::elementCount(value.type.shape) != 1) return std::nullopt;
    return graph::toDoubles(*value.constant)[0];
}

Scalar Lowering::read(size_t input, Indices indices) const {
    const ValueId id = value(input);
    const graph::DType dtype = inputType(input).dtype;
    if (const auto number = smallConstant(id)) return loop::constant(*number, dtype);
    return loop::load(inputTensor(input), std::move(indices), dtype);
}

Scalar Lowering::readOr(size_t input, Indices indices, double outside) const {
    return loop::guardedLoad(inputTensor(input), std::move(indices), outside, inputType(input).dtype);
}

int Lowering::inputTensor(size_t input) const {
    const auto found = tensors_.find(value(input));
    return found == tensors_.end() ? -1 : found->second;
}

const graph::TensorType& Lowering::inputType(size_t input) const {
    return graph_.values[static_cast<size_t>(value(input))].type;
}

const graph::TensorType& Lowering::outputType(size_t output) const {
    return graph_.values[static_cast<size_t>(node_->outputs[output])].type;
}

int Lowering::outputTensor(size_t output) {
    const ValueId id = node_->outputs[output];
    if (const auto found = tensors_.find(id); found != tensors_.end()) return found->second;
    const graph::TensorType& type = graph_.values[static_cast<size_t>(id)].type;
    const int number = temp(output ? "out" + std::to_string(output) : "out", type.dtype, type.shape);
    program_.tensors[static_cast<size_t>(number)].type = type;
    return tensors_[id] = number;
}

int Lowering::temp(const std::string& suffix, graph::DType dtype, graph::Shape shape) {
    program_.tensors.push_back({base_ + "." + suffix, {dtype, std::move(shape), {}}, loop::Role::Temp});
    return static_cast<int>(program_.tensors.size()) - 1;
}

std::string Lowering::name(const std::string& suffix) const {
    return suffix.empty() ? base_ : base_ + "." + suffix;
}

void Lowering::add(loop::Stage stage) {
    settle(stage);
    stages_.push_back({std::move(stage), false, std::nullopt, -1});
}

void Lowering::keep(loop::Stage stage) {
    settle(stage);
    stages_.push_back({std::move(stage), true, std::nullopt, -1});
}

void Lowering::move(loop::Stage stage, size_t input, std::optional<Indices> push) {
    settle(stage);
    stages_.push_back({std::move(stage), false, std::move(push), inputTensor(input)});
}

void settle(loop::Stage& stage) {
    const bool reduces = stage.spaceAxes() < static_cast<int>(stage.axes.size());
    if (reduces && stage.reduction != loop::Reduction::None) return;
    stage.reduction = loop::Reduction::None;
    if (!stage.epilogue) return;
    const Scalar body = stage.body;
    stage.body = loop::rewrite(stage.epilogue,
                               [&](const Scalar& node) { return node->op == ScalarOp::Accumulator ? body : node; });
    stage.epilogue = nullptr;
}

Indices axisIndices(size_t count, size_t first) {
    Indices result;
    for (size_t i = 0; i < count; ++i) result.push_back(Index::axis(static_cast<int>(first + i)));
    return result;
}

std::vector<loop::Axis> outputAxes(const graph::Shape& shape) {
    static const std::vector<std::vector<const char*>> kNames = {
        {}, {"i"}, {"rows", "cols"}, {"b", "rows", "cols"}, {"n", "c", "h", "w"}, {"n", "c", "d", "h", "w"}};
    std::vector<loop::Axis> axes;
    for (size_t i = 0; i < shape.size(); ++i) {
        const std::string name = shape.size() < kNames.size() ? kNames[shape.size()][i] : "d" + std::to_string(i);
        axes.push_back({name, shape[i], loop::AxisKind::Space});
    }
    return axes;
}

Indices broadcastIndices(const graph::Shape& from, const Indices& to) {
    Indices result;
    const size_t skip = to.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i) result.push_back(from[i] == 1 ? Index(0) : to[skip + i]);
    return result;
}

Scalar add(Scalar a, Scalar b) {
    return loop::binary(ScalarOp::Add, std::move(a), std::move(b));
}
Scalar sub(Scalar a, Scalar b) {
    return loop::binary(ScalarOp::Sub, std::move(a), std::move(b));
}
Scalar mul(Scalar a, Scalar b) {
    return loop::binary(ScalarOp::Mul, std::move(a), std::move(b));
}
Scalar div(Scalar a, Scalar b) {
    return loop::binary(ScalarOp::Div, std::move(a), std::move(b));
}

int64_t normalAxis(int64_t axis, size_t rank) {
    return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

tl::unexpected<Error> cannotLower(const graph::Node& node, std::string why) {
    return fail(ErrorCode::UnsupportedOperators, "cannot compile " + node.op, node.name, std::move(why));
}

std::optional<std::vector<int64_t>> intsOf(const NodeView& view, size_t input, const std::string& attribute) {
    if (view.has(input) && view.constants[input]) return graph::toInts(*view.constants[input]);
    if (!view.node->attributes.contains(attribute)) return std::nullopt;
    return view.node->intsOr(attribute, {});
}

}  // namespace fettle::ops
