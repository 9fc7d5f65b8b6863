// SPDX-License-Identifier: GPL-3.0-or-later
// A fused group becomes one loop program: every node is lowered to stages; injective and elementwise producers are
// then substituted into their readers (prologues), elementwise consumers into the epilogue of the reduction.
#pragma once

#include "core/graph/graph.h"
#include "core/graph/kind.h"
#include "core/loop/program.h"

namespace fettle::ops {

// Tensors: Group::inputs (Role::Input, constants Role::Constant), Group::outputs, then temps; types with layouts are
// those of the graph's values. `name` is the group's display name.
Result<loop::LoopProgram> lowerGroup(const graph::Graph& graph, const graph::Group& group);

// "Conv_12 + Clip_13": the names of the nodes that compute, in order.
std::string groupName(const graph::Graph& graph, const graph::Group& group);
graph::OpKind groupKind(const graph::Graph& graph, const graph::Group& group);

}  // namespace fettle::ops
