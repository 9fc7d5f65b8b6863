// SPDX-License-Identifier: GPL-3.0-or-later
// The exported folder in the hands of a user: plain cc, C++, Python without numpy.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/compile/export_text.h"
#include "core/support/hash.h"
#include "tests/compile/toy_model.h"

namespace fettle::compile {
namespace {

namespace fs = std::filesystem;

std::string readText(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

struct Ran {
    int code;
    std::string output;
};
Ran shell(const std::string& command) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    Ran ran{-1, ""};
    char buffer[512];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe)) ran.output += buffer;
    const int status = pipe ? pclose(pipe) : -1;
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}

class Export : public testing::Test {
protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / ("fettle-export-" + std::to_string(getpid()));
        fs::create_directories(root_);
    }
    void TearDown() override { fs::remove_all(root_); }

    Result<ExportReport> exportTo(const fs::path& folder) {
        const std::string schedules = "match Affine_0\nvectorize y.i1\nparallel y i0\n\nmatch Relu_1 + Add_2\n\n";
        return exportModel(model_, compiled_, evaluator_, target_, folder, schedules, {true, 1});
    }
    // The inputs as files, and what the output must be.
    std::vector<float> writeInputs(const fs::path& folder) {
        std::vector<float> a(1000), b(1000), y(1000);
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = std::sin(static_cast<float>(i));
            b[i] = static_cast<float>(i % 3) - 1;
            y[i] = std::max(2 * a[i] + b[i], 0.0f) + 0.5f;
        }
        writeText(folder / "a.bin", {reinterpret_cast<const char*>(a.data()), 4000});
        writeText(folder / "b.bin", {reinterpret_cast<const char*>(b.data()), 4000});
        return y;
    }
    fs::path root_;
    OpenedModel model_ = toy::opened();
    CompiledModel compiled_ = toy::compiled();
    toy::RunnerOnly evaluator_;
    target::Target target_ = target::detectHost();
};

TEST_F(Export, HoldsAManifestThatIsTrue) {
    const fs::path folder = root_ / "out";
    const auto report = exportTo(folder);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->files, (std::vector<std::string>{"model.so", "model.h", "example.c", "model.json"}));
    EXPECT_TRUE(report->verification.ok);
    const auto json = nlohmann::json::parse(readText(folder / "model.json"));
    EXPECT_EQ(json["model"]["symbol"], "toy");
    EXPECT_EQ(json["target"]["triple"], target_.triple);
    EXPECT_EQ(json["inputs"][1]["name"], "b");
    EXPECT_EQ(json["inputs"][1]["shape"], (std::vector<int>{4, 250}));
    EXPECT_EQ(json["operators"][0]["schedule"], "vectorize y.i1\nparallel y i0\n");
    EXPECT_EQ(json["operators"][1]["schedule"], "");
    EXPECT_GT(json["latency"]["minUs"], 0.1);
    EXPECT_LE(json["verification"]["outputs"][0]["maxRelError"], 1e-4);
    for (const char* name : {"model.so", "model.h", "example.c"}) {
        const std::string text = readText(folder / name);
        EXPECT_EQ(json["files"][name]["bytes"], text.size());
        EXPECT_EQ(json["files"][name]["sha256"],
                  sha256Hex({reinterpret_cast<const std::byte*>(text.data()), text.size()}));
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);  // no temporary left
}

TEST_F(Export, ExampleCompilesAndComputes) {
    ASSERT_TRUE(exportTo(root_));
    const std::vector<float> expected = writeInputs(root_);
    const std::string in = "cd " + root_.string() + " && ";
    const Ran compiled = shell(in + "cc -std=c99 -pedantic -Wall -Wextra -Werror example.c -ldl -o example");
    ASSERT_EQ(compiled.code, 0) << compiled.output;
    const Ran ran = shell(in + "./example -t 2 -n 5 -o result a.bin b.bin");
    ASSERT_EQ(ran.code, 0) << ran.output;
    EXPECT_NE(ran.output.find("output y [4,250]: "), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("us (shortest of 5, 2 threads)"), std::string::npos) << ran.output;
    const std::string bytes = readText(root_ / "result0.bin");
    ASSERT_EQ(bytes.size(), 4000u);
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(reinterpret_cast<const float*>(bytes.data())[i], expected[i], 1e-6) << i;
    EXPECT_EQ(shell(in + "./example").code, 0);
    const Ran missing = shell(in + "./example nothing.bin");
    EXPECT_EQ(missing.code, 1);
    EXPECT_EQ(missing.output, "example: nothing.bin: cannot open it\n");
    writeText(root_ / "short.bin", "123");
    EXPECT_EQ(shell(in + "./example short.bin").output, "example: short.bin: its size is not the tensor's\n");
}

TEST_F(Export, HeaderStandsAloneInCAndCpp) {
    ASSERT_TRUE(exportTo(root_));
    writeText(root_ / "use.c",
              "#include \"model.h\"\n#include \"model.h\"\nint main(void) {\n"
              "    return fettle_toy_query(FETTLE_ABI_MAJOR)->output_count == 1 ? 0 : 1;\n}\n");
    fs::copy(root_ / "use.c", root_ / "use.cpp");
    const std::string in = "cd " + root_.string() + " && ";
    for (const char* compiler : {"cc -std=c99 -pedantic use.c", "c++ -std=c++11 -pedantic use.cpp"}) {
        const Ran ran = shell(in + compiler + " -Wall -Wextra -Werror ./model.so -o use && ./use");
        EXPECT_EQ(ran.code, 0) << compiler << ": " << ran.output;
    }
}

// The script of docs/deploy.md, as it stands there.
TEST_F(Export, RunsFromPythonWithoutNumpy) {
    ASSERT_TRUE(exportTo(root_));
    const std::vector<float> expected = writeInputs(root_);
    const std::string page = readText(fs::path(FETTLE_SOURCE_DIR) / "docs/deploy.md");
    const size_t from = page.find("```python\n");
    ASSERT_NE(from, std::string::npos);
    const size_t begin = from + 10, end = page.find("```", begin);
    writeText(root_ / "run.py", page.substr(begin, end - begin));
    const Ran ran = shell("cd " + root_.string() + " && /usr/bin/python3 run.py a.bin b.bin");
    ASSERT_EQ(ran.code, 0) << ran.output;
    float first = 0;
    ASSERT_EQ(std::sscanf(ran.output.c_str(), "code 0\n[%f", &first), 1) << ran.output;
    EXPECT_NEAR(first, expected[0], 1e-6);
}

TEST_F(Export, WritesOverAnEarlierExportAndKeepsOtherFiles) {
    ASSERT_TRUE(exportTo(root_ / "out"));
    writeText(root_ / "out/notes.txt", "mine");
    writeText(root_ / "out/model.h", "old");
    ASSERT_TRUE(exportTo(root_ / "out/"));
    EXPECT_EQ(readText(root_ / "out/notes.txt"), "mine");
    EXPECT_NE(readText(root_ / "out/model.h"), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(Export, AWrongModelIsNotWritten) {
    model_.original.values[7].constant = toy::scalar(0.75f);  // the reference now differs
    const auto report = exportTo(root_ / "out");
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().what, "the compiled model is wrong");
    EXPECT_EQ(report.error().where, "toy, output y");
    EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(Export, NamesAPlaceThatCannotBe) {
    writeText(root_ / "file", "");
    const auto onFile = exportTo(root_ / "file");
    ASSERT_FALSE(onFile);
    EXPECT_EQ(onFile.error().why, "there is a file of that name");
    const auto below = exportTo(root_ / "file/deeper");
    ASSERT_FALSE(below);
    EXPECT_EQ(below.error().what, "cannot export the model");
    EXPECT_EQ(below.error().why, "Not a directory");
    const auto nowhere = exportTo({});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().why, "the name of the folder is empty");
    EXPECT_EQ(readText(root_ / "file"), "");
}

TEST_F(Export, NamesOfTensorsCannotLeaveTheirComment) {
    compiled_.plan.inputs[0].name = "*/ int x; /*\n#error \\";
    const std::string header = modelHeader(compiled_.plan, target_);
    EXPECT_EQ(header.find("*/ int x"), std::string::npos);
    EXPECT_EQ(header.find("\n#error"), std::string::npos);
}

TEST(SplitSchedules, KeepsOrderAndEmptyOnes) {
    const auto schedules = splitSchedules("junk\nmatch a\nx\ny\n\nmatch b\n");
    ASSERT_EQ(schedules.size(), 2u);
    EXPECT_EQ(schedules[0], (std::pair<std::string, std::string>{"a", "x\ny\n"}));
    EXPECT_EQ(schedules[1].second, "");
}

}  // namespace
}  // namespace fettle::compile
