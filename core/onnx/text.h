// SPDX-License-Identifier: GPL-3.0-or-later
// Text out of a model, made fit to be shown.
#pragma once

#include <string>

namespace fettle::onnx {

bool validUtf8(const std::string& text);
// Control characters and bytes that are no UTF-8 as \xNN; cut after 200 bytes.
std::string shown(const std::string& text);

}  // namespace fettle::onnx
