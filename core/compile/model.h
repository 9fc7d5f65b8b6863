// SPDX-License-Identifier: GPL-3.0-or-later
// The whole model: open -> fused graph -> tasks; best traces + memory plan -> ModelPlan; run, profile, verify, export.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/codegen/model_plan.h"
#include "core/graph/graph.h"
#include "core/graph/kind.h"
#include "core/measure/evaluator.h"
#include "core/schedule/trace.h"
#include "core/target/target.h"

namespace fettle::compile {

// An extracted task: a unique fused operator that occurs `weight` times.
struct Task {
    int id = 0;        // position in OpenedModel::tasks
    std::string name;  // of its first occurrence: "Conv_12 + Clip_13"
    graph::OpKind kind = graph::OpKind::Other;
    std::string detail;         // "Depthwise 3x3, stride 1, pad 1", "128x768x768" ...; plain words, may be empty
    loop::LoopProgram program;  // unscheduled
    int weight = 1;
    double flops = 0, bytes = 0;  // of one occurrence
    uint64_t structuralHash = 0;
    std::vector<int> groups;  // which groups of the fused graph
    bool tunable = true;      // false: the space has one point
};

struct OpenedModel {
    std::string name;
    std::string sha256;
    graph::Graph original;  // as imported (static shapes); the reference
    graph::FusedGraph fused;
    std::vector<Task> tasks;
    std::vector<int> taskOfGroup;
    std::vector<std::string> groupNames;  // display name of every group, in execution order
    std::vector<std::string> groupPaths;  // "features/features.3": from the nodes' names; may be empty
    std::vector<std::string> warnings;
};

// Runs the passes and extracts tasks. The graph comes from onnx::importModel.
Result<OpenedModel> openGraph(graph::Graph graph, std::string sha256, const target::Target& target);

// Seeded inputs and reference outputs for one task.
Result<measure::TaskData> makeTaskData(const OpenedModel& model, const Task& task, uint64_t seed);

// Buffers: lifetimes -> offsets (best fit, 64-byte aligned), views for concat and reshape where layouts allow.
// traces: one per task. Packs constants.
Result<codegen::ModelPlan> planModel(const OpenedModel& model, const std::vector<schedule::Trace>& traces,
                                     const target::Target& target, int threads);

struct CompiledModel {
    codegen::ModelPlan plan;
    std::vector<std::byte> sharedObject;
};
Result<CompiledModel> compileModel(const OpenedModel& model, const std::vector<schedule::Trace>& traces,
                                   const target::Target& target, int threads, measure::Evaluator& evaluator);

// Nested timed spans of one or more runs: model > layer path from node names > fused operator > stage.
struct Span {
    std::string name, path;
    graph::OpKind kind = graph::OpKind::Other;
    int parent = -1;  // index into Profile::spans; parents come first
    int group = -1;   // fused operator, or -1
    int task = -1;
    double startNs = 0, durationNs = 0, selfNs = 0;  // medians over runs of each operator, placed end to end
    double minNs = 0, maxNs = 0;                     // over runs
    double flops = 0, bytes = 0;
};
struct Profile {
    std::string label;  // "default schedule", "best schedules"
    int runs = 0, threads = 1;
    double totalNs = 0;  // median of whole runs
    double minNs = 0;
    double spread = 0;  // (p90 - min) / min of whole runs
    std::vector<Span> spans;
};
Result<Profile> profileModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                             int threads, int runs, const CancelToken& cancel);

struct OutputError {
    std::string name;
    graph::Shape shape;
    double maxAbsError = 0, maxRelError = 0;
    bool ok = false;
};
struct Verification {
    bool ok = false;
    double tolerance = 0;
    std::vector<OutputError> outputs;
};
// Seeded inputs against the reference evaluator.
Result<Verification> verifyModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                 double tolerance, uint64_t seed);

struct ExportOptions {
    bool verify = true;
    int threads = 1;
};
struct ExportReport {
    std::filesystem::path folder;
    std::vector<std::string> files;
    int64_t bytes = 0;
    Verification verification;
};
// Writes model.so, model.h, example.c, model.json into `folder` (made if absent): first into a temporary sibling, then
// renamed, so that a failure leaves nothing half-written. Verified before the rename when options.verify.
Result<ExportReport> exportModel(const OpenedModel& model, const CompiledModel& compiled, measure::Evaluator& evaluator,
                                 const target::Target& target, const std::filesystem::path& folder,
                                 const std::string& scheduleText, const ExportOptions& options);

}  // namespace fettle::compile
