// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace fettle {
namespace {

constexpr std::array<uint32_t, 256> makeCrcTable() {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0u);
        table[byte] = crc;
    }
    return table;
}
constexpr auto kCrcTable = makeCrcTable();

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<uint32_t, 64> kSha = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using ShaState = std::array<uint32_t, 8>;

void shaBlock(ShaState& state, const std::byte* block) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
        w[i] = 0;
        for (int j = 0; j < 4; ++j) w[i] = w[i] << 8 | std::to_integer<uint32_t>(block[4 * i + j]);
    }
    for (int i = 16; i < 64; ++i) {
        uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int i = 0; i < 64; ++i) {
        uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha[i] + w[i];
        uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const uint32_t add[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += add[i];
}

}  // namespace

uint64_t hash64(std::string_view bytes) {
    uint64_t z = 0xcbf29ce484222325ULL;
    for (unsigned char byte : bytes) z = (z ^ byte) * 0x100000001b3ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

#if defined(__x86_64__)
namespace {

// The instruction computes this very sum, eight bytes at a time: whole models go through the pipe.
__attribute__((target("sse4.2"))) uint32_t crc32cFast(std::span<const std::byte> bytes, uint32_t seed) {
    uint64_t crc = ~seed;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    auto rest = static_cast<uint32_t>(crc);
    for (std::byte byte : bytes) rest = __builtin_ia32_crc32qi(rest, std::to_integer<uint8_t>(byte));
    return ~rest;
}

}  // namespace
#endif

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return crc32cFast(bytes, seed);
#endif
    uint32_t crc = ~seed;
    for (std::byte byte : bytes) crc = crc >> 8 ^ kCrcTable[(crc ^ std::to_integer<uint32_t>(byte)) & 0xff];
    return ~crc;
}

std::string sha256Hex(std::span<const std::byte> bytes) {
    ShaState state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t whole = bytes.size() / 64;
    for (size_t i = 0; i < whole; ++i) shaBlock(state, bytes.data() + 64 * i);

    std::array<std::byte, 128> tail{};
    size_t rest = bytes.size() - 64 * whole;
    if (rest > 0) std::memcpy(tail.data(), bytes.data() + 64 * whole, rest);
    tail[rest] = std::byte{0x80};
    size_t tailSize = rest < 56 ? 64 : 128;
    uint64_t bits = uint64_t{bytes.size()} * 8;
    for (int i = 0; i < 8; ++i) tail[tailSize - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
    for (size_t at = 0; at < tailSize; at += 64) shaBlock(state, tail.data() + at);

    std::string hex;
    for (uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 0xf];
    return hex;
}

}  // namespace fettle
