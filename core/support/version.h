// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fettle {

const char* version();  // "0.1.0": the project's version in CMakeLists.txt, the only place that says it

}  // namespace fettle
