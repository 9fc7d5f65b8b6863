// SPDX-License-Identifier: GPL-3.0-or-later
// Any text is a target or an error with a next step; a found target is found again by its own name.
#include <cstdlib>

#include "core/target/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    auto target = fettle::target::findTarget(text);
    if (!target) return target.error().what.empty() ? abort(), 0 : 0;
    auto again = fettle::target::findTarget(target->name);
    if (!again || *again != *target) abort();
    return 0;
}
