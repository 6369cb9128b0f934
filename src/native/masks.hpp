// Which of 64 characters pass a test, as bits: what is rare is then found without reading the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearcopy {

constexpr size_t kBlock = 64;

inline unsigned lowest_bit(uint64_t bits) { return unsigned(__builtin_ctzll(bits)); }

inline unsigned bit_count(uint64_t bits) { return unsigned(__builtin_popcountll(bits)); }

// Bit i says whether block[i] passes; a loop that compilers vectorise, then eight flags a time.
template <class Char, class Test>
uint64_t passing(const Char* block, Test test) {
    uint8_t flags[kBlock];
    for (size_t i = 0; i < kBlock; ++i) flags[i] = test(block[i]);
    uint64_t bits = 0;
    for (size_t i = 0; i < kBlock; i += 8) {
        uint64_t eight;
        std::memcpy(&eight, flags + i, 8);
        bits |= eight * 0x0102040810204080u >> 56 << i;
    }
    return bits;
}

// The block at `at`, at the end of the text filled up with spaces in `spare`.
template <class Char>
const Char* block_at(const Char* text, size_t at, size_t size, Char (&spare)[kBlock]) {
    if (size - at >= kBlock) return text + at;
    std::fill(std::copy(text + at, text + size, spare), spare + kBlock, Char(' '));
    return spare;
}

}  // namespace nearcopy
