// SPDX-License-Identifier: GPL-3.0-or-later
// From an element type to the C++ type that holds it.
#pragma once

#include <cmath>
#include <cstring>

#include "core/graph/types.h"

namespace fettle::graph {

// The upper half of a float32.
struct BFloat16Bits {
    uint16_t bits;
    operator double() const {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &wide, 4);
        return value;
    }
};

inline BFloat16Bits toBFloat16(double value) {  // to nearest, half to even
    const float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    if (std::isnan(narrow)) return {0x7fc0};
    return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

// Calls with a value of the C++ type that holds `dtype` (4-bit types lie in bytes); does nothing for strings.
template <class Call>
void withType(DType dtype, Call call) {
    switch (dtype) {
        case DType::Float32:
            return call(float{});
        case DType::Float64:
            return call(double{});
        case DType::Float16:
            return call(_Float16{});
        case DType::BFloat16:
            return call(BFloat16Bits{});
        case DType::Int64:
            return call(int64_t{});
        case DType::Int32:
            return call(int32_t{});
        case DType::Int16:
            return call(int16_t{});
        case DType::Int8:
        case DType::Int4:
            return call(int8_t{});
        case DType::UInt64:
            return call(uint64_t{});
        case DType::UInt32:
            return call(uint32_t{});
        case DType::UInt16:
            return call(uint16_t{});
        case DType::UInt8:
        case DType::UInt4:
        case DType::Bool:
            return call(uint8_t{});
        case DType::Undefined:
        case DType::String:
            return;
    }
}

}  // namespace fettle::graph
