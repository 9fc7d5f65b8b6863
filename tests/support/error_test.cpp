// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/error.h"

#include <gtest/gtest.h>

namespace fettle {
namespace {

TEST(Error, MessageIsWhatWhereWhyNext) {
    Error error{ErrorCode::BadModel, "cannot open model.onnx", "byte 132", "the file ends early", "Export it again."};
    EXPECT_EQ(error.message(), "cannot open model.onnx (byte 132): the file ends early. Export it again.");
    EXPECT_EQ((Error{ErrorCode::Failed, "it broke", "", "", ""}).message(), "it broke.");
}

Result<int> half(int number) {
    if (number % 2) return fail(ErrorCode::Usage, "cannot halve " + std::to_string(number), "", "it is odd");
    return number / 2;
}
Result<int> quarter(int number) {
    FETTLE_TRY(int once, half(number));
    FETTLE_CHECK(half(once));
    return half(once);
}

TEST(Error, TryAndCheckHandErrorsOn) {
    EXPECT_EQ(quarter(12).value(), 3);
    EXPECT_EQ(quarter(3).error().what, "cannot halve 3");
    EXPECT_EQ(quarter(6).error().what, "cannot halve 3");
    EXPECT_EQ(quarter(6).error().code, ErrorCode::Usage);
}

}  // namespace
}  // namespace fettle
