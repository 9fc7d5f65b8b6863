// SPDX-License-Identifier: GPL-3.0-or-later
// Compares what a kernel wrote with the reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/graph/types.h"

namespace fettle::measure::runner {

// 1 for each physical element whose value is specified, 0 for lanes beyond the extent of a blocked dimension; empty
// when all are. A halo counts: it must be zero.
std::vector<uint8_t> specifiedElements(const graph::TensorType& type);

struct Comparison {
    double maxRelError = 0;  // max|difference| / max|expected|; infinity when one side is not finite and they differ
    bool ok = true;
    std::string text;  // when not ok: value, place and tolerance
};
Comparison compareOutputs(const std::string& name, const graph::TensorType& type, std::span<const std::byte> actual,
                          std::span<const std::byte> expected, std::span<const uint8_t> specified, double tolerance);

}  // namespace fettle::measure::runner
