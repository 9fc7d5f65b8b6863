// SPDX-License-Identifier: GPL-3.0-or-later
// A ModelPlan across the pipe to the builder. The constants go beside it, as a blob.
#pragma once

#include <string>

#include "core/codegen/model_plan.h"
#include "core/support/error.h"

namespace fettle::measure {

std::string planJson(const codegen::ModelPlan& plan);
// Checks that steps name tasks, and buffers lie inside the arena and the constants.
Result<codegen::ModelPlan> planFromJson(const std::string& text, std::vector<std::byte> constants);

}  // namespace fettle::measure
