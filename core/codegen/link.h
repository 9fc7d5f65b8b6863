// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: lld in this process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace fettle::codegen {

// Links object files (their bytes) into a shared object that exports just the symbols named. Symbols that stay
// undefined are an error unless `needsThreads`, which lets pthread_* be resolved at load time.
Result<std::vector<std::byte>> linkShared(std::span<const std::string_view> objects,
                                          std::span<const std::string> exports, bool needsThreads);

}  // namespace fettle::codegen
