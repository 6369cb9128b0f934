// Bits that stand for 64 characters: what is rare is found without reading the rest.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearcopy {

constexpr size_t kBlock = 64;

inline unsigned lowest_bit(uint64_t bits) { return unsigned(__builtin_ctzll(bits)); }

inline unsigned leading_zeros(uint64_t bits) { return unsigned(__builtin_clzll(bits)); }

inline unsigned bit_count(uint64_t bits) { return unsigned(__builtin_popcountll(bits)); }

}  // namespace nearcopy
