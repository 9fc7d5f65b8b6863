// SPDX-License-Identifier: GPL-3.0-or-later
// What a whole model is fed when it is verified or timed, and what it gives.
#pragma once

#include "core/compile/model.h"

namespace fettle::compile {

// Seeded random inputs of the model, in order: the same for the same seed. Plain layout. Integers are below
// integerLimit, and below what a Gather that uses them as indices allows.
std::vector<graph::Tensor> seededInputs(const OpenedModel& model, uint64_t seed, int64_t integerLimit = 8);

std::vector<graph::TensorType> outputTypes(const codegen::ModelPlan& plan);

}  // namespace fettle::compile
