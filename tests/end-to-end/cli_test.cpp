// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job through fettle-cli on the bundled sample: what scripts rely on (keys, exit codes, messages), and that
// what it builds gives the right digit.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/end-to-end/program.h"

namespace fettle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kPrograms = fs::path(FETTLE_BUILD_DIR) / "bin";

Finished cli(std::vector<std::string> words, const HowToRun& how = {}) {
    words.insert(words.begin(), kPrograms / "fettle-cli");
    return run(words, how);
}

json parsed(const Finished& finished) {
    EXPECT_EQ(finished.code, 0) << finished.err;
    json value = json::parse(finished.out, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << finished.out;
    return value;
}

void expectKeys(const json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) EXPECT_TRUE(object.contains(key)) << key << " in " << object.dump().substr(0, 300);
}

std::map<int64_t, json> trialsOf(const std::string& session) {
    std::map<int64_t, json> rows;
    for (json& row : parsed(cli({"trials", session, "--json"}))) rows[row["trial"]] = row;
    return rows;
}

// What was there before must be there unchanged.
void expectKept(const std::map<int64_t, json>& before, const std::map<int64_t, json>& after) {
    for (const auto& [trial, row] : before) {
        const auto found = after.find(trial);
        ASSERT_NE(found, after.end()) << "trial " << trial << " is lost";
        EXPECT_EQ(found->second, row);
    }
}

// One session for all that only read it.
class CommandLine : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = new fs::path(fs::temp_directory_path() / ("fettle-cli-" + std::to_string(getpid())));
        fs::create_directories(*folder);
        fs::permissions(*folder, fs::perms::all);
        fs::copy_file(sampleFolder() / "model.onnx", at("digits.onnx"));
        tuned = new json(
            parsed(cli({"tune", at("digits.onnx"), "-o", at("s.fettle"), "--trials", "32", "--seed", "1", "--json"})));
    }
    static void TearDownTestSuite() {
        fs::remove_all(*folder);
        delete std::exchange(folder, nullptr);
        delete std::exchange(tuned, nullptr);
    }
    void SetUp() override { ASSERT_TRUE(tuned->is_object()) << "the sample was not tuned"; }
    static std::string at(const std::string& name) { return *folder / name; }
    static inline const std::string kData = sampleFolder() / "test_data_set_0";
    static inline fs::path* folder = nullptr;
    static inline json* tuned = nullptr;
};

TEST_F(CommandLine, TuneReportsTheKeysThatScriptsRead) {
    expectKeys(*tuned, {"session", "baselineUs", "bestUs", "speedup", "seconds", "trials", "trialsPerSecond", "tasks",
                        "costModel"});
    expectKeys((*tuned)["costModel"], {"version", "spearman", "topK"});
    const json& trials = (*tuned)["trials"];
    EXPECT_EQ(trials["ok"], 32);
    for (const char* bad : {"buildError", "timeout", "crash", "wrongResult"}) EXPECT_EQ(trials[bad], 0) << bad;
    ASSERT_GE((*tuned)["tasks"].size(), 10u);
    int sum = 0;
    for (const json& task : (*tuned)["tasks"]) {
        expectKeys(task, {"id", "name", "weight", "flops", "bytes", "baselineUs", "bestUs", "gflops", "trials"});
        EXPECT_GT(task["bestUs"], 0.0) << task["name"];
        EXPECT_LE(task["bestUs"], task["baselineUs"]) << task["name"];
        sum += task["trials"].get<int>();
    }
    EXPECT_EQ(sum, 32);
    EXPECT_GE((*tuned)["speedup"], 1.0);
    for (const auto& [id, row] : trialsOf(at("s.fettle")))
        expectKeys(row, {"task", "trial", "status", "predicted", "modelVersion", "minNs", "medianNs", "samples",
                         "seconds", "trace"});
}

// The traces of the first search round of one operator.
std::set<std::string> firstRound(const std::string& model, const std::string& session, const char* seed) {
    parsed(cli({"tune", model, "-o", session, "--trials", "27", "--trials-per-iter", "8", "--op", "/head*", "--seed",
                seed, "--json"}));
    std::set<std::string> traces;
    for (const auto& [id, row] : trialsOf(session))
        if (row["origin"] != "default" && row["round"] == 1) traces.insert(row["trace"]);
    return traces;
}

TEST_F(CommandLine, TheSameSeedGivesTheSameFirstCandidates) {
    const auto first = firstRound(at("digits.onnx"), at("seed1.fettle"), "1");
    EXPECT_GE(first.size(), 4u);
    EXPECT_EQ(first, firstRound(at("digits.onnx"), at("seed1-again.fettle"), "1"));
    EXPECT_NE(first, firstRound(at("digits.onnx"), at("seed2.fettle"), "2"));
}

TEST_F(CommandLine, RunMatchesTheStoredOutput) {
    const json result = parsed(cli({"run", at("s.fettle"), "--data", kData, "--json"}));
    EXPECT_EQ(result["ok"], true);
    ASSERT_EQ(result["outputs"].size(), 1u);
    expectKeys(result["outputs"][0], {"name", "shape", "maxAbsError", "maxRelError"});
    EXPECT_LE(result["outputs"][0]["maxAbsError"], 1e-4);
    // Data that does not match is no success.
    fs::create_directories(at("other"));
    fs::copy_file(kData + "/input_0.pb", at("other/input_0.pb"));
    std::ifstream in(kData + "/output_0.pb", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const float wrong = 0.5f;
    bytes.replace(bytes.size() - 40, 4, reinterpret_cast<const char*>(&wrong), 4);
    std::ofstream(at("other/output_0.pb"), std::ios::binary) << bytes;
    const Finished differs = cli({"run", at("s.fettle"), "--data", at("other"), "--json"});
    EXPECT_EQ(differs.code, 1);
    EXPECT_EQ(json::parse(differs.out)["ok"], false);
}

TEST_F(CommandLine, TheExportedFolderVerifiesAndItsExampleSeesASix) {
    const Finished exported = cli({"export", at("s.fettle"), "-o", at("exported")});
    ASSERT_EQ(exported.code, 0) << exported.err;
    for (const char* file : {"model.so", "model.h", "example.c", "model.json"})
        EXPECT_TRUE(fs::exists(at("exported/") + file)) << file;
    EXPECT_EQ(parsed(cli({"verify", at("exported"), "--json"}))["ok"], true);
    EXPECT_EQ(parsed(cli({"verify", at("exported"), "--data", kData, "--json"}))["ok"], true);
    const std::vector<float> digits = runExample(at("exported"), *folder);
    ASSERT_EQ(digits.size(), 10u);
    EXPECT_LE(maxAbsDifference(digits, lastFloats(kData + "/output_0.pb", 10)), 1e-4);
    EXPECT_EQ(argmax(digits), 6u);
    const json bench = parsed(cli({"bench", at("exported/model.so"), "--min-time", "0.05", "--json"}));
    EXPECT_GT(bench["minUs"], 0.0);
}

TEST_F(CommandLine, ProfileNamesEveryOperator) {
    const json profile = parsed(cli({"profile", at("s.fettle"), "--runs", "5", "--json"}));
    expectKeys(profile, {"totalUs", "spans"});
    std::set<int> tasks;
    for (const json& span : profile["spans"]) {
        expectKeys(span, {"name", "kind", "path", "startUs", "durationUs", "selfUs", "flops", "bytes"});
        EXPECT_LE(span["selfUs"].get<double>(), span["durationUs"].get<double>() + 1e-6) << span["name"];
        if (span["task"] >= 0) tasks.insert(span["task"].get<int>());
    }
    EXPECT_EQ(tasks.size(), (*tuned)["tasks"].size());
    EXPECT_GT(profile["totalUs"], 0.0);
}

TEST_F(CommandLine, ShowsAScheduleInEveryForm) {
    const struct {
        const char *as, *holds;
    } forms[] = {{"trace", "vectorize"}, {"loops", "for"}, {"llvm", "define"}, {"asm", "ret"}};
    for (const auto& form : forms) {
        const Finished shown = cli({"show", at("s.fettle"), "--task", "2", "--as", form.as});
        EXPECT_EQ(shown.code, 0) << shown.err;
        EXPECT_NE(shown.out.find(form.holds), std::string::npos) << form.as << ":\n" << shown.out.substr(0, 500);
    }
    EXPECT_EQ(cli({"show", at("s.fettle"), "--task", "99"}).code, 2);
}

TEST_F(CommandLine, BenchGivesItsKeys) {
    const json bench = parsed(cli({"bench", at("s.fettle"), "--min-time", "0.05", "--json"}));
    expectKeys(bench, {"minUs", "medianUs", "p90Us", "iterations", "threads", "loadMs"});
    EXPECT_GT(bench["iterations"], 1);
    EXPECT_LE(bench["minUs"], bench["medianUs"]);
    EXPECT_LE(bench["medianUs"], bench["p90Us"]);
}

TEST_F(CommandLine, ResumeKeepsEveryTrial) {
    fs::copy_file(at("s.fettle"), at("resumed.fettle"));
    const auto before = trialsOf(at("resumed.fettle"));
    ASSERT_EQ(before.size(), 32u);
    parsed(cli({"resume", at("resumed.fettle"), "--trials", "8", "--json"}));
    const auto after = trialsOf(at("resumed.fettle"));
    EXPECT_EQ(after.size(), 40u);
    expectKept(before, after);
}

TEST_F(CommandLine, CtrlCKeepsTheSessionAndSaysHowToGoOn) {
    Program tuning({kPrograms / "fettle-cli", "tune", at("digits.onnx"), "-o", at("c.fettle"), "--trials", "4000"});
    ASSERT_TRUE(tuning.waitForError("round 2")) << "no second round was reported";
    tuning.signal(SIGINT);
    const Finished stopped = tuning.finish();
    EXPECT_EQ(stopped.code, 130) << stopped.err;
    EXPECT_NE(stopped.err.find("fettle-cli resume " + at("c.fettle")), std::string::npos) << stopped.err;
    const auto before = trialsOf(at("c.fettle"));
    size_t shown = 0;
    const std::regex count("trials (\\d+)/");
    for (std::sregex_iterator it(stopped.err.begin(), stopped.err.end(), count), end; it != end; ++it)
        shown = std::stoul((*it)[1]);
    EXPECT_GE(shown, 19u);
    EXPECT_GE(before.size(), shown) << "a trial that was shown is lost";
    for (const auto& [id, row] : before) EXPECT_EQ(row["status"], "ok") << row["error"];
    parsed(cli({"resume", at("c.fettle"), "--trials", "4", "--json"}));
    const auto after = trialsOf(at("c.fettle"));
    EXPECT_EQ(after.size(), before.size() + 4);
    expectKept(before, after);
}

TEST_F(CommandLine, WhatIsNoUsableModelIsNamed) {
    const std::string bad = fs::path(FETTLE_SOURCE_DIR) / "tests/data/bad";
    const struct {
        std::vector<std::string> words;
        int code;
        std::vector<std::string> says;  // in the one line on standard error
    } rows[] = {
        {{bad + "/09b_unknown_op.onnx"}, 4, {"operators that are not supported", "Nope_0", "opset 13"}},
        {{bad + "/03_truncated.onnx"}, 3, {"03_truncated.onnx", "truncated", "125 claimed, 61 left"}},
        {{at("missing.onnx")}, 3, {"missing.onnx", "there is no such file", "Check the name"}},
        {{folder->string()}, 3, {"it is a folder"}},
        {{}, 2, {"model is required", "--help"}},
        {{at("digits.onnx"), "--trials", "many"}, 2, {"--trials", "a number above 0"}},
        {{at("digits.onnx"), "--dim", "batch"}, 2, {"--dim batch", "NAME=N"}},
        {{at("digits.onnx"), "-o", at("s.fettle")}, 2, {"a file of that name exists", "fettle-cli resume"}},
        {{at("digits.onnx"), "--target", "abacus"}, 5, {"abacus"}},
    };
    for (const auto& row : rows) {
        std::vector<std::string> words = {"tune"};
        words.insert(words.end(), row.words.begin(), row.words.end());
        const Finished finished = cli(words);
        EXPECT_EQ(finished.code, row.code) << finished.err;
        EXPECT_EQ(finished.err.rfind("fettle: error: ", 0), 0u) << finished.err;
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
        EXPECT_EQ(finished.out, "");
        for (const std::string& text : row.says)
            EXPECT_NE(finished.err.find(text), std::string::npos) << text << " in: " << finished.err;
    }
}

TEST_F(CommandLine, AReadOnlyFolderIsNamedAndTheSessionKeptElsewhere) {
    const fs::path locked = at("locked"), programs = at("bin"), data = at("data");
    fs::create_directories(locked);
    fs::create_directories(programs);
    fs::create_directories(data);
    fs::permissions(data, fs::perms::all);
    // Copies, so that somebody else may start them wherever the build lies.
    for (const char* name : {"fettle-cli", "fettle-worker", "fettle-runner"})
        fs::copy_file(kPrograms / name, programs / name);
    fs::copy_file(at("digits.onnx"), locked / "digits.onnx");
    fs::copy_file(at("s.fettle"), locked / "s.fettle");
    fs::permissions(locked,
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    const HowToRun nobody{{{"XDG_DATA_HOME", data}}, true};
    const std::string program = programs / "fettle-cli", model = locked / "digits.onnx";

    const Finished elsewhere = run({program, "tune", model, "--trials", "2", "--json"}, nobody);
    const json result = parsed(elsewhere);
    EXPECT_EQ(fs::path(result["session"].get<std::string>()).parent_path(), data / "fettle/sessions");
    EXPECT_NE(elsewhere.err.find("the model's folder is read-only"), std::string::npos) << elsewhere.err;
    const struct {
        std::vector<std::string> words;
        const char* says;
    } rows[] = {
        {{"tune", model, "-o", locked / "new.fettle"}, "cannot write to the session"},
        {{"resume", locked / "s.fettle"}, "it was opened to look only"},
        {{"export", locked / "s.fettle", "-o", locked / "exported"}, "Choose a folder that you may write to."},
    };
    for (const auto& row : rows) {
        std::vector<std::string> words = row.words;
        words.insert(words.begin(), program);
        const Finished refused = run(words, nobody);
        EXPECT_EQ(refused.code, 1) << refused.err;
        EXPECT_NE(refused.err.find(row.says), std::string::npos) << refused.err;
    }
    const Finished looked = run({program, "trials", locked / "s.fettle", "--json"}, nobody);
    EXPECT_EQ(parsed(looked).size(), 32u);
    fs::permissions(locked, fs::perms::owner_all);
}

}  // namespace
}  // namespace fettle::test
