// Folding text into words, 64 characters at a time where they are plain. Part of lanes.cpp,
// compiled once per level: see the rule at its top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "fold.hpp"

namespace nearcopy {
namespace {

struct Block {
    uint64_t word;  // bit i: character i is a letter or a digit
    uint64_t odd;   // bit i: character i needs the fold table
    alignas(64) uint8_t lower[64 + 64];
};

inline void close_word(WordSink& sink) {
    sink.ends[sink.count++] = uint32_t(sink.out - sink.text);
    *sink.out++ = ' ';
}

inline unsigned first_bit(uint64_t bits) { return unsigned(__builtin_ctzll(bits)); }

// Punctuation that every English text is full of: U+2010..U+2029 (dashes, quotes, dots) and the
// no-break space, all of them separators in the table.
constexpr uint16_t kQuotesFirst = 0x2010, kQuotesCount = 0x1A, kNoBreak = 0xA0;

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)

inline void classify_bytes(__m512i c, Block& block) {
    __m512i low = _mm512_or_si512(c, _mm512_set1_epi8(0x20));
    __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(low, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    __mmask64 digit =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(c, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    block.word = letter | digit;
    _mm512_store_si512(block.lower, _mm512_mask_mov_epi8(c, letter, low));
}

inline void classify(const uint8_t* text, Block& block) {
    __m512i c = _mm512_loadu_si512(text);
    block.odd = _mm512_movepi8_mask(c);
    classify_bytes(c, block);
}

inline __m256i narrow(__m512i wide, uint32_t& odd) {
    __mmask32 ascii = _mm512_cmplt_epu16_mask(wide, _mm512_set1_epi16(0x80));
    __mmask32 plain =
        _mm512_cmplt_epu16_mask(_mm512_sub_epi16(wide, _mm512_set1_epi16(kQuotesFirst)),
                                _mm512_set1_epi16(kQuotesCount)) |
        _mm512_cmpeq_epi16_mask(wide, _mm512_set1_epi16(kNoBreak));
    odd = ~(ascii | plain);
    return _mm512_maskz_cvtepi16_epi8(ascii, wide);
}

inline void classify(const uint16_t* text, Block& block) {
    uint32_t odd_low, odd_high;
    __m256i low = narrow(_mm512_loadu_si512(text), odd_low);
    __m256i high = narrow(_mm512_loadu_si512(text + 32), odd_high);
    block.odd = uint64_t(odd_high) << 32 | odd_low;
    classify_bytes(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), block);
}

// The ends of the words, whose spaces are at the set bits of `spaces`, from the next byte on.
inline void write_ends(WordSink& sink, uint64_t spaces, size_t count) {
    __m512i iota = _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130, 0x2F2E2D2C2B2A2928,
                                    0x2726252423222120, 0x1F1E1D1C1B1A1918, 0x1716151413121110,
                                    0x0F0E0D0C0B0A0908, 0x0706050403020100);
    __m512i offsets = _mm512_maskz_compress_epi8(spaces, iota);
    __m512i base = _mm512_set1_epi32(int(sink.out - sink.text));
    __m512i first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(offsets));
    uint32_t* ends = sink.ends + sink.count;
    _mm512_storeu_si512(ends, _mm512_add_epi32(first, base));
    if (count > 16) {
        __m512i second = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(offsets, 1));
        _mm512_storeu_si512(ends + 16, _mm512_add_epi32(second, base));
    }
    sink.count += count;
}

// The words of the block, compressed by a single instruction.
inline void write_words(WordSink& sink, const Block& block, size_t size) {
    uint64_t valid = ~uint64_t(0) >> (64 - size);
    uint64_t word = block.word & valid;
    uint64_t closing = ~word & (word << 1 | uint64_t(sink.open)) & valid;
    uint64_t keep = word | closing;
    __m512i bytes =
        _mm512_mask_mov_epi8(_mm512_set1_epi8(' '), word, _mm512_load_si512(block.lower));
    _mm512_storeu_si512(sink.out, _mm512_maskz_compress_epi8(keep, bytes));

    write_ends(sink, _pext_u64(closing, keep), size_t(_mm_popcnt_u64(closing)));
    sink.out += _mm_popcnt_u64(keep);
    sink.open = sink.touching = word >> (size - 1) & 1;
}

#else

#if defined(__AVX2__)

inline void classify_bytes(const uint8_t* text, Block& block) {
    block.word = 0;
    for (int half = 0; half < 2; ++half) {
        __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text) + half);
        __m256i low = _mm256_or_si256(c, _mm256_set1_epi8(0x20));
        // Signed comparisons suffice: bytes above 127 are odd and never come here as letters.
        __m256i letter = _mm256_and_si256(_mm256_cmpgt_epi8(low, _mm256_set1_epi8('a' - 1)),
                                          _mm256_cmpgt_epi8(_mm256_set1_epi8('z' + 1), low));
        __m256i digit = _mm256_and_si256(_mm256_cmpgt_epi8(c, _mm256_set1_epi8('0' - 1)),
                                         _mm256_cmpgt_epi8(_mm256_set1_epi8('9' + 1), c));
        _mm256_store_si256(reinterpret_cast<__m256i*>(block.lower) + half,
                           _mm256_blendv_epi8(c, low, letter));
        uint32_t mask = uint32_t(_mm256_movemask_epi8(_mm256_or_si256(letter, digit)));
        block.word |= uint64_t(mask) << (32 * half);
    }
}

inline void classify(const uint8_t* text, Block& block) {
    const __m256i* wide = reinterpret_cast<const __m256i*>(text);
    uint32_t low = uint32_t(_mm256_movemask_epi8(_mm256_loadu_si256(wide)));
    uint32_t high = uint32_t(_mm256_movemask_epi8(_mm256_loadu_si256(wide + 1)));
    block.odd = uint64_t(high) << 32 | low;
    classify_bytes(text, block);
}

// ASCII is kept, plain punctuation becomes NUL; all else becomes NUL and is marked odd.
inline __m256i narrow(__m256i wide, __m256i& odd) {
    __m256i ascii = _mm256_cmpeq_epi16(_mm256_srli_epi16(wide, 7), _mm256_setzero_si256());
    __m256i shifted = _mm256_sub_epi16(wide, _mm256_set1_epi16(kQuotesFirst));
    __m256i quotes =
        _mm256_cmpeq_epi16(_mm256_min_epu16(shifted, _mm256_set1_epi16(kQuotesCount - 1)), shifted);
    __m256i plain = _mm256_or_si256(quotes, _mm256_cmpeq_epi16(wide, _mm256_set1_epi16(kNoBreak)));
    odd = _mm256_andnot_si256(_mm256_or_si256(ascii, plain), _mm256_set1_epi16(-1));
    return _mm256_and_si256(ascii, wide);
}

inline void classify(const uint16_t* text, Block& block) {
    alignas(64) uint8_t bytes[64];
    block.odd = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i* wide = reinterpret_cast<const __m256i*>(text + 32 * half);
        __m256i odd_low, odd_high;
        __m256i low = narrow(_mm256_loadu_si256(wide), odd_low);
        __m256i high = narrow(_mm256_loadu_si256(wide + 1), odd_high);
        __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8);
        __m256i odd = _mm256_permute4x64_epi64(_mm256_packs_epi16(odd_low, odd_high), 0xD8);
        _mm256_store_si256(reinterpret_cast<__m256i*>(bytes) + half, packed);
        block.odd |= uint64_t(uint32_t(_mm256_movemask_epi8(odd))) << (32 * half);
    }
    classify_bytes(bytes, block);
}

#else

// Eight bytes in a word: the top bit of each that is at least `least`, all being under 128.
inline uint64_t at_least(uint64_t bytes, uint8_t least) {
    return (bytes | 0x8080808080808080) - least * 0x0101010101010101;
}

// The top bit of each of eight bytes, side by side.
inline uint64_t top_bits(uint64_t bytes) {
    return ((bytes & 0x8080808080808080) >> 7) * 0x0102040810204080 >> 56;
}

inline void classify_bytes(const uint8_t* text, Block& block) {
    block.word = 0;
    for (unsigned eight = 0; eight < 64; eight += 8) {
        uint64_t c;
        std::memcpy(&c, text + eight, 8);
        c &= 0x7F7F7F7F7F7F7F7F;  // the word bits of odd characters are not used
        uint64_t low = c | 0x2020202020202020;
        uint64_t letter = at_least(low, 'a') & ~at_least(low, 'z' + 1) & 0x8080808080808080;
        uint64_t digit = at_least(c, '0') & ~at_least(c, '9' + 1);
        uint64_t lower = c | letter >> 2;
        std::memcpy(block.lower + eight, &lower, 8);
        block.word |= top_bits(letter | digit) << eight;
    }
}

inline void classify(const uint8_t* text, Block& block) {
    block.odd = 0;
    for (unsigned eight = 0; eight < 64; eight += 8) {
        uint64_t c;
        std::memcpy(&c, text + eight, 8);
        block.odd |= top_bits(c) << eight;
    }
    classify_bytes(text, block);
}

inline void classify(const uint16_t* text, Block& block) {
    uint8_t bytes[64], odd[64];
    for (unsigned i = 0; i < 64; ++i) {
        uint16_t c = text[i];
        bool ascii = c < 0x80;
        bool plain = uint16_t(c - kQuotesFirst) < kQuotesCount || c == kNoBreak;
        bytes[i] = ascii ? uint8_t(c) : 0;
        odd[i] = ascii || plain ? 0 : 0x80;
    }
    classify_bytes(bytes, block);
    block.odd = 0;
    for (unsigned eight = 0; eight < 64; eight += 8) {
        uint64_t c;
        std::memcpy(&c, odd + eight, 8);
        block.odd |= top_bits(c) << eight;
    }
}

#endif

inline void write_words(WordSink& sink, const Block& block, size_t size) {
    uint64_t left = block.word & (~uint64_t(0) >> (64 - size));
    if (sink.open && !(left & 1)) close_word(sink);
    bool open = false;
    while (left != 0) {
        unsigned start = first_bit(left);
        uint64_t gap = ~(left >> start);
        unsigned length = gap == 0 ? 64 : first_bit(gap);
        const uint8_t* from = block.lower + start;
        for (unsigned done = 0; done < length; done += 16)
            std::memcpy(sink.out + done, from + done, 16);
        sink.out += length;
        open = start + length == size;
        if (!open) close_word(sink);
        left = start + length >= 64 ? 0 : left >> (start + length) << (start + length);
    }
    sink.open = sink.touching = open;
}

#endif

inline uint32_t packed_entry(const uint32_t* bmp, uint32_t point) {
    return point < 0x10000 ? bmp[point] : kOdd << kPackedKindShift;
}

// A character at a time. Words and singles come in runs, so the branches are well predicted except
// where a word ends.
template <class Char>
inline void fold_scalar(WordSink& sink, const Char* text, size_t size) {
    const uint32_t* const bmp = sink.bmp;
    uint8_t* out = sink.out;
    uint32_t* ends = sink.ends + sink.count;
    uint8_t* const origin = sink.text;
    bool open = sink.open, touching = sink.touching;
    for (const Char* const end = text + size; text < end; ++text) {
        uint32_t entry = packed_entry(bmp, uint32_t(*text));
        uint32_t kind = entry >> kPackedKindShift;
        if (kind == WORD) {
            std::memcpy(out, &entry, 4);
            out += entry >> kPackedLengthShift & 3;
            open = touching = true;
            continue;
        }
        if (kind == kOdd) {
            sink.out = out;
            sink.count = size_t(ends - sink.ends);
            sink.open = open;
            sink.touching = touching;
            fold_odd(sink, uint32_t(*text));
            out = sink.out;
            ends = sink.ends + sink.count;
            open = sink.open;
            touching = sink.touching;
            continue;
        }
        if (open) {
            *ends++ = uint32_t(out - origin);
            *out++ = ' ';
            open = false;
        }
        touching = kind == SINGLE;
        if (kind == SINGLE) {
            std::memcpy(out, &entry, 4);
            out += entry >> kPackedLengthShift & 3;
            *ends++ = uint32_t(out - origin);
            *out++ = ' ';
        }
    }
    sink.out = out;
    sink.count = size_t(ends - sink.ends);
    sink.open = open;
    sink.touching = touching;
}

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)

// Sixteen characters at a time through the table. Each has a lane of four bytes: a space, kept
// where a word ends before it, and its UTF-8. A single ends a word before and behind itself.
inline size_t fold_lanes(WordSink& sink, __m512i points, size_t size) {
    __m512i entries = _mm512_i32gather_epi32(points, sink.bmp, 4);
    __m512i kinds = _mm512_srli_epi32(entries, kPackedKindShift);
    uint32_t valid = (1u << size) - 1;
    uint32_t odd = _mm512_cmpeq_epi32_mask(kinds, _mm512_set1_epi32(kOdd)) & valid;
    if (odd != 0) size = first_bit(odd);
    if (size == 0) return 0;
    valid = (1u << size) - 1;
    uint32_t word = _mm512_cmpeq_epi32_mask(kinds, _mm512_set1_epi32(WORD)) & valid;
    uint32_t single = _mm512_cmpeq_epi32_mask(kinds, _mm512_set1_epi32(SINGLE)) & valid;
    uint32_t after_word = (word << 1 | uint32_t(sink.open)) & valid,
             after_single = single << 1 & valid;
    uint32_t spaced = (after_word & ~word) | after_single;

    __m512i lengths =
        _mm512_and_si512(_mm512_srli_epi32(entries, kPackedLengthShift), _mm512_set1_epi32(3));
    __m512i bytes = _mm512_or_si512(_mm512_slli_epi32(entries, 8), _mm512_set1_epi32(' '));
    // A lane keeps byte i where bit i is set: 1 the space, 2, 6 or 14 one, two or three bytes.
    __m512i kept =
        _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(2), lengths), _mm512_set1_epi32(2));
    kept = _mm512_mask_or_epi32(kept, __mmask16(spaced), kept, _mm512_set1_epi32(1));
    kept = _mm512_maskz_mov_epi32(__mmask16(valid), kept);
    // Bit i of each lane to the top of its byte i, and so into a mask.
    __m512i tops = _mm512_or_si512(
        _mm512_or_si512(_mm512_slli_epi32(kept, 7),
                        _mm512_slli_epi32(_mm512_and_si512(kept, _mm512_set1_epi32(2)), 14)),
        _mm512_or_si512(_mm512_slli_epi32(_mm512_and_si512(kept, _mm512_set1_epi32(4)), 21),
                        _mm512_slli_epi32(_mm512_and_si512(kept, _mm512_set1_epi32(8)), 28)));
    uint64_t keep = _mm512_movepi8_mask(tops);
    uint64_t spaces = keep & 0x1111111111111111;
    _mm512_storeu_si512(sink.out, _mm512_maskz_compress_epi8(keep, bytes));

    write_ends(sink, _pext_u64(spaces, keep), size_t(_mm_popcnt_u64(spaces)));
    sink.out += _mm_popcnt_u64(keep);
    uint32_t last = 1u << (size - 1);
    sink.open = (word & last) != 0;
    sink.touching = ((word | single) & last) != 0;
    if (single & last) close_word(sink);
    return size;
}

inline __m512i load_points(const uint8_t* text) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text)));
}
inline __m512i load_points(const uint16_t* text) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)));
}

template <class Char>
inline void fold_table(WordSink& sink, const Char* text, size_t size) {
    while (size >= 16) {
        size_t done = fold_lanes(sink, load_points(text), 16);
        if (done < 16) fold_scalar(sink, text + done++, 1);
        text += done;
        size -= done;
    }
    fold_scalar(sink, text, size);
}

#else

template <class Char>
inline void fold_table(WordSink& sink, const Char* text, size_t size) {
    fold_scalar(sink, text, size);
}

#endif

constexpr int kFew = 6;  // odd characters among 64 for which the rest still goes by blocks

// The first `size` (at most 64) characters or fewer; how many were folded.
template <class Char>
inline size_t fold_block(WordSink& sink, const Char* text, size_t size, Block& block) {
    classify(text, block);
    uint64_t odd = block.odd & (~uint64_t(0) >> (64 - size));
    if (odd == 0) {
        write_words(sink, block, size);
        return size;
    }
    if (__builtin_popcountll(odd) > kFew) {
        fold_table(sink, text, size);
        return size;
    }
    size_t before = first_bit(odd);
    if (before > 0) write_words(sink, block, before);
    fold_scalar(sink, text + before, 1);
    return before + 1;
}

template <class Char>
inline void fold_blocks(WordSink& sink, const Char* text, size_t size) {
    Block block;
    while (size > 0) {
        Char padded[64];
        const Char* from = text;
        if (size < 64) {
            std::memset(padded, 0, sizeof(padded));
            std::memcpy(padded, text, size * sizeof(Char));
            from = padded;
        }
        size_t done = fold_block(sink, from, size < 64 ? size : 64, block);
        text += done;
        size -= done;
    }
}

void fold8(WordSink& sink, const uint8_t* text, size_t size) { fold_blocks(sink, text, size); }
void fold16(WordSink& sink, const uint16_t* text, size_t size) { fold_blocks(sink, text, size); }
void fold32(WordSink& sink, const uint32_t* text, size_t size) { fold_scalar(sink, text, size); }

}  // namespace
}  // namespace nearcopy
