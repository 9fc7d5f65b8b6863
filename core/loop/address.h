// SPDX-License-Identifier: GPL-3.0-or-later
// Where a logical element lies: physical indices and offsets under a tensor's layout.
#pragma once

#include <span>
#include <vector>

#include "core/graph/types.h"
#include "core/loop/index.h"

namespace fettle::loop {

// Row-major strides, in elements, of graph::physicalShape(type).
std::vector<int64_t> physicalStrides(const graph::TensorType& type);

// Logical indices (one per dimension) -> one index per physical dimension. Not simplified.
std::vector<Index> physicalIndices(const graph::TensorType& type, std::span<const Index> logical);

// The same as one offset in elements. Not simplified.
Index physicalOffset(const graph::TensorType& type, std::span<const Index> logical);
int64_t physicalOffset(const graph::TensorType& type, std::span<const int64_t> logical);

}  // namespace fettle::loop
