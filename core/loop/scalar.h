// SPDX-License-Identifier: GPL-3.0-or-later
// Scalar expressions: what a stage computes for one point of its iteration domain. All arithmetic is float32 unless
// the node's dtype says otherwise; integer tensors load as their own type.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/types.h"
#include "core/loop/index.h"

namespace fettle::loop {

using graph::DType;

enum class ScalarOp : uint8_t {
    Constant,     // value
    Load,         // tensor at indices; outside the logical extent: guardValue, if guarded
    AxisValue,    // an index as a number
    Accumulator,  // in an epilogue: the reduced value
    // unary
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Tanh,
    Erf,
    Sigmoid,
    Floor,
    Ceil,
    Round /* half to even */,
    Sin,
    Cos,
    Not,
    Cast,
    // binary
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Pow,
    Mod,
    Less,
    LessEqual,
    Equal,
    And,
    Or,
    // ternary: operand 0 ? operand 1 : operand 2
    Select,
};

struct ScalarNode;
using Scalar = std::shared_ptr<const ScalarNode>;  // immutable; shared subtrees are common subexpressions

struct ScalarNode {
    ScalarOp op;
    DType dtype = DType::Float32;  // type of the result (Bool for comparisons)
    double value = 0;              // Constant
    int tensor = -1;               // Load: index into LoopProgram::tensors
    std::vector<Index> indices;    // Load: one per logical dimension of the tensor; AxisValue: one
    bool guarded = false;          // Load: indices may lie outside the logical extent
    double guardValue = 0;         // what a guarded load outside gives
    std::vector<Scalar> operands;
};

Scalar constant(double value, DType dtype = DType::Float32);
Scalar load(int tensor, std::vector<Index> indices, DType dtype = DType::Float32);
Scalar guardedLoad(int tensor, std::vector<Index> indices, double outside, DType dtype = DType::Float32);
Scalar axisValue(Index index, DType dtype = DType::Int64);
Scalar accumulator(DType dtype = DType::Float32);
Scalar unary(ScalarOp op, Scalar a);
Scalar cast(Scalar a, DType dtype);
Scalar binary(ScalarOp op, Scalar a, Scalar b);
Scalar select(Scalar condition, Scalar a, Scalar b);

bool isUnary(ScalarOp op);
bool isBinary(ScalarOp op);
const char* scalarOpName(ScalarOp op);

// Replaces axis k by axisValues[k] in every index of the tree.
Scalar substituteAxes(const Scalar& scalar, const std::vector<Index>& axisValues);
// Rebuilds the tree bottom-up: rewrite(node with rewritten operands) gives what stands in its place (the node itself
// to keep it). Shared subtrees stay shared. Loads inside data-dependent indices are visited as well.
Scalar rewrite(const Scalar& scalar, const std::function<Scalar(const Scalar&)>& rewriteNode);
// Every Load of `tensor` becomes replacement(that load).
Scalar replaceLoads(const Scalar& scalar, int tensor, const std::function<Scalar(const Scalar& load)>& replacement);
bool equal(const Scalar& a, const Scalar& b);
// "max(acc + bias[oc], 0)"; tensorNames may be empty ("t3" is then printed for tensor 3).
std::string print(const Scalar& scalar, std::span<const std::string> tensorNames,
                  std::span<const std::string> axisNames, std::string_view accumulatorName = "acc");
// Every Load in the tree, in evaluation order, shared ones once.
std::vector<const ScalarNode*> loads(const Scalar& scalar);
// Arithmetic operations of one evaluation (loads and constants are 0, Exp and the like count as 1).
int operationCount(const Scalar& scalar);

}  // namespace fettle::loop
