// Hashing words, shingles, SimHash and MinHash in wide registers. Part of lanes.cpp, compiled once
// per level: see the rule at its top.
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

// --- Hashing ----------------------------------------------------------------------------------

constexpr size_t kBatch = 64;

inline uint64_t rotate(uint64_t value, int by) { return value << by | value >> (64 - by); }

inline uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCD;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53;
    return h ^ h >> 33;
}

// MurmurHash3 x64 of fewer than 16 bytes: no block, only the tail, and zero bytes add nothing.
inline uint64_t murmur_tail(uint64_t low, uint64_t high, uint64_t length) {
    constexpr uint64_t C1 = 0x87C37B91114253D5, C2 = 0x4CF5AD432745937F;
    uint64_t h2 = rotate(high * C2, 33) * C1 ^ length;
    uint64_t h1 = rotate(low * C1, 31) * C2 ^ length;
    h1 += h2;
    h2 += h1;
    return mix(h1) + mix(h2);
}

// A batch of words to hash: their first 16 bytes, zero-padded, and their lengths.
struct WordBatch {
    alignas(64) uint64_t low[kBatch], high[kBatch], length[kBatch];
};

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__) && defined(__AVX512VL__)

inline void load_words(const uint8_t* text, uint32_t start, const uint32_t* ends, size_t count,
                       WordBatch& words) {
    alignas(64) uint8_t bytes[kBatch * 16];
    alignas(64) uint32_t starts[kBatch];
    for (size_t i = 0; i < count; ++i) {
        const uint32_t size = ends[i] - start;
        __mmask16 within = __mmask16(_bzhi_u32(0xFFFF, size < 16 ? size : 16));
        _mm_store_si128(reinterpret_cast<__m128i*>(bytes) + i,
                        _mm_maskz_loadu_epi8(within, text + start));
        starts[i] = start;
        start = ends[i] + 1;
    }
    const __m512i evens = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odds = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    for (size_t i = 0; i < count; i += 8) {
        __m512i first = _mm512_load_si512(bytes + 16 * i);
        __m512i second = _mm512_load_si512(bytes + 16 * i + 64);
        _mm512_store_si512(words.low + i, _mm512_permutex2var_epi64(first, evens, second));
        _mm512_store_si512(words.high + i, _mm512_permutex2var_epi64(first, odds, second));
        __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(starts + i));
        __m256i to = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ends + i));
        _mm512_store_si512(words.length + i, _mm512_cvtepu32_epi64(_mm256_sub_epi32(to, from)));
    }
}

#else

inline void load_words(const uint8_t* text, uint32_t start, const uint32_t* ends, size_t count,
                       WordBatch& words) {
    static const uint64_t kKeep[9] = {0,
                                      0xFF,
                                      0xFFFF,
                                      0xFFFFFF,
                                      0xFFFFFFFF,
                                      0xFFFFFFFFFF,
                                      0xFFFFFFFFFFFF,
                                      0xFFFFFFFFFFFFFF,
                                      0xFFFFFFFFFFFFFFFF};
    for (size_t i = 0; i < count; ++i) {
        uint32_t size = ends[i] - start;
        std::memcpy(&words.low[i], text + start, 8);
        std::memcpy(&words.high[i], text + start + 8, 8);
        words.low[i] &= kKeep[size < 8 ? size : 8];
        words.high[i] &= kKeep[size < 8 ? 0 : size < 16 ? size - 8 : 8];
        words.length[i] = size;
        start = ends[i] + 1;
    }
}

#endif

// The hashes of the first bytes of words, eight at a time.
inline void murmur_prefixes(const WordBatch& words, size_t count, uint64_t prefix, uint64_t* out) {
    const uint64_t kept = ~uint64_t(0) >> (64 - 8 * prefix);
    alignas(64) uint64_t hashes[kBatch];
    for (size_t eight = 0; eight < count; eight += 8)
        for (size_t i = eight; i < eight + 8; ++i) {
            const uint64_t length = words.length[i] < prefix ? words.length[i] : prefix;
            hashes[i] = murmur_tail(words.low[i] & kept, 0, length);
        }
    std::memcpy(out, hashes, count * sizeof(uint64_t));
}

void murmur_words(const uint8_t* text, uint32_t start, const uint32_t* ends, size_t count,
                  uint64_t* out, uint32_t prefix, uint64_t* prefixes) {
    WordBatch words;
    uint64_t hashes[kBatch];
    for (size_t done = 0; done < count; done += kBatch) {
        size_t batch = count - done < kBatch ? count - done : kBatch;
        load_words(text, start, ends + done, batch, words);
        for (size_t i = batch; i < (batch + 7) / 8 * 8; ++i)
            words.low[i] = words.high[i] = words.length[i] = 0;
        uint64_t lengths = 0;
        for (size_t eight = 0; eight < batch; eight += 8)
            for (size_t i = eight; i < eight + 8; ++i) {
                hashes[i] = murmur_tail(words.low[i], words.high[i], words.length[i]);
                lengths |= words.length[i];
            }
        for (size_t i = 0; lengths > 15 && i < batch; ++i) {
            if (words.length[i] > 15)
                hashes[i] = murmur_long(text + start, size_t(words.length[i]));
            start += uint32_t(words.length[i]) + 1;
        }
        std::memcpy(out + done, hashes, batch * sizeof(uint64_t));
        if (prefixes != nullptr) murmur_prefixes(words, batch, prefix, prefixes + done);
        start = ends[done + batch - 1] + 1;
    }
}

void shingle(uint64_t* hashes, size_t count, size_t size) {
    size_t total = count - size + 1;
    alignas(64) uint64_t sum[kBatch];
    for (size_t done = 0; done < total; done += kBatch) {
        size_t batch = total - done < kBatch ? total - done : kBatch;
        uint64_t* at = hashes + done;
        if (batch == kBatch && size == 3) {
            for (size_t i = 0; i < kBatch; ++i)
                sum[i] = mix((at[i] * kGolden + at[i + 1]) * kGolden + at[i + 2]);
        } else {
            for (size_t i = 0; i < batch; ++i) sum[i] = at[i];
            for (size_t j = 1; j < size; ++j)
                for (size_t i = 0; i < batch; ++i) sum[i] = sum[i] * kGolden + at[i + j];
            for (size_t i = 0; i < batch; ++i) sum[i] = mix(sum[i]);
        }
        std::memcpy(at, sum, batch * sizeof(uint64_t));
    }
}

// --- SimHash ----------------------------------------------------------------------------------

#if defined(__AVX512BW__)

void votes(const uint64_t* features, size_t count, uint64_t ones[64]) {
    __m512i one = _mm512_set1_epi8(1);
    while (count > 0) {
        size_t batch = count < 255 ? count : 255;
        __m512i bytes = _mm512_setzero_si512();
        for (size_t i = 0; i < batch; ++i)
            bytes = _mm512_mask_add_epi8(bytes, features[i], bytes, one);
        alignas(64) uint8_t sums[64];
        _mm512_store_si512(sums, bytes);
        for (size_t bit = 0; bit < 64; ++bit) ones[bit] += sums[bit];
        features += batch;
        count -= batch;
    }
}

#elif defined(__AVX2__)

// A counter byte per bit: every byte of the hash is copied eight times, and every copy is tested
// for another bit.
void votes(const uint64_t* features, size_t count, uint64_t ones[64]) {
    const __m256i low =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i high = _mm256_add_epi8(low, _mm256_set1_epi8(4));
    const __m256i bit = _mm256_set1_epi64x(int64_t(0x8040201008040201));
    while (count > 0) {
        size_t batch = count < 255 ? count : 255;
        __m256i sums[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        for (size_t i = 0; i < batch; ++i) {
            __m256i hash = _mm256_set1_epi64x(int64_t(features[i]));
            __m256i first = _mm256_and_si256(_mm256_shuffle_epi8(hash, low), bit);
            __m256i second = _mm256_and_si256(_mm256_shuffle_epi8(hash, high), bit);
            sums[0] = _mm256_sub_epi8(sums[0], _mm256_cmpeq_epi8(first, bit));
            sums[1] = _mm256_sub_epi8(sums[1], _mm256_cmpeq_epi8(second, bit));
        }
        alignas(32) uint8_t bytes[64];
        _mm256_store_si256(reinterpret_cast<__m256i*>(bytes), sums[0]);
        _mm256_store_si256(reinterpret_cast<__m256i*>(bytes) + 1, sums[1]);
        for (size_t place = 0; place < 64; ++place) ones[place] += bytes[place];
        features += batch;
        count -= batch;
    }
}

#else

// Eight counters of a byte in a word; a byte of the hash, spread, adds to all eight at once.
struct Spread {
    uint64_t of[256];
};

constexpr Spread make_spread() {
    Spread spread{};
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned bit = 0; bit < 8; ++bit)
            spread.of[byte] |= uint64_t(byte >> bit & 1) << (8 * bit);
    return spread;
}

constexpr Spread kSpread = make_spread();

void votes(const uint64_t* features, size_t count, uint64_t ones[64]) {
    while (count > 0) {
        size_t batch = count < 255 ? count : 255;
        uint64_t sums[8] = {};
        for (size_t i = 0; i < batch; ++i)
            for (unsigned byte = 0; byte < 8; ++byte)
                sums[byte] += kSpread.of[features[i] >> (8 * byte) & 255];
        for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += sums[bit / 8] >> (8 * (bit % 8)) & 255;
        features += batch;
        count -= batch;
    }
}

#endif

// --- MinHash ----------------------------------------------------------------------------------

inline void scatter(const uint64_t* hashes, size_t count, uint32_t slots[kSlots]) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t value = uint32_t(hashes[i] >> 32);
        uint32_t& slot = slots[hashes[i] & (kSlots - 1)];
        slot = value < slot ? value : slot;
    }
}

inline bool any_empty(const uint32_t slots[kSlots]) {
    uint32_t empty = 0;
    for (size_t i = 0; i < kSlots; ++i) empty |= slots[i] == kEmpty;
    return empty != 0;
}

inline void fill_round(const uint64_t* features, size_t count, unsigned round,
                       uint32_t* signature) {
    uint32_t slots[kSlots];
    for (size_t i = 0; i < kSlots; ++i) slots[i] = kEmpty;
    alignas(64) uint64_t mixed[kBatch];
    for (size_t done = 0; done < count; done += kBatch) {
        size_t batch = count - done < kBatch ? count - done : kBatch;
        for (size_t i = 0; i < batch; ++i) mixed[i] = mix(features[done + i] ^ round * kGolden);
        scatter(mixed, batch, slots);
    }
    for (size_t i = 0; i < kSlots; ++i)
        if (signature[i] == kEmpty) signature[i] = slots[i];
}

inline uint32_t smallest(const uint64_t* features, size_t count, uint64_t multiplier,
                         uint64_t addend) {
    uint32_t least = kEmpty;
    for (size_t i = 0; i < count; ++i) {
        uint32_t value = uint32_t((features[i] * multiplier + addend) >> 32);
        least = value < least ? value : least;
    }
    return least;
}

void classic(const uint64_t* features, size_t count, uint32_t signature[kSlots]) {
    const Permutations& family = permutations();
    for (size_t i = 0; i < kSlots; ++i) signature[i] = kEmpty;
    for (size_t done = 0; done < count; done += 1024) {  // a batch that stays in the L1 cache
        size_t batch = count - done < 1024 ? count - done : 1024;
        for (size_t i = 0; i < kSlots; ++i) {
            uint32_t least =
                smallest(features + done, batch, family.multiplier[i], family.addend[i]);
            signature[i] = least < signature[i] ? least : signature[i];
        }
    }
}

void one_permutation(const uint64_t* features, size_t count, uint32_t signature[kSlots]) {
    for (size_t i = 0; i < kSlots; ++i) signature[i] = kEmpty;
    scatter(features, count, signature);
    for (unsigned round = 1; round < kRounds && any_empty(signature); ++round)
        fill_round(features, count, round, signature);
    if (!any_empty(signature)) return;
    const Permutations& family = permutations();
    for (size_t i = 0; i < kSlots; ++i)
        if (signature[i] == kEmpty)
            signature[i] = smallest(features, count, family.multiplier[i], family.addend[i]);
}

}  // namespace
}  // namespace nearcopy
