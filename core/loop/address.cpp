// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/address.h"

namespace fettle::loop {

namespace {

int64_t floorDivOf(int64_t a, int64_t b) {
    return a / b - ((a % b != 0) && (a < 0));
}
int64_t modOf(int64_t a, int64_t b) {
    return a - floorDivOf(a, b) * b;
}
Index floorDivOf(const Index& a, int64_t b) {
    return floorDiv(a, b);
}
Index modOf(const Index& a, int64_t b) {
    return mod(a, b);
}

template <class T>
std::vector<T> physical(const graph::TensorType& type, std::span<const T> logical) {
    const graph::Layout& layout = type.layout;
    const int rank = static_cast<int>(type.shape.size());
    std::vector<T> result;
    for (int k = 0; k < rank; ++k) {
        const int dim = layout.order.empty() ? k : layout.order[static_cast<size_t>(k)];
        int64_t block = 1;
        for (const auto& b : layout.blocks)
            if (b.axis == dim) block *= b.size;
        T index = logical[static_cast<size_t>(dim)];
        if (!layout.haloBefore.empty()) index = index + T(layout.haloBefore[static_cast<size_t>(dim)]);
        result.push_back(block == 1 ? index : floorDivOf(index, block));
    }
    for (size_t k = 0; k < layout.blocks.size(); ++k) {
        int64_t inner = 1;
        for (size_t later = k + 1; later < layout.blocks.size(); ++later)
            if (layout.blocks[later].axis == layout.blocks[k].axis) inner *= layout.blocks[later].size;
        const T& index = logical[static_cast<size_t>(layout.blocks[k].axis)];
        result.push_back(modOf(inner == 1 ? index : floorDivOf(index, inner), layout.blocks[k].size));
    }
    return result;
}

template <class T>
T offset(const graph::TensorType& type, std::span<const T> logical) {
    const std::vector<T> indices = physical(type, logical);
    const std::vector<int64_t> strides = physicalStrides(type);
    T sum(0);
    for (size_t k = 0; k < indices.size(); ++k) sum = sum + indices[k] * strides[k];
    return sum;
}

}  // namespace

std::vector<int64_t> physicalStrides(const graph::TensorType& type) {
    const graph::Shape shape = graph::physicalShape(type);
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
    return strides;
}

std::vector<Index> physicalIndices(const graph::TensorType& type, std::span<const Index> logical) {
    return physical(type, logical);
}

Index physicalOffset(const graph::TensorType& type, std::span<const Index> logical) {
    return offset(type, logical);
}

int64_t physicalOffset(const graph::TensorType& type, std::span<const int64_t> logical) {
    return offset(type, logical);
}

}  // namespace fettle::loop
