// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/types.h"

namespace fettle::graph {

namespace {

struct DTypeRow {
    DType dtype;
    const char* name;
    int64_t bytes;
};

constexpr DTypeRow kDTypes[] = {
    {DType::Undefined, "undefined", 0}, {DType::Float32, "float32", 4}, {DType::UInt8, "uint8", 1},
    {DType::Int8, "int8", 1},           {DType::UInt16, "uint16", 2},   {DType::Int16, "int16", 2},
    {DType::Int32, "int32", 4},         {DType::Int64, "int64", 8},     {DType::String, "string", 0},
    {DType::Bool, "bool", 1},           {DType::Float16, "float16", 2}, {DType::Float64, "float64", 8},
    {DType::UInt32, "uint32", 4},       {DType::UInt64, "uint64", 8},   {DType::BFloat16, "bfloat16", 2},
    {DType::UInt4, "uint4", 1},         {DType::Int4, "int4", 1},
};

const DTypeRow& row(DType dtype) {
    for (const DTypeRow& r : kDTypes)
        if (r.dtype == dtype) return r;
    return kDTypes[0];
}

std::string joined(const std::vector<int64_t>& values) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
    return text;
}

int64_t at(const std::vector<int64_t>& values, size_t i) {
    return i < values.size() ? values[i] : 0;
}

}  // namespace

int64_t dtypeBytes(DType dtype) {
    return row(dtype).bytes;
}

const char* dtypeName(DType dtype) {
    return row(dtype).name;
}

bool isFloat(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16 || dtype == DType::BFloat16;
}

bool isUnsigned(DType dtype) {
    return dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64 ||
           dtype == DType::UInt4 || dtype == DType::Bool;
}

std::string shapeText(const Shape& shape) {
    return "[" + joined(shape) + "]";
}

int64_t elementCount(const Shape& shape) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
}

bool Layout::hasHalo() const {
    for (int64_t h : haloBefore)
        if (h) return true;
    for (int64_t h : haloAfter)
        if (h) return true;
    return false;
}

std::string layoutText(const Layout& layout) {
    if (layout.plain()) return "plain";
    std::string text;
    auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
    if (!layout.order.empty()) add("o" + joined({layout.order.begin(), layout.order.end()}));
    for (const Layout::Block& block : layout.blocks)
        add("b" + std::to_string(block.axis) + "x" + std::to_string(block.size));
    if (!layout.haloBefore.empty() || !layout.haloAfter.empty())
        add("halo " + joined(layout.haloBefore) + "/" + joined(layout.haloAfter));
    return text;
}

Shape physicalShape(const TensorType& type) {
    const Layout& layout = type.layout;
    if (layout.plain()) return type.shape;
    const size_t rank = type.shape.size();
    std::vector<int64_t> perAxis(rank, 1);
    for (const Layout::Block& block : layout.blocks) perAxis[block.axis] *= block.size;
    Shape shape;
    for (size_t i = 0; i < rank; ++i) {
        const size_t axis = layout.order.empty() ? i : static_cast<size_t>(layout.order[i]);
        const int64_t outer = (type.shape[axis] + perAxis[axis] - 1) / perAxis[axis];
        shape.push_back(outer + at(layout.haloBefore, axis) + at(layout.haloAfter, axis));
    }
    for (const Layout::Block& block : layout.blocks) shape.push_back(block.size);
    return shape;
}

int64_t physicalBytes(const TensorType& type) {
    return elementCount(physicalShape(type)) * dtypeBytes(type.dtype);
}

std::string typeText(const TensorType& type) {
    std::string text = dtypeName(type.dtype) + shapeText(type.shape);
    if (!type.layout.plain()) text += " " + layoutText(type.layout);
    return text;
}

}  // namespace fettle::graph
