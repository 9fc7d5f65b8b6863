// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's own node tests (Debian's libonnx-testdata, ONNX 1.12) for every operator that we have.
#include <iostream>
#include <set>

#include "tests/onnx/model_case.h"
#include "tests/onnx/shared.h"

namespace fettle {
namespace {

namespace fs = std::filesystem;

// Their data files say uint16 where the models say bfloat16.
const std::set<std::string> kLeftOut = {
    "test_cast_BFLOAT16_to_FLOAT",     "test_cast_FLOAT_to_BFLOAT16",
    "test_castlike_BFLOAT16_to_FLOAT", "test_castlike_BFLOAT16_to_FLOAT_expanded",
    "test_castlike_FLOAT_to_BFLOAT16", "test_castlike_FLOAT_to_BFLOAT16_expanded",
};

TEST(Conformance, NodeTestsOfEveryOperatorThatWeHave) {
    const fs::path root = "/usr/share/libonnx-testdata/data/node";
    if (!fs::exists(root)) GTEST_SKIP() << "no " << root << ": install libonnx-testdata";
    int right = 0, unsupported = 0, older = 0;
    std::set<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(root)) folders.insert(entry.path());
    for (const fs::path& folder : folders) {
        const std::string name = folder.filename().string();
        if (kLeftOut.count(name) || !fs::exists(folder / "model.onnx")) continue;
        const auto run = test::runCase(folder / "model.onnx", folder / "test_data_set_0");
        if (!run && run.error().code == ErrorCode::UnsupportedOperators) {
            ++unsupported;
            continue;
        }
        if (!run && run.error().why.find("the supported range is 7 to 27") != std::string::npos) {
            ++older;
            continue;
        }
        if (!run) {
            ADD_FAILURE() << name << ": " << run.error().message();
            continue;
        }
        bool good = true;
        for (size_t i = 0; i < run->outputs.size(); ++i) {
            const graph::Difference difference = compareTensors(run->outputs[i], run->expected[i]);
            const double tolerance = run->expected[i].type.dtype == graph::DType::Float16 ? 2e-3 : 1e-5;
            good &= run->outputs[i].type == run->expected[i].type && !difference.finiteMismatch &&
                    difference.maxRel <= tolerance;
            if (!good)
                ADD_FAILURE() << name << ", output " << i << ": " << typeText(run->outputs[i].type) << " for "
                              << typeText(run->expected[i].type) << ", off by " << difference.maxAbs << " at "
                              << difference.at;
        }
        right += good;
    }
    std::cout << right << " node tests right, " << unsupported << " with operators that are not supported, " << older
              << " below opset 7\n";
    EXPECT_GE(right, 529);
}

}  // namespace
}  // namespace fettle
