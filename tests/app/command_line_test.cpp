// SPDX-License-Identifier: GPL-3.0-or-later
// fettle-cli as a script meets it: what a senseless command line gives. One row each: arguments, exit code, message.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace fettle::cli {
namespace {

namespace fs = std::filesystem;

struct Ran {
    int code = -1;  // -1: ended by a signal
    std::string output;
};

Ran shell(const std::string& command) {
    Ran ran;
    FILE* pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        ran.output.append(buffer.data(), count);
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}

class CommandLine : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(folder_ / "export");
        std::ofstream(folder_ / "export/model.so") << "any bytes";
        std::ofstream(folder_ / "export/model.json")
            << R"({"model":{"symbol":"m"},"inputs":[{"name":"x","dtype":"float32","shape":[1,-1]}],"outputs":[]})";
    }
    void TearDown() override { fs::remove_all(folder_); }

    Ran run(const std::string& arguments) const {
        const std::string cli = std::string(FETTLE_BUILD_DIR) + "/bin/fettle-cli ";
        return shell("cd " + folder_.string() + " && timeout 60 " + cli + arguments);
    }
    const std::string model_ = std::string(FETTLE_SOURCE_DIR) + "/resources/sample/digits_mobilenet/model.onnx";
    const fs::path folder_ = fs::temp_directory_path() / ("fettle-cli-" + std::to_string(getpid()));
};

TEST_F(CommandLine, RefusesWhatMakesNoSense) {
    struct Row {
        const char* arguments;  // MODEL stands for the sample model
        int code;
        const char* message;
    };
    const Row rows[] = {
        {"tune MODEL --trials 0", 2, "--trials: it must be a number above 0."},
        {"tune MODEL --trials -1", 2, "--trials: it must be a number above 0."},
        {"tune MODEL --trials abc", 2, "--trials: it must be a number above 0."},
        {"tune MODEL --minutes nan", 2, "--minutes: it must be a number above 0."},
        {"tune MODEL --minutes inf", 2, "--minutes: it must be a number above 0."},
        {"tune MODEL --threads 0", 2, "--threads: Value 0 not in range 1 to 1024"},
        {"bench MODEL --min-time nan", 2, "--min-time: it must be a number of 0 or more."},
        {"bench MODEL --min-time -1", 2, "--min-time: it must be a number of 0 or more."},
        {"tune MODEL -o session.txt", 2, "(session.txt): its name does not end in .fettle. Name a .fettle file."},
        {"tune MODEL -o s.fettle --schedule .", 2, "cannot read the schedule script (.): it is a folder, or empty."},
        {"tune MODEL -o s.fettle --schedule no", 2, "cannot read the schedule script (no): there is no such file."},
        {"export MODEL -o ''", 1, "cannot export the model: the name of the folder is empty. Name a folder."},
        {"bench export/model.so", 3, "(export/model.json): it names a tensor whose type or shape cannot be."},
        {"inspect ''", 3, "there is no such file."},
        {"inspect .", 3, "it is a folder, not a file."},
        {"inspect MODEL --json >/dev/full", 1, "cannot write the output: the disk is full"},
    };
    for (const Row& row : rows) {
        std::string arguments = row.arguments;
        if (const size_t at = arguments.find("MODEL"); at != std::string::npos) arguments.replace(at, 5, model_);
        const Ran ran = run(arguments);
        EXPECT_EQ(ran.code, row.code) << row.arguments << "\n" << ran.output;
        EXPECT_NE(ran.output.find(row.message), std::string::npos) << row.arguments << "\n" << ran.output;
        EXPECT_LT(ran.output.size(), 400u) << row.arguments << "\n" << ran.output;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing was made";
}

TEST_F(CommandLine, WorksWithTheStandardStreamsClosed) {
    EXPECT_EQ(run("inspect " + model_ + " <&- >&-").code, 0);
}

}  // namespace
}  // namespace fettle::cli
