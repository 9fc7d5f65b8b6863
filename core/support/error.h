// SPDX-License-Identifier: GPL-3.0-or-later
// What a user can cause is a value: Result<T>, whose Error says what, where, why and what to do next.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace fettle {

// The classes of failure; each is also a process exit code (docs: commands).
enum class ErrorCode {
    Failed = 1,                // something went wrong, or a result was wrong
    Usage = 2,                 // the call itself was wrong
    BadModel = 3,              // not a usable model
    UnsupportedOperators = 4,  // the model is fine, but uses operators we do not have
    MissingTarget = 5,         // a target or tool is missing
    Cancelled = 130,           // stopped by the user; the session is kept
};

struct Error {
    ErrorCode code = ErrorCode::Failed;
    std::string what;   // "cannot open model.onnx"
    std::string where;  // file, node, operator, line; may be empty
    std::string why;    // "the file ends after 132 of 4096 bytes"
    std::string next;   // "Export the model again."; may be empty

    // "WHAT (WHERE): WHY. NEXT STEP", the form that the CLI prints and banners show.
    std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string where, std::string why,
                                  std::string next = {}) {
    return tl::unexpected<Error>(Error{code, std::move(what), std::move(where), std::move(why), std::move(next)});
}

}  // namespace fettle

#define FETTLE_CONCAT_(a, b) a##b
#define FETTLE_CONCAT(a, b) FETTLE_CONCAT_(a, b)

// FETTLE_TRY(auto x, expression): declares x from a Result, or returns its error.
#define FETTLE_TRY(declaration, ...)                                                                   \
    auto FETTLE_CONCAT(result_, __LINE__) = (__VA_ARGS__);                                             \
    if (!FETTLE_CONCAT(result_, __LINE__))                                                             \
        return ::tl::unexpected<::fettle::Error>(std::move(FETTLE_CONCAT(result_, __LINE__).error())); \
    declaration = std::move(*FETTLE_CONCAT(result_, __LINE__))

// FETTLE_CHECK(expression): returns the error of a Status (or of any Result whose value is not needed).
#define FETTLE_CHECK(...)                                                         \
    do {                                                                          \
        if (auto status_ = (__VA_ARGS__); !status_)                               \
            return ::tl::unexpected<::fettle::Error>(std::move(status_.error())); \
    } while (false)
