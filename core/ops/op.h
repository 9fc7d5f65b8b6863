// SPDX-License-Identifier: GPL-3.0-or-later
// One registry row per operator: which versions, how shapes follow, what it computes (reference), how it becomes
// loops, what it costs. One file per family; adding an operator is one function set and one row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/kind.h"
#include "core/loop/program.h"
#include "core/support/error.h"

namespace fettle::ops {

// What a rule may look at: the node, its input types (null: absent), and the values of constant inputs (null: unknown).
struct NodeView {
    const graph::Node* node;
    std::vector<const graph::TensorType*> types;
    std::vector<const graph::Tensor*> constants;

    bool has(size_t input) const { return input < types.size() && types[input] != nullptr; }
};

// Output types, plain layout. Errors: ErrorCode::BadModel with the node's name in `where`.
using ShapeRule = std::function<Result<std::vector<graph::TensorType>>(const NodeView&)>;

// The reference: straightforward, accumulates in float64, follows the operator's ONNX version. Plain layouts.
using Evaluate =
    std::function<Result<std::vector<graph::Tensor>>(const graph::Node&, std::span<const graph::Tensor* const>)>;

// How the operator becomes stages. `reads` gives, per input, how to read the value at logical indices.
class Lowering;
using Lower = std::function<Status(const NodeView&, Lowering&)>;

enum class Fusion : uint8_t {
    Anchor,       // has a reduction of its own: conv, matmul, pool, reduce, softmax
    Elementwise,  // same-shape (broadcast) map: may join as epilogue or prologue
    Injective,    // moves elements only: reshape, transpose, slice ... may be read through
    Opaque,       // runs alone
};

struct OpRow {
    const char* name;                // ONNX name
    const char* domain;              // ""
    int sinceVersion, untilVersion;  // opset range of our semantics (ONNX 1.22)
    graph::OpKind kind;
    Fusion fusion;
    ShapeRule shape;
    Evaluate evaluate;
    Lower lower;  // empty: only foldable (Shape, ConstantOfShape ...)
};

const std::vector<OpRow>& registry();
// Null when unknown. `opset` is the model's opset for the domain.
const OpRow* findOp(std::string_view domain, std::string_view name, int opset);

// Evaluates a whole graph on the reference; inputs in graph order. Returns the outputs.
Result<std::vector<graph::Tensor>> evaluateGraph(const graph::Graph& graph, const std::vector<graph::Tensor>& inputs);

// Evaluates one group on the reference: `inputs` as Group::inputs, any layout; outputs as Group::outputs, in the
// layouts of the graph's values. Used to check every trial.
Result<std::vector<graph::Tensor>> evaluateGroup(const graph::Graph& graph, const graph::Group& group,
                                                 const std::vector<graph::Tensor>& inputs);

}  // namespace fettle::ops
