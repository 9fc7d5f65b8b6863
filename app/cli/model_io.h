// SPDX-License-Identifier: GPL-3.0-or-later
// A model ready to run, whatever it came from, and the tensors to run it on.
#pragma once

#include <filesystem>

#include "app/cli/command.h"

namespace fettle::cli {

struct Runnable {
    std::unique_ptr<session::TuningSession> session;  // null for an exported one
    std::unique_ptr<measure::Evaluator> ownEvaluator;
    measure::Evaluator* evaluator = nullptr;
    std::string name;                                  // the C identifier in fettle_<name>_run
    std::vector<codegen::TensorInfo> inputs, outputs;  // plain layout
    std::vector<std::byte> sharedObject;
    double tolerance = 1e-4;
};

// S.fettle (best schedules), MODEL.onnx (default schedules) or X.so (an export: model.json lies beside it).
Result<Runnable> makeRunnable(const std::string& file, const std::map<std::string, int64_t>& dims, int threads);

// The same numbers as ../shared/peers/ort-bench.mjs makes, so that engines are timed on equal data: a 64-bit linear
// congruential generator, r in [0,1); floats 2r-1, integers floor(8r), bool r < 0.5.
std::vector<graph::Tensor> benchInputs(const std::vector<codegen::TensorInfo>& inputs, uint64_t seed);

// DIR/input_K.pb, checked against the model; and DIR/output_K.pb, as many as there are.
Result<std::vector<graph::Tensor>> readInputs(const std::filesystem::path& folder, const Runnable& model);
Result<std::vector<graph::Tensor>> readOutputs(const std::filesystem::path& folder, const Runnable& model);

std::vector<graph::TensorType> typesOf(const std::vector<codegen::TensorInfo>& tensors);

struct OutputVerdict {
    std::string name;
    graph::Shape shape;
    graph::Difference difference;
    bool ok = false;
};
// ok: max|difference| <= atol + rtol * max|expected|, and infinities and NaN in the same places.
std::vector<OutputVerdict> compareOutputs(const Runnable& model, const std::vector<graph::Tensor>& actual,
                                          const std::vector<graph::Tensor>& expected, double rtol, double atol);

}  // namespace fettle::cli
