// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a program and reads what it prints. Used by the tests that go through fettle-cli and through plain cc.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fettle::test {

struct Finished {
    int code = -1;  // of exit(); 128 + n after signal n
    std::string out, err;
};

struct HowToRun {
    std::vector<std::pair<std::string, std::string>> environment;  // beside the one of the test
    bool asNobody = false;                                         // without root's right to write anywhere
};

class Program {
public:
    explicit Program(const std::vector<std::string>& command, const HowToRun& how = {});
    ~Program();  // kills it when it still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // Blocks until standard error holds `text`; false when the program ends or `seconds` pass without it.
    bool waitForError(const std::string& text, double seconds = 60);
    void signal(int number);
    Finished finish(double seconds = 120);  // kills it after that time: code 137

private:
    bool pump(double seconds);  // reads what is there; false at the end of both pipes or out of time

    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    Finished result_;
};

Finished run(const std::vector<std::string>& command, const HowToRun& how = {});

// The little-endian floats at the end of a stored tensor (TensorProto.raw_data is its last field here).
std::vector<float> lastFloats(const std::filesystem::path& file, size_t count);
size_t argmax(const std::vector<float>& values);
double maxAbsDifference(const std::vector<float>& a, const std::vector<float>& b);  // infinity when sizes differ

// Compiles FOLDER/example.c with plain cc, runs it on the sample's stored image; the ten probabilities it gives.
std::vector<float> runExample(const std::filesystem::path& folder, const std::filesystem::path& scratch);

std::filesystem::path sampleFolder();  // resources/sample/digits_mobilenet

}  // namespace fettle::test
