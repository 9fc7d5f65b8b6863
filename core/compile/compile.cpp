// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/model.h"

namespace fettle::compile {

Result<CompiledModel> compileModel(const OpenedModel& model, const std::vector<schedule::Trace>& traces,
                                   const target::Target& target, int threads, measure::Evaluator& evaluator) {
    FETTLE_TRY(codegen::ModelPlan plan, planModel(model, traces, target, threads));
    FETTLE_TRY(codegen::Built built, evaluator.buildModel(plan));
    return CompiledModel{std::move(plan), std::move(built.sharedObject)};
}

}  // namespace fettle::compile
