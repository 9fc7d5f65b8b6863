// SPDX-License-Identifier: GPL-3.0-or-later
// The small parts of a session: scripts, settings, the task board.
#include <gtest/gtest.h>

#include "core/loop/program.h"
#include "core/measure/trial.h"
#include "core/session/script.h"
#include "core/session/settings.h"
#include "core/session/task_board.h"

namespace fettle::session {
namespace {

TEST(Glob, matchesAsPeopleExpect) {
    struct Row {
        const char *pattern, *text;
        bool matches;
    };
    for (const Row& row : {Row{"*", "", true},
                           {"*", "Conv_1", true},
                           {"*conv*", "Conv_1 + Clip_2", true},
                           {"Conv_?", "Conv_1", true},
                           {"Conv_?", "Conv_12", false},
                           {"*a*b", "xaxxb", true},
                           {"*a*b", "xaxxbc", false},
                           {"", "x", false},
                           {"Add", "add", true},
                           {"*_1", "Conv_1_1", true}})
        EXPECT_EQ(matchesGlob(row.pattern, row.text), row.matches) << row.pattern << " on " << row.text;
}

TEST(Script, readsBlocks) {
    const auto blocks =
        *parseScript("# all of them\nmatch *Conv*\n  split a.b 16 -> c d\n\nmatch *Add*\nunroll x.y\n", "s");
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].pattern, "*Conv*");
    EXPECT_EQ(blocks[0].lines, std::vector<std::string>{"split a.b 16 -> c d"});
    EXPECT_EQ(blocks[1].firstLine, 5);
}

TEST(Script, saysWhatIsWrong) {
    EXPECT_EQ(parseScript("unroll a.b", "my.txt").error().message(),
              "cannot use the schedule script (my.txt line 1): a primitive comes before the first match line. Start "
              "with a line like `match *Conv*`.");
    EXPECT_EQ(parseScript("\nmatch ", "my.txt").error().where, "my.txt line 2");
}

loop::LoopProgram addProgram() {
    loop::LoopProgram program;
    program.name = "add";
    const graph::TensorType type{graph::DType::Float32, {6, 20}, {}};
    program.tensors = {{"a", type, loop::Role::Input}, {"out", type, loop::Role::Output}};
    loop::Stage stage;
    stage.name = "add";
    stage.axes = {{"i", 6, loop::AxisKind::Space}, {"j", 20, loop::AxisKind::Space}};
    const loop::Scalar a = loop::load(0, {loop::Index::axis(0), loop::Index::axis(1)});
    stage.body = loop::binary(loop::ScalarOp::Add, a, a);
    stage.output = 1;
    stage.outputIndices = {loop::Index::axis(0), loop::Index::axis(1)};
    program.stages = {stage};
    program.nests = loop::defaultNests(program);
    return program;
}

TEST(Script, findsTheInnermostLoopOfEveryStage) {
    const auto blocks = *parseScript("match *\nsplit *.innermost 8 -> j0 j1\nvectorize *.innermost", "s");
    const auto trace = applyScript(blocks[0], addProgram());
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(schedule::print(*trace), "split add.j 8 -> j0 j1\nvectorize add.j1\n");
    const auto wrong = applyScript({"*", {"vectorize add.nosuch"}, 1}, addProgram());
    EXPECT_FALSE(wrong);
}

TEST(Settings, comeBack) {
    TuneOptions options;
    options.trials = 77;
    options.minutes = 1.5;
    options.seed = ~0ull;
    options.operators = {"*Conv*"};
    options.evaluator.flushCache = true;
    const TuneOptions back = tuneOptionsFromJson(toJson(options));
    EXPECT_EQ(toJson(back), toJson(options));
    EXPECT_EQ(tuneOptionsFromJson("no json").trials, TuneOptions().trials);
    EXPECT_EQ(tuneOptionsFromJson(R"({"trials":"many","threads":2})").trials, TuneOptions().trials);
}

TEST(Settings, profilesComeBack) {
    compile::Profile profile;
    profile.label = "best schedules";
    profile.runs = 20;
    profile.totalNs = 5100250;
    compile::Span model, op;
    model.name = "digits";
    model.durationNs = 5100250;
    op.name = "Conv_12 + Clip_13";
    op.kind = graph::OpKind::Convolution;
    op.parent = 0;
    op.group = op.task = 3;
    op.startNs = 1500;
    op.flops = 1e6;
    profile.spans = {model, op};
    const std::string text = toJson(profile);
    const auto back = profileFromJson(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(toJson(*back), text);
    EXPECT_EQ(back->spans[1].kind, graph::OpKind::Convolution);
    EXPECT_FALSE(profileFromJson("{}"));
    EXPECT_EQ(profileFromJson(R"({"spans":[{"parent":7}]})")->spans[0].parent, -1) << "a parent that comes later";
}

store::TrialRow row(int64_t id, int task, int round, const char* origin, int64_t minNs) {
    store::TrialRow out;
    out.id = id;
    out.task = task;
    out.round = round;
    out.origin = origin;
    out.minNs = minNs;
    out.medianNs = minNs + minNs / 10;
    out.trace = "unroll a.b # " + std::to_string(id);
    out.status = static_cast<int>(minNs > 0 ? measure::TrialStatus::Ok : measure::TrialStatus::Crash);
    return out;
}

TEST(TaskBoard, addsUpTheModel) {
    TaskBoard board;
    board.reset({{0, "a", "", "", 2, 0, 0, 1, ""}, {1, "b", "", "", 1, 0, 0, 2, ""}});
    EXPECT_EQ(board.modelNs(), 0);
    EXPECT_TRUE(board.add(row(1, 0, 0, "default", 1000)));
    EXPECT_TRUE(board.add(row(2, 1, 0, "default", 500)));
    EXPECT_EQ(board.baselineNs(), 2500);
    EXPECT_TRUE(board.add(row(3, 0, 1, "analytic", 400)));
    EXPECT_FALSE(board.add(row(4, 0, 1, "random", 0)));
    EXPECT_FALSE(board.add(row(5, 0, 2, "evolved", 450)));
    EXPECT_FALSE(board.add(row(6, 9, 2, "evolved", 1))) << "no such task";
    EXPECT_EQ(board.modelNs(), 1300);
    EXPECT_EQ(board.baselineNs(), 2500);
    EXPECT_EQ(board.standing(0).bestTrial, 3);
    EXPECT_EQ(board.standing(0).bestAfterRound, (std::vector<int64_t>{400, 400}));
    EXPECT_EQ(board.countOf(static_cast<int>(measure::TrialStatus::Crash)), 1);
    EXPECT_EQ(board.lastRound(), 2);
    EXPECT_NEAR(board.noise(), 0.1, 1e-9);
}

TEST(TaskBoard, aFailedDefaultIsReplacedByTheNextOne) {
    TaskBoard board;
    board.reset({{0, "a", "", "", 1, 0, 0, 1, ""}});
    board.add(row(1, 0, 0, "default", 0));
    EXPECT_TRUE(board.standing(0).defaultTried);
    EXPECT_TRUE(board.standing(0).defaultFailed);
    board.add(row(2, 0, 0, "default", 900));
    EXPECT_FALSE(board.standing(0).defaultFailed && board.standing(0).defaultNs == 0);
    EXPECT_EQ(board.baselineNs(), 900);
}

}  // namespace
}  // namespace fettle::session
