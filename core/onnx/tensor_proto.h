// SPDX-License-Identifier: GPL-3.0-or-later
// TensorProto <-> Tensor. Nothing is allocated from a claimed size: the data must be there first.
#pragma once

#include <filesystem>

#include "core/graph/tensor.h"
#include "onnx.pb.h"

namespace fettle::onnx {

inline constexpr size_t kMaxRank = 32;
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 31;

// `where` names the tensor in errors; `folder` holds external data. Takes raw_data out of `proto` to save memory.
Result<graph::Tensor> toTensor(::onnx::TensorProto& proto, const std::filesystem::path& folder,
                               const std::string& where);

// The element type, when we have it. Errors: BadModel.
Result<graph::DType> toDType(int32_t dataType, const std::string& where);

}  // namespace fettle::onnx
