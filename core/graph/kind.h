// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of operator that every table, chart and colour uses.
#pragma once

#include <cstdint>

namespace fettle::graph {

enum class OpKind : uint8_t {
    Convolution,
    Matmul,
    Normalization /* attention, softmax, norm */,
    Pool /* pool, reduce */,
    Elementwise,
    Layout,
    Other
};

char kindLetter(OpKind kind);       // C M A P E L O
const char* kindName(OpKind kind);  // "convolution" ...

}  // namespace fettle::graph
