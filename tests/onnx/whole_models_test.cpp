// SPDX-License-Identifier: GPL-3.0-or-later
// Whole models on the reference, against the outputs that ONNX Runtime computed.
#include <cstdlib>

#include "core/onnx/import.h"
#include "core/ops/op.h"
#include "tests/onnx/shared.h"

namespace fettle {
namespace {

namespace fs = std::filesystem;

struct Case {
    const char* path;   // below shared/models
    bool slow = false;  // only with FETTLE_SLOW_TESTS set
    double tolerance = 1e-4;
};

void PrintTo(const Case& model, std::ostream* out) { *out << model.path; }

class WholeModel : public testing::TestWithParam<Case> {};

TEST_P(WholeModel, MatchesItsExpectedOutputs) {
    const fs::path folder = test::sharedModels() / GetParam().path;
    if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
    if (GetParam().slow && !std::getenv("FETTLE_SLOW_TESTS")) GTEST_SKIP() << "slow: set FETTLE_SLOW_TESTS to run it";
    test::TemporaryFolder temporary;
    fs::path file = folder / "model.onnx";
    if (!fs::exists(file)) {
        file = temporary.path() / "model.onnx";
        const std::string unpack = "/usr/bin/python3 -B '" + (test::sharedModels() / "light.py").string() + "' unpack '" +
                                   (folder / "light.onnx").string() + "' '" + file.string() + "'";
        if (std::system(unpack.c_str()) != 0) GTEST_SKIP() << "cannot unpack: python3-onnx and python3-numpy are needed";
    }
    // dynamic dimensions are bound by the shapes of the test inputs
    onnx::ImportOptions options;
    auto imported = onnx::importModel(file, options);
    ASSERT_TRUE(imported) << imported.error().message();
    std::vector<graph::Tensor> inputs;
    for (size_t i = 0; i < imported->graph.inputs.size(); ++i) {
        auto tensor = onnx::readTensorFile(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
        ASSERT_TRUE(tensor) << tensor.error().message();
        inputs.push_back(*tensor);
        for (const onnx::DynamicDim& dim : imported->dynamicDims)
            for (const std::string& use : dim.uses) {
                const std::string prefix = imported->graph.values[imported->graph.inputs[i]].name + " axis ";
                if (use.rfind(prefix, 0) == 0) options.dims[dim.name] = tensor->type.shape[std::stoul(use.substr(prefix.size()))];
            }
    }
    if (!options.dims.empty()) imported = onnx::importModel(file, options);
    ASSERT_TRUE(imported) << imported.error().message();
    for (const graph::Value& value : imported->graph.values) ASSERT_NE(value.type.dtype, graph::DType::Undefined) << value.name;
    const auto outputs = ops::evaluateGraph(imported->graph, inputs);
    ASSERT_TRUE(outputs) << outputs.error().message();
    for (size_t i = 0; i < outputs->size(); ++i) {
        const auto expected = onnx::readTensorFile(folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb"));
        ASSERT_TRUE(expected) << expected.error().message();
        EXPECT_EQ(typeText((*outputs)[i].type), typeText(expected->type));
        const graph::Difference difference = compareTensors((*outputs)[i], *expected);
        EXPECT_FALSE(difference.finiteMismatch) << "output " << i;
        EXPECT_LE(difference.maxRel, GetParam().tolerance) << "output " << i << " at " << difference.at;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shared, WholeModel,
    testing::Values(Case{"sample/digits_mobilenet"}, Case{"real/mnist_cntk"}, Case{"real/mnist_cnn_torch11"}, Case{"real/mnist_mlp"},
                    Case{"real/ultraface_slim320"}, Case{"real/superres_core"}, Case{"real/policy_go1"}, Case{"real/fastestdet"},
                    Case{"real/keras_mlp"}, Case{"arch/squeezenet1_1"}, Case{"arch/mobilenet_v2"}, Case{"arch/resnet18"},
                    Case{"arch/vgg11_bn_slim"}, Case{"arch/unet_small"}, Case{"arch/mlp_mixer"}, Case{"arch/bert_tiny_fixed"},
                    Case{"arch/vit_tiny4_op13"}),
    [](const testing::TestParamInfo<Case>& info) {
        std::string name = fs::path(info.param.path).filename().string();
        return name;
    });

}  // namespace
}  // namespace fettle
