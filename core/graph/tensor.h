// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor with its data: constants of a graph, test inputs, reference outputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/graph/types.h"
#include "core/support/error.h"

namespace fettle::graph {

// Immutable and shared: copying a Tensor copies a pointer. Data are in `type.layout`, little-endian.
struct Tensor {
    TensorType type;
    std::shared_ptr<const std::vector<std::byte>> bytes;  // physicalBytes(type) bytes

    std::span<const std::byte> data() const {
        return bytes ? std::span<const std::byte>(*bytes) : std::span<const std::byte>();
    }
    template <class T>
    std::span<const T> as() const {
        return {reinterpret_cast<const T*>(data().data()), data().size() / sizeof(T)};
    }
};

Tensor makeTensor(DType dtype, Shape shape, std::vector<std::byte> bytes);  // plain layout
template <class T>
Tensor tensorOf(DType dtype, Shape shape, std::span<const T> values) {
    std::vector<std::byte> bytes(values.size_bytes());
    if (!bytes.empty()) std::copy_n(reinterpret_cast<const std::byte*>(values.data()), bytes.size(), bytes.data());
    return makeTensor(dtype, std::move(shape), std::move(bytes));
}

// The elements in logical row-major order as double, or as integers (small integer and shape tensors).
std::vector<double> toDoubles(const Tensor& tensor);
std::vector<int64_t> toInts(const Tensor& tensor);
Tensor fromDoubles(DType dtype, Shape shape, std::span<const double> values);  // rounds to nearest, saturates integers

// The same logical tensor in another physical layout. Halo and padding lanes become zero.
Tensor relayout(const Tensor& tensor, const Layout& layout);

// Seeded random data for measuring and checking: floats in [-1,1) with some zeros; integers in [0,8); bool 0/1.
Tensor randomTensor(const TensorType& type, uint64_t seed);

// The share of elements that are neither infinite nor NaN, in [0,1]; 1 when there are none.
double finiteShare(std::span<const Tensor> tensors);

struct Difference {
    double maxAbs = 0, maxRel = 0;
    int64_t at = -1;
    bool finiteMismatch = false;
};
// maxRel is max|a-b| / max|expected|, the measure that the models' tolerances are given in.
Difference compareTensors(const Tensor& actual, const Tensor& expected);

}  // namespace fettle::graph
