// SPDX-License-Identifier: GPL-3.0-or-later
// Malformed models: each must give the error that tests/data/bad/expected.tsv describes, never a crash.
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "core/onnx/import.h"
#include "core/ops/op.h"
#include "tests/onnx/shared.h"

namespace fettle {
namespace {

namespace fs = std::filesystem;

enum class Expect : uint8_t { Error, Open, Run };

struct Case {
    const char* name;
    Expect expect;
    const char* says = "";  // in the message, or in a warning
    const char* says2 = "";
};

void PrintTo(const Case& model, std::ostream* out) {
    *out << model.name;
}

const Case kCases[] = {
    {"00_ok", Expect::Run},
    {"01_empty", Expect::Error, "not an ONNX model", "empty"},
    {"02_random4k", Expect::Error, "not an ONNX model"},
    {"03_truncated", Expect::Error, "truncated"},
    {"04_no_graph", Expect::Error, "no graph"},
    {"05_no_ir_version", Expect::Error, "IR version is missing"},
    {"06_ir_9999", Expect::Error, "IR version 9999", "3 to 13"},
    {"07_no_opset", Expect::Error, "no opset import"},
    {"08_opset_9999", Expect::Error, "opset 9999", "7 to 27"},
    {"09_unknown_domain", Expect::Error, "domain", "node "},
    {"09b_unknown_op", Expect::Error, "not supported", "node "},
    {"10_cycle", Expect::Error, "cycle", "Add_0"},
    {"11_not_topological", Expect::Open, "sorted"},
    {"12_dup_output_name", Expect::Error, "'y'", "duplicate"},
    {"13_dup_initializer", Expect::Error, "'w'", "duplicate"},
    {"14_missing_initializer", Expect::Error, "missing", "node "},
    {"15_output_never_made", Expect::Error, "no node produces"},
    {"16_raw_short", Expect::Error, "needs 48 bytes", "bytes"},
    {"17_raw_long", Expect::Error, "needs 48 bytes", "bytes"},
    {"19_dim_negative", Expect::Error, "negative dimension"},
    {"20_dim_overflow", Expect::Error, "overflow"},
    {"21_huge_nodata", Expect::Error, "bytes", "0 bytes"},
    {"22_huge_input", Expect::Error, "exceeds the size limit"},
    {"23_constofshape_bomb", Expect::Error, "exceeds the size limit"},
    {"24_expand_bomb", Expect::Error, "exceeds the size limit"},
    {"25_ext_ok", Expect::Run},
    {"26_ext_dotdot", Expect::Error, "outside the model's folder"},
    {"27_ext_abs", Expect::Error, "absolute"},
    {"28_ext_nested_dotdot", Expect::Error, "outside the model's folder"},
    {"29_ext_symlink", Expect::Error, "symbolic link"},
    {"31_ext_hardlink", Expect::Error, "more than one link"},
    {"32_ext_fifo", Expect::Error, "not a regular file"},
    {"33_ext_devzero", Expect::Error, "symbolic link"},
    {"34_ext_offset_past_end", Expect::Error, "offset", "length"},
    {"35_ext_neg_len", Expect::Error, "negative length"},
    {"36_ext_len_overflow", Expect::Error, "offset and length overflow"},
    {"37_ext_missing", Expect::Error, "no such file"},
    {"38b_ext_empty_loc", Expect::Error, "empty location"},
    {"39_ext_backslash", Expect::Error, "outside the model's folder"},
    {"40_dtype_999", Expect::Error, "data type 999"},
    {"41_string_raw", Expect::Error, "string tensor with raw data"},
    {"42_bad_utf8_op", Expect::Error, "operator name", "\\x"},
    {"42b_bad_utf8_name", Expect::Error, "value name", "\\xff"},
    {"43_hostile_names", Expect::Run},
    {"45_gemm_nan_alpha", Expect::Run},
    {"46_attr_wrong_type", Expect::Error, "attribute '", "node "},
    {"47_missing_attr", Expect::Error, "attribute '", "missing"},
    {"48_conv_group0", Expect::Error, "group is 0"},
    {"49_conv_stride0", Expect::Error, "strides contains 0"},
    {"50_conv_dil0", Expect::Error, "dilations contains 0"},
    {"51_conv_padneg", Expect::Error, "padded input"},
    {"52_conv_rank", Expect::Error, "rank"},
    {"53_conv_kernel_gt_in", Expect::Error, "kernel is larger than the padded input"},
    {"53b_conv_bad_autopad", Expect::Error, "auto_pad is"},
    {"54_conv_scalar_w", Expect::Error, "rank of the weight"},
    {"55_gemm_scalar", Expect::Error, "opset 6", "7 to 27"},  // the rank rule itself: tests/ops
    {"56_reshape_two_m1", Expect::Error, "two -1"},
    {"57_reshape_bad", Expect::Error, "element counts"},
    {"58_concat_axis", Expect::Error, "axis"},
    {"59_split_uneven", Expect::Error, "do not add up"},
    {"60_transpose_perm", Expect::Error, "no permutation"},
    {"61_gather_oob", Expect::Error, "index out of range"},
    {"62_slice_step0", Expect::Error, "step 0"},
    {"63_maxpool_k0", Expect::Error, "kernel_shape contains 0"},
    {"64_nest_20", Expect::Open},
    {"65_nest_3000_wire", Expect::Error, "nested too deeply"},
    {"66_claims_3GB", Expect::Error, "claims more bytes than the file has"},
    {"67_recursive_function", Expect::Error, "recursive function", "->"},
    {"69_exp_blowup", Expect::Error, "exceeds the size limit"},
    {"70_loop_forever", Expect::Open},
    {"71_zero_dim", Expect::Run},
    {"72_type_mismatch_out", Expect::Error, "declared type", "inferred type"},
    {"73_input_no_type", Expect::Error, "no type"},
    {"75_rank_300", Expect::Error, "rank 300", "limit is 32"},
    {"76_too_many_inputs", Expect::Error, "number of inputs"},
    {"77_no_inputs", Expect::Error, "number of inputs"},
    {"78_int_div0", Expect::Error, "integer division by zero"},
    {"80_sparse_bad", Expect::Error, "sparse tensor"},
    {"81_ext_in_constant_attr", Expect::Error, "outside the model's folder"},
    {"82_ext_in_subgraph", Expect::Error, "outside the model's folder"},
    {"85_ext_in_function", Expect::Error, "outside the model's folder"},
    {"87_gathernd_batch", Expect::Error, "batch_dims"},
    {"88_constofshape_novalue", Expect::Run},
    {"90_function_bomb_2e30", Expect::Error, "expansion limit"},
    {"91_slice_negstep_empty", Expect::Run},
};

// The folder that tests/data/bad/lay-out.sh makes, once: links, a pipe and an outside file that git cannot keep.
const fs::path& laidOut() {
    static test::TemporaryFolder folder;
    static const bool done = [] {
        const fs::path script = fs::path(FETTLE_SOURCE_DIR) / "tests/data/bad/lay-out.sh";
        return std::system(("sh '" + script.string() + "' '" + folder.path().string() + "'").c_str()) == 0;
    }();
    EXPECT_TRUE(done);
    return folder.path();
}

class BadModel : public testing::TestWithParam<Case> {};

TEST_P(BadModel, BehavesAsExpected) {
    const Case& expected = GetParam();
    onnx::ImportOptions options;
    // Control flow is not run yet; such models still open for inspection.
    options.allowUnsupported = expected.expect == Expect::Open;
    const fs::path file = laidOut() / "models" / (std::string(expected.name) + ".onnx");
    const auto start = std::chrono::steady_clock::now();
    const auto model = onnx::importModel(file, options);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
    if (expected.expect == Expect::Error) {
        ASSERT_FALSE(model) << "it was accepted";
        const std::string message = model.error().message();
        EXPECT_NE(message.find(expected.says), std::string::npos) << message;
        EXPECT_NE(message.find(expected.says2), std::string::npos) << message;
        EXPECT_EQ(message.find("SSSS"), std::string::npos) << "the outside file was read: " << message;
        return;
    }
    ASSERT_TRUE(model) << model.error().message();
    std::string warnings;
    for (const std::string& warning : model->warnings) warnings += warning;
    EXPECT_NE(warnings.find(expected.says), std::string::npos) << warnings;
    if (expected.expect == Expect::Open) return;
    std::vector<graph::Tensor> inputs;
    for (graph::ValueId id : model->graph.inputs) inputs.push_back(randomTensor(model->graph.values[id].type, 1));
    const auto outputs = ops::evaluateGraph(model->graph, inputs);
    ASSERT_TRUE(outputs) << outputs.error().message();
    for (size_t i = 0; i < outputs->size(); ++i)
        EXPECT_EQ((*outputs)[i].type, model->graph.values[model->graph.outputs[i]].type);
}

INSTANTIATE_TEST_SUITE_P(Data, BadModel, testing::ValuesIn(kCases), [](const testing::TestParamInfo<Case>& info) {
    return std::string("case_") + info.param.name;
});

TEST(BadModels, EveryFileHasACase) {
    for (const auto& entry : fs::directory_iterator(fs::path(FETTLE_SOURCE_DIR) / "tests/data/bad")) {
        if (entry.path().extension() != ".onnx") continue;
        bool found = false;
        for (const Case& known : kCases) found |= entry.path().stem() == known.name;
        EXPECT_TRUE(found) << entry.path();
    }
}

TEST(BadModels, AMissingFileAFolderAndAPipeAreNamed) {
    test::TemporaryFolder folder;
    const auto missing = onnx::importModel(folder.path() / "none.onnx");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::BadModel);
    EXPECT_NE(missing.error().message().find("no such file"), std::string::npos);
    const auto directory = onnx::importModel(folder.path());
    ASSERT_FALSE(directory);
    EXPECT_NE(directory.error().message().find("it is a folder"), std::string::npos);
    ASSERT_EQ(mkfifo((folder.path() / "pipe.onnx").c_str(), 0600), 0);
    const auto pipe = onnx::importModel(folder.path() / "pipe.onnx");
    ASSERT_FALSE(pipe);
    EXPECT_NE(pipe.error().message().find("not a regular file"), std::string::npos);
}

TEST(BadModels, EveryUnsupportedOperatorIsListedWithItsNode) {
    const fs::path file = test::sharedModels() / "real/sklearn_rf/model.onnx";
    if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
    const auto model = onnx::importModel(file);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::UnsupportedOperators);
    EXPECT_NE(model.error().why.find("TreeEnsembleClassifier"), std::string::npos) << model.error().why;
    EXPECT_NE(model.error().why.find("ZipMap"), std::string::npos) << model.error().why;
    onnx::ImportOptions options;
    options.allowUnsupported = true;
    const auto inspected = onnx::importModel(file, options);
    ASSERT_TRUE(inspected) << inspected.error().message();
    EXPECT_GE(inspected->unsupported.size(), 2u);
}

}  // namespace
}  // namespace fettle
