// SPDX-License-Identifier: GPL-3.0-or-later
// Whole models on the reference, against the outputs that ONNX Runtime computed.
#include <cstdlib>

#include "tests/onnx/model_case.h"
#include "tests/onnx/shared.h"

namespace fettle {
namespace {

namespace fs = std::filesystem;

struct Case {
    const char* path;   // below shared/models
    bool slow = false;  // only with FETTLE_SLOW_TESTS set
    double tolerance = 1e-4;
};

void PrintTo(const Case& model, std::ostream* out) {
    *out << model.path;
}

class WholeModel : public testing::TestWithParam<Case> {};

TEST_P(WholeModel, MatchesItsExpectedOutputs) {
    const fs::path folder = test::sharedModels() / GetParam().path;
    if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
    if (GetParam().slow && !std::getenv("FETTLE_SLOW_TESTS")) GTEST_SKIP() << "slow: set FETTLE_SLOW_TESTS to run it";
    test::TemporaryFolder temporary;
    fs::path file = folder / "model.onnx";
    if (!fs::exists(file)) {
        file = temporary.path() / "model.onnx";
        const std::string unpack = "/usr/bin/python3 -B '" + (test::sharedModels() / "light.py").string() +
                                   "' unpack '" + (folder / "light.onnx").string() + "' '" + file.string() + "'";
        if (std::system(unpack.c_str()) != 0)
            GTEST_SKIP() << "cannot unpack: python3-onnx and python3-numpy are needed";
    }
    const auto run = test::runCase(file, folder / "test_data_set_0");
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_FALSE(run->outputs.empty());
    for (size_t i = 0; i < run->outputs.size(); ++i) {
        EXPECT_EQ(typeText(run->outputs[i].type), typeText(run->expected[i].type));
        const graph::Difference difference = compareTensors(run->outputs[i], run->expected[i]);
        EXPECT_FALSE(difference.finiteMismatch) << "output " << i;
        EXPECT_LE(difference.maxRel, GetParam().tolerance) << "output " << i << " at " << difference.at;
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, WholeModel,
                         testing::Values(Case{"sample/digits_mobilenet"}, Case{"real/mnist_cntk"},
                                         Case{"real/mnist_cnn_torch11"}, Case{"real/mnist_mlp"},
                                         Case{"real/ultraface_slim320"}, Case{"real/superres_core"},
                                         Case{"real/policy_go1"}, Case{"real/fastestdet"}, Case{"real/keras_mlp"},
                                         Case{"arch/squeezenet1_1"}, Case{"arch/mobilenet_v2"}, Case{"arch/resnet18"},
                                         Case{"arch/vgg11_bn_slim"}, Case{"arch/unet_small"}, Case{"arch/mlp_mixer"},
                                         Case{"arch/bert_tiny_fixed"}, Case{"arch/vit_tiny4_op13"}),
                         [](const testing::TestParamInfo<Case>& info) {
                             std::string name = fs::path(info.param.path).filename().string();
                             return name;
                         });

}  // namespace
}  // namespace fettle
