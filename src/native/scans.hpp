// Linear scans over packed words, dispatched at run time by CPU features.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearcopy {

struct Scans {
    // Copies the entries with the tag, those where (entry ^ tag) <= mask, from ascending lines of
    // 8, up to a line that ends in 0 or a greater entry; returns the count. Writes at most 8 more.
    std::size_t (*tagged)(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                          std::uint64_t* matches);
    // The number of the n lanes that are equal in both signatures.
    unsigned (*equal_lanes)(const std::uint32_t* a, const std::uint32_t* b, std::size_t n);
};

// The scans of the current level: the best of the CPU, unless set otherwise.
const Scans& scans();

// 0 baseline, 1 AVX2, 2 AVX-512; more than the CPU has is clamped to what it has.
void set_scan_level(int level);
int scan_level();

inline unsigned popcount64(std::uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return static_cast<unsigned>(__builtin_popcountll(x));
#else
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return static_cast<unsigned>((x * 0x0101010101010101u) >> 56);
#endif
}

}  // namespace nearcopy
