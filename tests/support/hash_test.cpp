// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/hash.h"

#include <set>

#include <gtest/gtest.h>

namespace fettle {
namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text));
}

TEST(Hash, Crc32cMatchesRfc3720Examples) {
    EXPECT_EQ(crc32c(bytesOf("123456789")), 0xe3069283u);
    EXPECT_EQ(crc32c(bytesOf(std::string(32, '\0'))), 0x8a9136aau);
    EXPECT_EQ(crc32c(bytesOf(std::string(32, '\xff'))), 0x62a8ab43u);
    EXPECT_EQ(crc32c({}), 0u);
}

TEST(Hash, Crc32cCanBeContinued) {
    EXPECT_EQ(crc32c(bytesOf("56789"), crc32c(bytesOf("1234"))), crc32c(bytesOf("123456789")));
}

TEST(Hash, Sha256MatchesFipsExamples) {
    EXPECT_EQ(sha256Hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256Hex(bytesOf("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256Hex(bytesOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256Hex(bytesOf(std::string(1000000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, Hash64IsFixedForever) {
    // FNV-1a of "" is the offset basis, finished by splitmix64: computed apart, from the published definitions.
    EXPECT_EQ(hash64(""), 0xf52a15e9a9b5e89bULL);
    EXPECT_EQ(hash64("a"), 0x02c0bdbf481420f8ULL);
    EXPECT_EQ(hash64("conv"), 0xb86f3052bb801332ULL);
    std::set<uint64_t> seen;
    for (int i = 0; i < 10000; ++i) seen.insert(hash64("k" + std::to_string(i)));
    EXPECT_EQ(seen.size(), 10000u);
}

}  // namespace
}  // namespace fettle
