// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/graph/element.h"
#include "core/support/random.h"

namespace fettle::graph {

namespace {

template <class T>
T saturated(double value) {
    if (std::isnan(value)) return 0;
    const double rounded = std::nearbyint(value);
    // the largest double below 2^63 or 2^64 is not max(), so compare with >=
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(rounded);
}

// Element offset of each index of each logical axis: offset(i,j,k) = table[0][i] + table[1][j] + table[2][k].
std::vector<std::vector<int64_t>> axisOffsets(const TensorType& type) {
    const Shape physical = physicalShape(type);
    std::vector<int64_t> strides(physical.size(), 1);
    for (size_t i = physical.size(); i-- > 1;) strides[i - 1] = strides[i] * physical[i];
    const size_t rank = type.shape.size();
    std::vector<std::vector<int64_t>> table(rank);
    for (size_t place = 0; place < rank; ++place) {
        const size_t axis = type.layout.order.empty() ? place : static_cast<size_t>(type.layout.order[place]);
        const int64_t halo = axis < type.layout.haloBefore.size() ? type.layout.haloBefore[axis] : 0;
        table[axis].resize(type.shape[axis]);
        for (int64_t i = 0; i < type.shape[axis]; ++i) {
            int64_t rest = i, offset = 0;
            for (size_t b = type.layout.blocks.size(); b-- > 0;) {
                const Layout::Block& block = type.layout.blocks[b];
                if (static_cast<size_t>(block.axis) != axis) continue;
                offset += rest % block.size * strides[rank + b];
                rest /= block.size;
            }
            table[axis][i] = offset + (rest + halo) * strides[place];
        }
    }
    return table;
}

template <class T>
void copyElements(const TensorType& type, const T* from, const std::vector<std::vector<int64_t>>& fromTable, T* to,
                  const std::vector<std::vector<int64_t>>& toTable, size_t axis = 0) {
    const size_t rank = type.shape.size();
    if (rank == 0) {
        *to = *from;
        return;
    }
    const auto& f = fromTable[axis];
    const auto& t = toTable[axis];
    for (size_t i = 0; i < f.size(); ++i) {
        if (axis + 1 == rank)
            to[t[i]] = from[f[i]];
        else
            copyElements(type, from + f[i], fromTable, to + t[i], toTable, axis + 1);
    }
}

template <class To>
std::vector<To> convertAll(const Tensor& tensor) {
    if (!tensor.type.layout.plain()) return convertAll<To>(relayout(tensor, {}));
    std::vector<To> values(tensor.type.dtype == DType::String ? 0 : elementCount(tensor.type.shape));
    withType(tensor.type.dtype, [&](auto kind) {
        using T = decltype(kind);
        const T* from = reinterpret_cast<const T*>(tensor.data().data());
        for (size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::is_same_v<To, double> || std::is_integral_v<T>)
                values[i] = static_cast<To>(from[i]);
            else
                values[i] = saturated<int64_t>(std::trunc(static_cast<double>(from[i])));
        }
    });
    return values;
}

}  // namespace

Tensor makeTensor(DType dtype, Shape shape, std::vector<std::byte> bytes) {
    Tensor tensor;
    tensor.type = {dtype, std::move(shape), {}};
    tensor.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return tensor;
}

std::vector<double> toDoubles(const Tensor& tensor) {
    return convertAll<double>(tensor);
}

std::vector<int64_t> toInts(const Tensor& tensor) {
    return convertAll<int64_t>(tensor);
}

Tensor fromDoubles(DType dtype, Shape shape, std::span<const double> values) {
    std::vector<std::byte> bytes(values.size() * dtypeBytes(dtype));
    withType(dtype, [&](auto kind) {
        using T = decltype(kind);
        T* to = reinterpret_cast<T*>(bytes.data());
        for (size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::is_same_v<T, BFloat16Bits>)
                to[i] = toBFloat16(values[i]);
            else if constexpr (std::is_integral_v<T>)
                to[i] = saturated<T>(values[i]);
            else
                to[i] = static_cast<T>(values[i]);
            if constexpr (std::is_same_v<T, int8_t>)
                if (dtype == DType::Int4) to[i] = std::clamp<T>(to[i], -8, 7);
            if constexpr (std::is_same_v<T, uint8_t>) {
                if (dtype == DType::UInt4) to[i] = std::min<T>(to[i], 15);
                if (dtype == DType::Bool) to[i] = values[i] != 0;
            }
        }
    });
    return makeTensor(dtype, std::move(shape), std::move(bytes));
}

Tensor relayout(const Tensor& tensor, const Layout& layout) {
    if (tensor.type.layout == layout) return tensor;
    Tensor result;
    result.type = {tensor.type.dtype, tensor.type.shape, layout};
    std::vector<std::byte> bytes(physicalBytes(result.type));
    if (elementCount(tensor.type.shape) > 0)
        withType(tensor.type.dtype, [&](auto kind) {
            using T = decltype(kind);
            copyElements(tensor.type, reinterpret_cast<const T*>(tensor.data().data()), axisOffsets(tensor.type),
                         reinterpret_cast<T*>(bytes.data()), axisOffsets(result.type));
        });
    result.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return result;
}

Tensor randomTensor(const TensorType& type, uint64_t seed) {
    Rng rng(seed);
    std::vector<double> values(elementCount(type.shape));
    for (double& value : values) {
        if (type.dtype == DType::Bool)
            value = static_cast<double>(rng.below(2));
        else if (isFloat(type.dtype))
            value = rng.below(32) == 0 ? 0.0 : rng.uniform(-1, 1);
        else
            value = static_cast<double>(rng.below(8));
    }
    return relayout(fromDoubles(type.dtype, type.shape, values), type.layout);
}

double finiteShare(std::span<const Tensor> tensors) {
    double finite = 0, all = 0;
    for (const Tensor& tensor : tensors) {
        const std::vector<double> values = toDoubles(tensor);
        all += static_cast<double>(values.size());
        finite += static_cast<double>(
            std::count_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); }));
    }
    return all == 0 ? 1 : finite / all;
}

Difference compareTensors(const Tensor& actual, const Tensor& expected) {
    Difference difference;
    if (actual.type.shape != expected.type.shape) {
        difference.finiteMismatch = true;
        return difference;
    }
    const std::vector<double> a = toDoubles(actual), e = toDoubles(expected);
    double largest = 0;
    for (size_t i = 0; i < e.size(); ++i) {
        const bool same = a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i]));
        if (same) {
            if (std::isfinite(e[i])) largest = std::max(largest, std::fabs(e[i]));
            continue;
        }
        if (!std::isfinite(a[i]) || !std::isfinite(e[i])) {
            if (!difference.finiteMismatch) difference.at = static_cast<int64_t>(i);
            difference.finiteMismatch = true;
            continue;
        }
        largest = std::max(largest, std::fabs(e[i]));
        if (std::fabs(a[i] - e[i]) > difference.maxAbs) {
            difference.maxAbs = std::fabs(a[i] - e[i]);
            if (!difference.finiteMismatch) difference.at = static_cast<int64_t>(i);
        }
    }
    if (difference.maxAbs > 0)
        difference.maxRel = largest > 0 ? difference.maxAbs / largest : std::numeric_limits<double>::infinity();
    return difference;
}

}  // namespace fettle::graph
