// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/tensor_proto.h"

#include <charconv>
#include <cstring>
#include <fstream>

#include "core/onnx/file.h"
#include "core/onnx/import.h"
#include "core/onnx/text.h"

namespace fettle::onnx {

using graph::DType;
using graph::Shape;
using graph::Tensor;

namespace {

tl::unexpected<Error> badTensor(const std::string& where, const std::string& why) {
    return fail(ErrorCode::BadModel, "the model is not valid", where, why);
}

Result<Shape> readDims(const ::onnx::TensorProto& proto, const std::string& where) {
    if (static_cast<size_t>(proto.dims_size()) > kMaxRank)
        return badTensor(where,
                         "rank " + std::to_string(proto.dims_size()) + "; the limit is " + std::to_string(kMaxRank));
    Shape shape(proto.dims().begin(), proto.dims().end());
    int64_t count = 1;
    for (int64_t extent : shape) {
        if (extent < 0) return badTensor(where, "negative dimension in the shape " + graph::shapeText(shape));
        if (__builtin_mul_overflow(count, extent, &count))
            return badTensor(where, "the dimensions of the shape " + graph::shapeText(shape) + " overflow");
    }
    if (count > (int64_t{1} << 60))
        return badTensor(where, "the dimensions of the shape " + graph::shapeText(shape) + " overflow the size limit");
    return shape;
}

bool isFourBit(DType dtype) {
    return dtype == DType::Int4 || dtype == DType::UInt4;
}

int64_t packedBytes(DType dtype, int64_t count) {
    return isFourBit(dtype) ? (count + 1) / 2 : count * graph::dtypeBytes(dtype);
}

// One byte per element, sign-extended for int4.
std::vector<std::byte> unpackFourBit(std::string_view bytes, int64_t count, bool isSigned) {
    std::vector<std::byte> values(count);
    for (int64_t i = 0; i < count; ++i) {
        const uint8_t nibble = static_cast<uint8_t>(bytes[i / 2]) >> (i % 2 * 4) & 15;
        values[i] = static_cast<std::byte>(isSigned && nibble > 7 ? nibble | 0xf0 : nibble);
    }
    return values;
}

Result<Tensor> fromRaw(DType dtype, Shape shape, std::string_view raw, const std::string& where) {
    const int64_t count = graph::elementCount(shape), expected = packedBytes(dtype, count);
    if (static_cast<int64_t>(raw.size()) != expected)
        return badTensor(where, "the shape " + graph::shapeText(shape) + " of " + dtypeName(dtype) + " needs " +
                                    std::to_string(expected) + " bytes, the data have " + std::to_string(raw.size()) +
                                    " bytes");
    if (isFourBit(dtype))
        return graph::makeTensor(dtype, std::move(shape), unpackFourBit(raw, count, dtype == DType::Int4));
    std::vector<std::byte> bytes(raw.size());
    if (!raw.empty()) std::memcpy(bytes.data(), raw.data(), raw.size());
    return graph::makeTensor(dtype, std::move(shape), std::move(bytes));
}

template <class T, class Field>
std::string narrowed(const Field& field) {
    std::string bytes;
    bytes.reserve(field.size() * sizeof(T));
    for (const auto value : field) {
        const T narrow = static_cast<T>(value);
        bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    }
    return bytes;
}

// The typed fields, as the bytes that raw_data would have.
std::string typedBytes(const ::onnx::TensorProto& proto, DType dtype) {
    switch (dtype) {
        case DType::Float32:
            return narrowed<float>(proto.float_data());
        case DType::Float64:
            return narrowed<double>(proto.double_data());
        case DType::Int64:
            return narrowed<int64_t>(proto.int64_data());
        case DType::UInt32:
            return narrowed<uint32_t>(proto.uint64_data());
        case DType::UInt64:
            return narrowed<uint64_t>(proto.uint64_data());
        case DType::Int32:
            return narrowed<int32_t>(proto.int32_data());
        case DType::UInt16:
        case DType::Int16:
        case DType::Float16:
        case DType::BFloat16:
            return narrowed<uint16_t>(proto.int32_data());
        default:
            return narrowed<uint8_t>(proto.int32_data());
    }
}

Result<int64_t> numberOf(const std::string& text, const std::string& key, const std::string& where) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
        return badTensor(where, "offset and length overflow: the external data's " + key + " is " + shown(text));
    if (error != std::errc() || end != text.data() + text.size())
        return badTensor(where, "the external data's " + key + " is '" + shown(text) + "', not a number");
    return value;
}

Result<std::string> externalBytes(const ::onnx::TensorProto& proto, const std::filesystem::path& folder,
                                  const std::string& where, int64_t expected) {
    std::string location;
    int64_t offset = 0, length = -1;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() == "offset") {
            FETTLE_TRY(offset, numberOf(entry.value(), "offset", where));
        }
        if (entry.key() == "length") {
            FETTLE_TRY(length, numberOf(entry.value(), "length", where));
            if (length < 0)
                return badTensor(where, "negative length: the external data's length is " + std::to_string(length));
        }
    }
    if (length < 0) length = expected;  // absent: as many bytes as the shape needs
    return readExternal(folder, location, offset, length, kMaxTensorBytes);
}

}  // namespace

Result<DType> toDType(int32_t dataType, const std::string& where) {
    const DType dtype = dataType >= 0 && dataType < 256 ? static_cast<DType>(dataType) : DType::Undefined;
    if (dtype == DType::String) return dtype;
    if (graph::dtypeBytes(dtype) == 0)
        return badTensor(where, "data type " + std::to_string(dataType) + " is unknown or not supported");
    return dtype;
}

Result<Tensor> toTensor(::onnx::TensorProto& proto, const std::filesystem::path& folder, const std::string& where) {
    FETTLE_TRY(const DType dtype, toDType(proto.data_type(), where));
    FETTLE_TRY(Shape shape, readDims(proto, where));
    if (proto.has_segment()) return badTensor(where, "tensors in segments are not supported");
    if (dtype == DType::String) {
        if (proto.has_raw_data()) return badTensor(where, "a string tensor with raw data");
        Tensor tensor;
        tensor.type = {dtype, std::move(shape), {}};
        return tensor;
    }
    const int64_t expected = packedBytes(dtype, graph::elementCount(shape));
    if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
        FETTLE_TRY(const std::string bytes, externalBytes(proto, folder, where, expected));
        return fromRaw(dtype, std::move(shape), bytes, where);
    }
    if (proto.has_raw_data()) {
        const std::string raw = std::move(*proto.mutable_raw_data());
        return fromRaw(dtype, std::move(shape), raw, where);
    }
    return fromRaw(dtype, std::move(shape), typedBytes(proto, dtype), where);
}

Result<Tensor> readTensorFile(const std::filesystem::path& file) {
    FETTLE_TRY(const std::string bytes, readFile(file, kMaxModelBytes));
    ::onnx::TensorProto proto;
    if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return fail(ErrorCode::BadModel, "cannot open " + shown(file.filename().string()), shown(file.string()),
                    "it is not an ONNX tensor file");
    return toTensor(proto, file.parent_path(), "tensor '" + shown(proto.name()) + "' in " + shown(file.string()));
}

Status writeTensorFile(const std::filesystem::path& file, const std::string& name, const Tensor& tensor) {
    const Tensor plain = relayout(tensor, {});
    ::onnx::TensorProto proto;
    proto.set_name(name);
    proto.set_data_type(static_cast<int32_t>(plain.type.dtype));
    for (int64_t extent : plain.type.shape) proto.add_dims(extent);
    const auto data = plain.data();
    std::string raw(reinterpret_cast<const char*>(data.data()), data.size());
    if (isFourBit(plain.type.dtype)) {
        std::string packed((raw.size() + 1) / 2, '\0');
        for (size_t i = 0; i < raw.size(); ++i)
            packed[i / 2] = static_cast<char>(packed[i / 2] | (raw[i] & 15) << (i % 2 * 4));
        raw = std::move(packed);
    }
    proto.set_raw_data(std::move(raw));
    std::ofstream out(file, std::ios::binary);
    if (!proto.SerializeToOstream(&out) || !out.flush())
        return fail(ErrorCode::Failed, "cannot write " + file.filename().string(), file.string(),
                    "the file cannot be written", "Check the folder and the free space.");
    return {};
}

}  // namespace fettle::onnx
