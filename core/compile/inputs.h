// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compile/model.h"

namespace fettle::compile {

// Seeded random inputs of the model, in order: the same for the same seed. Plain layout.
std::vector<graph::Tensor> seededInputs(const OpenedModel& model, uint64_t seed);

std::vector<graph::TensorType> outputTypes(const codegen::ModelPlan& plan);

}  // namespace fettle::compile
