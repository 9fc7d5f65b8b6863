// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of an exported folder. What they hold belongs to the user: Apache-2.0 WITH LLVM-exception.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/compile/model.h"

namespace fettle::compile {

// model.h: the ABI and the two functions; self-contained C99 (and C++). Names of tensors appear in comments only,
// made harmless: a model is untrusted.
std::string modelHeader(const codegen::ModelPlan& plan, const target::Target& target);

// example.c: compiles with `cc example.c -ldl`.
std::string exampleSource(const codegen::ModelPlan& plan);

struct ManifestFile {
    std::string name, sha256;
    int64_t bytes = 0;
};
struct Manifest {
    const OpenedModel* model = nullptr;
    const codegen::ModelPlan* plan = nullptr;
    const target::Target* target = nullptr;
    std::string scheduleText;        // "match OPERATOR" lines, each followed by its primitives
    double minNs = 0, medianNs = 0;  // expected latency; 0: not measured
    int threads = 1, runs = 0;
    const Verification* verification = nullptr;  // null: not verified
    std::vector<ManifestFile> files;
};
std::string manifestJson(const Manifest& manifest);

// "match A\nsplit ...\n\nmatch B\n...": the primitives of each operator by name, in order.
std::vector<std::pair<std::string, std::string>> splitSchedules(const std::string& scheduleText);

}  // namespace fettle::compile
