// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "app/cli/command.h"

namespace fettle::cli {

void Dims::declare(CLI::App& app) {
    app.add_option("--dim", texts_, "Bind a dynamic dimension: NAME=N (repeatable)")->allow_extra_args(false);
}

Result<std::map<std::string, int64_t>> Dims::parsed() const {
    std::map<std::string, int64_t> dims;
    for (const std::string& text : texts_) {
        const size_t at = text.rfind('=');
        char* end = nullptr;
        const long long value = at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + 1, &end, 10);
        if (at == std::string::npos || at == 0 || value <= 0 || *end != '\0')
            return fail(ErrorCode::Usage, "cannot read the option", "--dim " + text, "it is not NAME=N with N above 0",
                        "Write for example --dim batch=1.");
        dims[text.substr(0, at)] = value;
    }
    return dims;
}

namespace {

CLI::Validator numberThat(const char* must, bool (*holds)(double)) {
    return CLI::Validator(
        [=](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool isNumber = end != text.c_str() && *end == '\0' && std::isfinite(value);
            return isNumber && holds(value) ? std::string() : "it must be a number " + std::string(must);
        },
        "NUMBER");
}

}  // namespace

CLI::Validator positive() {
    return numberThat("above 0", [](double value) { return value > 0; });
}

CLI::Validator notNegative() {
    return numberThat("of 0 or more", [](double value) { return value >= 0; });
}

void printJson(const nlohmann::json& value) {
    std::cout << value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

void printWarning(const Error& error) {
    std::cerr << "fettle: " << (error.what == "note" ? "note: " + error.why : "warning: " + error.message()) << "\n";
}

void printError(const Error& error) {
    std::cerr << "fettle: error: " << error.message() << "\n";
}

bool isSession(const std::string& file) {
    return std::filesystem::path(file).extension() == ".fettle";
}

bool isSharedObject(const std::string& file) {
    return std::filesystem::path(file).extension() == ".so";
}

Result<std::unique_ptr<session::TuningSession>> openToLook(const std::string& file) {
    session::OpenOptions options;
    options.readOnly = true;
    return session::TuningSession::open(file, options);
}

void drainWarnings(session::TuningSession& session) {
    for (const session::Event& event : session.poll())
        if (const auto* warning = std::get_if<session::Warning>(&event)) printWarning(warning->error);
}

Result<Built> buildFrom(const std::string& file, const std::map<std::string, int64_t>& dims, int threads) {
    session::OpenOptions options;
    options.readOnly = true;
    options.newSession = true;  // a model stands for itself, not for a session found beside it
    options.dims = dims;
    if (isSession(file) && !dims.empty())
        return fail(ErrorCode::Usage, "cannot bind dimensions", file, "a session has its dimensions already",
                    "Leave --dim out, or name the model.");
    Built built;
    FETTLE_TRY(built.session, session::TuningSession::open(file, options));
    drainWarnings(*built.session);
    FETTLE_TRY(built.compiled, built.session->compileNow(isSession(file), threads));
    FETTLE_TRY(built.evaluator, built.session->evaluator());
    return built;
}

namespace {

// Code points, near enough to columns for names of operators.
size_t width(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string textTable(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
    std::vector<size_t> widths(right.size(), 0);
    for (const auto& row : rows)
        for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (size_t k = 0; k < row.size(); ++k) {
            const std::string space(widths[k] - width(row[k]), ' ');
            line += (k ? "  " : "") + (right[k] ? space + row[k] : row[k] + space);
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

std::string csvLine(const std::vector<std::string>& cells) {
    std::string out;
    for (size_t k = 0; k < cells.size(); ++k) {
        std::string cell = cells[k];
        if (cell.find_first_of(",\"\n\r") != std::string::npos) {
            for (size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2) cell.insert(at, 1, '"');
            cell = '"' + cell + '"';
        }
        out += (k ? "," : "") + cell;
    }
    return out + "\n";
}

}  // namespace fettle::cli
