// Bit masks of character classes, 64 characters at a time. Part of lanes.cpp, compiled once per
// level: see the rule at its top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "lanes.hpp"

namespace nearcopy {
namespace {

// Characters as bytes, those over 255 as 255: they need no distinction in these masks.
#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)

inline __m512i narrowed(const uint8_t* text) { return _mm512_loadu_si512(text); }

inline __m512i narrowed(const uint16_t* text) {
    __m256i low = _mm512_cvtusepi16_epi8(_mm512_loadu_si512(text));
    __m256i high = _mm512_cvtusepi16_epi8(_mm512_loadu_si512(text + 32));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

inline __m512i narrowed(const uint32_t* text) {
    __m512i all = _mm512_castsi128_si512(_mm512_cvtusepi32_epi8(_mm512_loadu_si512(text)));
    all = _mm512_inserti32x4(all, _mm512_cvtusepi32_epi8(_mm512_loadu_si512(text + 16)), 1);
    all = _mm512_inserti32x4(all, _mm512_cvtusepi32_epi8(_mm512_loadu_si512(text + 32)), 2);
    return _mm512_inserti32x4(all, _mm512_cvtusepi32_epi8(_mm512_loadu_si512(text + 48)), 3);
}

inline __mmask64 in_range(__m512i c, uint8_t first, uint8_t count) {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(c, _mm512_set1_epi8(char(first))),
                                  _mm512_set1_epi8(char(count)));
}

inline __mmask64 equal(__m512i c, uint8_t wanted) {
    return _mm512_cmpeq_epi8_mask(c, _mm512_set1_epi8(char(wanted)));
}

template <class Char>
inline CharacterBits bits_of(const Char* text) {
    __m512i c = narrowed(text);
    return {in_range(c, 'a', 26), in_range(c, 'A', 26), in_range(c, '0', 10),
            equal(c, '_') | equal(c, '(') | equal(c, '`'), _mm512_movepi8_mask(c),
            equal(c, '\n')};
}

#else

inline void narrow_to(const uint8_t* text, uint8_t* bytes) { std::memcpy(bytes, text, 64); }

template <class Char>
inline void narrow_to(const Char* text, uint8_t* bytes) {
    for (unsigned i = 0; i < 64; ++i) bytes[i] = uint8_t(text[i] < 255 ? text[i] : 255);
}

#if defined(__AVX2__)

typedef __m256i Vector;
inline Vector load_vector(const uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
inline uint64_t movemask(Vector mask) { return uint32_t(_mm256_movemask_epi8(mask)); }
// Signed comparisons suffice: bytes above 127 are negative, below every range.
inline Vector in_range(Vector c, char first, char last) {
    return _mm256_and_si256(_mm256_cmpgt_epi8(c, _mm256_set1_epi8(char(first - 1))),
                            _mm256_cmpgt_epi8(_mm256_set1_epi8(char(last + 1)), c));
}
inline Vector either(Vector a, Vector b) { return _mm256_or_si256(a, b); }

#else

typedef uint64_t Vector;
inline Vector load_vector(const uint8_t* from) {
    uint64_t value;
    std::memcpy(&value, from, 8);
    return value;
}
inline uint64_t movemask(Vector mask) {
    return ((mask & 0x8080808080808080) >> 7) * 0x0102040810204080 >> 56;
}
inline Vector in_range(Vector c, char first, char last) {
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    const uint64_t low = c & ~tops;
    return (low + (0x80 - uint64_t(first)) * ones) & ~(low + (0x7F - uint64_t(last)) * ones) & ~c;
}
inline Vector either(Vector a, Vector b) { return a | b; }

#endif

template <class Char>
inline CharacterBits bits_of(const Char* text) {
    uint8_t bytes[64];
    narrow_to(text, bytes);
    CharacterBits bits{0, 0, 0, 0, 0, 0};
    for (unsigned at = 0; at < 64; at += sizeof(Vector)) {
        const Vector c = load_vector(bytes + at);
        bits.small |= movemask(in_range(c, 'a', 'z')) << at;
        bits.capital |= movemask(in_range(c, 'A', 'Z')) << at;
        bits.digit |= movemask(in_range(c, '0', '9')) << at;
        const Vector signs = either(either(in_range(c, '_', '_'), in_range(c, '(', '(')),
                                    in_range(c, '`', '`'));
        bits.sign |= movemask(signs) << at;
        bits.non_ascii |= movemask(c) << at;
        bits.line_break |= movemask(in_range(c, '\n', '\n')) << at;
    }
    return bits;
}

#endif

template <class Char>
inline void bits_of_all(const Char* text, size_t size, CharacterBits* out) {
    for (; size >= 64; text += 64, size -= 64) *out++ = bits_of(text);
    if (size == 0) return;
    Char padded[64];
    for (size_t i = 0; i < 64; ++i) padded[i] = i < size ? text[i] : Char(' ');
    *out = bits_of(padded);
}

void bits8(const uint8_t* text, size_t size, CharacterBits* out) { bits_of_all(text, size, out); }
void bits16(const uint16_t* text, size_t size, CharacterBits* out) { bits_of_all(text, size, out); }
void bits32(const uint32_t* text, size_t size, CharacterBits* out) { bits_of_all(text, size, out); }

}  // namespace
}  // namespace nearcopy
