// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/traits.h"

#include "core/ops/op.h"

namespace fettle::ops {

using graph::Node;

namespace {

const OpRow* rowOf(const Node& node) {
    return findOp(node.domain, node.op, node.opset);
}

}  // namespace

graph::OpTraits traits() {
    return {
        .fusion =
            [](const Node& node) {
                const OpRow* row = rowOf(node);
                return static_cast<int>(row ? row->fusion : Fusion::Opaque);
            },
        .kind =
            [](const Node& node) {
                const OpRow* row = rowOf(node);
                return row ? row->kind : graph::OpKind::Other;
            },
        .evaluate = [](const Node& node,
                       std::span<const graph::Tensor* const> inputs) -> Result<std::vector<graph::Tensor>> {
            const OpRow* row = rowOf(node);
            if (!row || !row->evaluate)
                return fail(ErrorCode::UnsupportedOperators, "cannot evaluate " + node.op, node.name,
                            "it is not known");
            return row->evaluate(node, inputs);
        },
        .canLower =
            [](const graph::Graph&, const Node& node) {
                const OpRow* row = rowOf(node);
                return row && row->lower;
            },
    };
}

}  // namespace fettle::ops
