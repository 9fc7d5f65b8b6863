// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/error.h"

namespace fettle {

std::string Error::message() const {
    std::string text = what;
    if (!where.empty()) text += " (" + where + ")";
    if (!why.empty()) text += ": " + why;
    if (!text.empty() && text.back() != '.') text += '.';
    if (!next.empty()) text += " " + next;
    return text;
}

}  // namespace fettle
