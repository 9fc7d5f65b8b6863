// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/family/rule.h"

#include <cstring>

namespace fettle::ops {

namespace {

const char* attributeKinds = "ifsIFSt";  // in the order of graph::Attribute's alternatives 0..6

std::string kindWord(char kind) {
    switch (kind) {
        case 'i':
            return "an integer";
        case 'f':
            return "a float";
        case 's':
            return "a string";
        case 'I':
            return "a list of integers";
        case 'F':
            return "a list of floats";
        case 'S':
            return "a list of strings";
        case 't':
            return "a tensor";
        default:
            return "a graph";
    }
}

struct AttributeSpec {
    std::string name;
    char kind;
    bool required;
};

std::vector<AttributeSpec> parseAttributes(const char* text) {
    std::vector<AttributeSpec> specs;
    for (const char* p = text; *p;) {
        const char* colon = std::strchr(p, ':');
        specs.push_back({std::string(p, colon), colon[1], colon[2] == '!'});
        p = colon + (colon[2] == '!' ? 3 : 2);
        while (*p == ' ') ++p;
    }
    return specs;
}

Status checkAttributes(const Node& node, const std::vector<AttributeSpec>& specs) {
    for (const AttributeSpec& spec : specs) {
        const auto found = node.attributes.find(spec.name);
        if (found == node.attributes.end()) {
            if (spec.required) return bad(node, "the attribute '" + spec.name + "' is missing");
            continue;
        }
        const size_t index = found->second.index();
        const char kind = index < 7 ? attributeKinds[index] : 'g';
        if (kind != spec.kind)
            return bad(
                node, "the attribute '" + spec.name + "' is " + kindWord(kind) + "; it must be " + kindWord(spec.kind));
    }
    return {};
}

Status checkCounts(const NodeView& view, const RowSpec& spec) {
    const Node& node = *view.node;
    const std::string most = spec.maxInputs == kAnyNumber ? "any number" : std::to_string(spec.maxInputs);
    if (node.inputs.size() < spec.minInputs || node.inputs.size() > spec.maxInputs)
        return bad(node, "the number of inputs is " + std::to_string(node.inputs.size()) + "; " + node.op + " takes " +
                             std::to_string(spec.minInputs) + " to " + most);
    for (size_t i = 0; i < spec.minInputs; ++i)
        if (!view.has(i))
            return bad(node, "the number of inputs is too small: input " + std::to_string(i) + " is left out");
    if (node.outputs.empty() || node.outputs.size() > spec.maxOutputs)
        return bad(node, "the number of outputs is " + std::to_string(node.outputs.size()));
    for (size_t i = 0; i < view.types.size(); ++i)
        if (view.has(i) && view.types[i]->dtype == DType::String)
            return unsupported(node, "string tensors are not supported");
    return {};
}

}  // namespace

OpRow makeRow(RowSpec spec) {
    OpRow row{spec.name, spec.domain, spec.since, spec.until, spec.kind, spec.fusion, {}, spec.evaluate, spec.lower};
    row.shape = [spec, attributes = parseAttributes(spec.attributes)](const NodeView& view) -> Result<Types> {
        FETTLE_CHECK(checkCounts(view, spec));
        FETTLE_CHECK(checkAttributes(*view.node, attributes));
        return spec.shape(view);
    };
    return row;
}

tl::unexpected<Error> bad(const Node& node, std::string why) {
    return fail(ErrorCode::BadModel, "the model is not valid", "node " + node.name + " (" + node.op + ")",
                std::move(why));
}

tl::unexpected<Error> unsupported(const Node& node, std::string why) {
    return fail(ErrorCode::UnsupportedOperators, "the model uses an operator in a way that is not supported",
                "node " + node.name + " (" + node.op + ")", std::move(why));
}

NodeView viewOf(const Node& node, Inputs inputs) {
    NodeView view{&node, {}, {}};
    for (const Tensor* tensor : inputs) {
        view.types.push_back(tensor ? &tensor->type : nullptr);
        view.constants.push_back(tensor);
    }
    return view;
}

Result<int64_t> normalAxis(const Node& node, int64_t axis, size_t rank, bool end) {
    const int64_t r = static_cast<int64_t>(rank);
    if (axis < -r || axis > (end ? r : r - 1))
        return bad(node, "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
    return axis < 0 ? axis + r : axis;
}

Result<std::vector<int64_t>> normalAxes(const Node& node, const std::vector<int64_t>& axes, size_t rank) {
    std::vector<int64_t> result;
    for (int64_t axis : axes) {
        FETTLE_TRY(const int64_t normal, normalAxis(node, axis, rank));
        result.push_back(normal);
    }
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) return bad(node, "an axis is given twice");
    return result;
}

Result<Shape> broadcast(const Node& node, const Shape& a, const Shape& b) {
    const size_t rank = std::max(a.size(), b.size());
    Shape shape(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
        const int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
        if (x != y && x != 1 && y != 1)
            return bad(node, "the shapes " + shapeText(a) + " and " + shapeText(b) + " cannot be broadcast together");
        shape[i] = x == 1 ? y : x;
    }
    return shape;
}

Result<std::vector<int64_t>> constantInts(const NodeView& view, size_t input, const char* name) {
    const Tensor* tensor = input < view.constants.size() ? view.constants[input] : nullptr;
    if (!tensor)
        return unsupported(*view.node,
                           std::string("the input '") + name +
                               "' is computed from the data, so the shape of the output is not known before it runs");
    if (graph::isFloat(tensor->type.dtype))
        return bad(*view.node, std::string("the input '") + name + "' must be integers");
    return graph::toInts(*tensor);
}

Result<int64_t> checkedCount(const Node& node, const Shape& shape) {
    int64_t count = 1;
    for (int64_t extent : shape) {
        if (extent < 0) return bad(node, "the shape " + shapeText(shape) + " has a negative dimension");
        if (__builtin_mul_overflow(count, extent, &count))
            return bad(node, "the shape " + shapeText(shape) + " exceeds the size limit: its dimensions overflow");
    }
    return count;
}

Status needRank(const NodeView& view, size_t input, size_t least, const char* name) {
    const size_t rank = view.types[input]->shape.size();
    if (rank < least)
        return bad(*view.node, std::string("the rank of ") + name + " is " + std::to_string(rank) +
                                   "; it must be at least " + std::to_string(least));
    return {};
}

Status needSameType(const NodeView& view, std::initializer_list<size_t> inputs) {
    const TensorType* first = nullptr;
    for (size_t i : inputs) {
        if (!view.has(i)) continue;
        if (first && view.types[i]->dtype != first->dtype)
            return bad(*view.node, std::string("the inputs have different types: ") + dtypeName(first->dtype) +
                                       " and " + dtypeName(view.types[i]->dtype));
        first = view.types[i];
    }
    return {};
}

std::vector<int64_t> rowMajorStrides(const Shape& shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

std::vector<int64_t> broadcastStrides(const Shape& shape, const Shape& to) {
    const std::vector<int64_t> own = rowMajorStrides(shape);
    std::vector<int64_t> strides(to.size(), 0);
    for (size_t i = 0; i < shape.size(); ++i)
        if (shape[i] != 1) strides[i + to.size() - shape.size()] = own[i];
    return strides;
}

namespace {
template <class T>
void storeWrapped(std::span<const int64_t> values, std::vector<std::byte>& bytes) {
    T* to = reinterpret_cast<T*>(bytes.data());
    for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<T>(values[i]);
}
}  // namespace

Tensor fromInts(DType dtype, Shape shape, std::span<const int64_t> values) {
    if (graph::isFloat(dtype))
        return graph::fromDoubles(dtype, std::move(shape), std::vector<double>(values.begin(), values.end()));
    std::vector<std::byte> bytes(values.size() * graph::dtypeBytes(dtype));
    if (dtype == DType::Bool) {
        for (size_t i = 0; i < values.size(); ++i) bytes[i] = std::byte{values[i] != 0};
    } else {
        switch (graph::dtypeBytes(dtype)) {
            case 1:
                storeWrapped<int8_t>(values, bytes);
                break;
            case 2:
                storeWrapped<int16_t>(values, bytes);
                break;
            case 4:
                storeWrapped<int32_t>(values, bytes);
                break;
            default:
                storeWrapped<int64_t>(values, bytes);
        }
    }
    return graph::makeTensor(dtype, std::move(shape), std::move(bytes));
}

namespace {
template <class T>
void gatherStrided(const Tensor& tensor, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset,
                   std::vector<std::byte>& bytes) {
    const T* from = reinterpret_cast<const T*>(tensor.data().data()) + offset;
    T* to = reinterpret_cast<T*>(bytes.data());
    forEach<1>(shape, {strides}, [&](const std::array<int64_t, 1>& at) { *to++ = from[at[0]]; });
}
}  // namespace

Tensor strided(const Tensor& tensor, Shape shape, const std::vector<int64_t>& strides, int64_t offset) {
    const int64_t size = graph::dtypeBytes(tensor.type.dtype);
    std::vector<std::byte> bytes(graph::elementCount(shape) * size);
    switch (size) {
        case 1:
            gatherStrided<uint8_t>(tensor, shape, strides, offset, bytes);
            break;
        case 2:
            gatherStrided<uint16_t>(tensor, shape, strides, offset, bytes);
            break;
        case 4:
            gatherStrided<uint32_t>(tensor, shape, strides, offset, bytes);
            break;
        default:
            gatherStrided<uint64_t>(tensor, shape, strides, offset, bytes);
    }
    return graph::makeTensor(tensor.type.dtype, std::move(shape), std::move(bytes));
}

Tensor reshaped(const Tensor& tensor, Shape shape) {
    Tensor result = tensor;
    result.type.shape = std::move(shape);
    return result;
}

}  // namespace fettle::ops
