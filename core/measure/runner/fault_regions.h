// SPDX-License-Identifier: GPL-3.0-or-later
// The table that the fault report looks addresses up in. A fixed array: a signal handler reads it.
#pragma once

#include <cstddef>

namespace fettle::measure::runner {

// Returns its number, or -1 when the table is full (the report then knows the address only).
int addFaultRegion(const char* name, const std::byte* mapping, size_t mappingBytes, const std::byte* data,
                   size_t bytes);
void setFaultRegionReadOnly(int region);
void removeFaultRegion(int region);

}  // namespace fettle::measure::runner
