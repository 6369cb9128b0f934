// Bit masks of 64 characters: rare characters are located without scanning the text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearcopy {

constexpr size_t kBlock = 64;

inline unsigned lowest_bit(uint64_t bits) { return unsigned(__builtin_ctzll(bits)); }

inline unsigned leading_zeros(uint64_t bits) { return unsigned(__builtin_clzll(bits)); }

// Inline: without a popcount instruction, the compiler's builtin is a call.
inline unsigned bit_count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return unsigned(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

}  // namespace nearcopy
