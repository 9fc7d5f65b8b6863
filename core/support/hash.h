// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes with fixed published definitions, so that a stored value means the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fettle {

uint64_t hash64(std::string_view bytes);                               // FNV-1a 64, then a splitmix64 finish
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed = 0);  // Castagnoli, RFC 3720
std::string sha256Hex(std::span<const std::byte> bytes);               // FIPS 180-4, lower-case hex

}  // namespace fettle
