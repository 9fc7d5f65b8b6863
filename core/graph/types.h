// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor types: element type, shape, physical layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fettle::graph {

// Values are ONNX TensorProto.DataType numbers (onnx.proto, ONNX 1.22), so that files and logs agree.
enum class DType : uint8_t {
    Undefined = 0,
    Float32 = 1,
    UInt8 = 2,
    Int8 = 3,
    UInt16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Float64 = 11,
    UInt32 = 12,
    UInt64 = 13,
    BFloat16 = 16,
    UInt4 = 21,
    Int4 = 22,
};

int64_t dtypeBytes(DType dtype);     // bytes of one element; 0 for String and Undefined; 1 for 4-bit types
const char* dtypeName(DType dtype);  // "float32"
bool isFloat(DType dtype);
bool isUnsigned(DType dtype);  // bool counts: its values are 0 and 1

using Shape = std::vector<int64_t>;  // static: every dimension known and >= 0

std::string shapeText(const Shape& shape);  // "[1,64,56,56]"
int64_t elementCount(const Shape& shape);   // product; 1 for a scalar. Callers have checked for overflow.

// How the logical elements of a tensor lie in memory.
// Physical dimensions, outermost first: the logical dimensions in `order` (empty: 0,1,2,...), each blocked one
// divided by its block (rounded up), each with its halo added; then one dimension per block, in the order of `blocks`.
//   NCHW16c           blocks {{1,16}}
//   OIhw16i16o        blocks {{1,16},{0,16}}
//   matmul weights [K,N] as [N/16][K][16]   order {1,0}, blocks {{1,16}}
// The halo is a border kept at zero around a logical dimension (convolution padding made physical). A dimension
// with a halo is never blocked. Lanes beyond the logical extent of a blocked dimension have unspecified values,
// except in constants, where they are zero.
struct Layout {
    struct Block {
        int axis;
        int64_t size;
        bool operator==(const Block&) const = default;
    };
    std::vector<int> order;
    std::vector<Block> blocks;
    std::vector<int64_t> haloBefore, haloAfter;  // per logical dimension; empty: none

    bool plain() const { return order.empty() && blocks.empty() && haloBefore.empty() && haloAfter.empty(); }
    bool hasHalo() const;
    bool operator==(const Layout&) const = default;
};

std::string layoutText(const Layout& layout);  // "plain", "b1x16", "b1x16 halo 0,0,1,1/0,0,1,1"

struct TensorType {
    DType dtype = DType::Float32;
    Shape shape;
    Layout layout;
    bool operator==(const TensorType&) const = default;
};

Shape physicalShape(const TensorType& type);
int64_t physicalBytes(const TensorType& type);
std::string typeText(const TensorType& type);  // "float32[1,64,56,56] b1x16"

}  // namespace fettle::graph
