// SPDX-License-Identifier: GPL-3.0-or-later
// How operators become stages. One function per family; the rows of table.cpp name them. A lowering reads inputs
// through Lowering::read(input, indices), so that prologues can be substituted, and adds stages through
// Lowering::add, keep or move. Indices are logical; physical layouts (blocks, halos, packed weights) are the business
// of the emitter. Fails with UnsupportedOperators, naming the node, where there is no loop form.
#pragma once

#include "core/ops/op.h"

namespace fettle::ops::lower {

Status conv(const NodeView&, Lowering&);  // Conv, any rank 1-3, groups, dilations; reads the halo for padding
Status convTranspose(const NodeView&, Lowering&);
Status matmul(const NodeView&, Lowering&);  // MatMul with numpy broadcasting
Status gemm(const NodeView&, Lowering&);
Status pool(const NodeView&, Lowering&);         // MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool
Status reduce(const NodeView&, Lowering&);       // ReduceSum, Mean, Max, Min, Prod, L1, L2, SumSquare ...
Status softmax(const NodeView&, Lowering&);      // Softmax, LogSoftmax
Status layerNorm(const NodeView&, Lowering&);    // LayerNormalization and friends
Status batchNorm(const NodeView&, Lowering&);    // left over after folding
Status elementwise(const NodeView&, Lowering&);  // every unary, binary, Where, Clip, Cast ...
Status movement(const NodeView&, Lowering&);  // Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Slice, Expand, Tile,
                                              // DepthToSpace, SpaceToDepth, Identity, fettle.Reorder
Status pad(const NodeView&, Lowering&);
Status concat(const NodeView&, Lowering&);
Status split(const NodeView&, Lowering&);
Status gather(const NodeView&, Lowering&);
Status resize(const NodeView&, Lowering&);

}  // namespace fettle::ops::lower
