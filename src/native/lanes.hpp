// The hot loops, compiled once per instruction-set level and dispatched at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fold.hpp"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the kernels read words as little-endian bytes; build without them on this machine"
#endif

namespace nearcopy {

constexpr size_t kSlots = 128;  // of a MinHash signature
constexpr unsigned kRounds = 4;
constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

// The 128 classic functions h -> (multiplier * h + addend) >> 32, the same on every machine.
struct Permutations {
    uint64_t multiplier[kSlots];
    uint64_t addend[kSlots];
};
const Permutations& permutations();

uint64_t murmur_long(const uint8_t* word, size_t size);  // words over 15 bytes, out of line

// Bit masks of the classes of 64 characters; the last block of a text is padded with spaces.
struct CharacterBits {
    uint64_t small, capital, digit;  // of ASCII
    uint64_t sign;                   // `_`, `(` or a backtick
    uint64_t non_ascii;              // U+0080 and above
    uint64_t line_break;             // where a line ends
};

struct Lanes {
    const char* name;

    // Folds a piece of text into words; there is room for kBytesPerPoint and kWordsPerPoint.
    void (*fold8)(WordSink& sink, const uint8_t* text, size_t size);
    void (*fold16)(WordSink& sink, const uint16_t* text, size_t size);
    void (*fold32)(WordSink& sink, const uint32_t* text, size_t size);

    // The bit masks of a text, per block of 64 characters.
    void (*bits8)(const uint8_t* text, size_t size, CharacterBits* out);
    void (*bits16)(const uint16_t* text, size_t size, CharacterBits* out);
    void (*bits32)(const uint32_t* text, size_t size, CharacterBits* out);

    // MurmurHash3 of words separated by a space, the first at `start`, and unless `prefixes` is
    // null, that of their first `prefix` bytes, at most 8.
    void (*murmur_words)(const uint8_t* text, uint32_t start, const uint32_t* ends, size_t count,
                         uint64_t* out, uint32_t prefix, uint64_t* prefixes);

    // Replaces word hashes by hashes of shingles of `size` words; count >= size >= 2.
    void (*shingle)(uint64_t* hashes, size_t count, size_t size);

    // For every bit, the number of features that have it set: the votes of SimHash.
    void (*votes)(const uint64_t* features, size_t count, uint64_t ones[64]);

    void (*one_permutation)(const uint64_t* features, size_t count, uint32_t signature[kSlots]);
    void (*classic)(const uint64_t* features, size_t count, uint32_t signature[kSlots]);
};

const Lanes& lanes();                     // the best of this processor, or that of use_lanes
const char* use_lanes(const char* name);  // "baseline", "avx2", "avx512"; returns the level in use

}  // namespace nearcopy
