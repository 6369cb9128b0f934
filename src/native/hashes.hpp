// FNV-1a, MurmurHash3 (x64, 128 bit), XXH3 (seed 0, default secret) and MD5, each written from its
// published specification. The readable twins are in nearcopy/kernels/reference/hashes.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearcopy {

struct Hash128 {
    uint64_t low, high;
};

// Its own namespace, so that short names such as `key` and `Lanes` do not clash; the public ones
// are listed at the end.
namespace hash_detail {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
constexpr bool kBigEndian = true;
#else
constexpr bool kBigEndian = false;
#endif

inline uint32_t rotate_left(uint32_t value, int bits) {
    return (value << bits) | (value >> (32 - bits));
}

inline uint64_t rotate_left(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

inline uint32_t swap_bytes(uint32_t value) {
    value = ((value & 0x00FF00FFu) << 8) | ((value >> 8) & 0x00FF00FFu);
    return rotate_left(value, 16);
}

inline uint64_t swap_bytes(uint64_t value) {
    const uint64_t low = swap_bytes(static_cast<uint32_t>(value));
    return (low << 32) | swap_bytes(static_cast<uint32_t>(value >> 32));
}

// Little-endian on every host, at any alignment.
template <typename Word>
inline Word load(const uint8_t* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return kBigEndian ? swap_bytes(word) : word;
}

inline uint64_t load64(const uint8_t* from) { return load<uint64_t>(from); }
inline uint32_t load32(const uint8_t* from) { return load<uint32_t>(from); }

inline Hash128 multiply(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#else
    constexpr uint64_t kLow = 0xFFFFFFFFu;
    const uint64_t low_low = (a & kLow) * (b & kLow);
    const uint64_t high_low = (a >> 32) * (b & kLow) + (low_low >> 32);
    const uint64_t low_high = (a & kLow) * (b >> 32) + (high_low & kLow);
    return {(low_high << 32) | (low_low & kLow),
            (a >> 32) * (b >> 32) + (high_low >> 32) + (low_high >> 32)};
#endif
}

// The two halves of the 128-bit product, xored.
inline uint64_t fold(uint64_t a, uint64_t b) {
    const Hash128 product = multiply(a, b);
    return product.low ^ product.high;
}

// ---- FNV-1a -------------------------------------------------------------------------------------

inline uint64_t fnv1a64(const uint8_t* data, size_t size) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001B3u;
    return hash;
}

// ---- MurmurHash3 --------------------------------------------------------------------------------

inline uint64_t fmix64(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xFF51AFD7ED558CCDu;
    value = (value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53u;
    return value ^ (value >> 33);
}

constexpr uint64_t kMurmur1 = 0x87C37B91114253D5u;
constexpr uint64_t kMurmur2 = 0x4CF5AD432745937Fu;

inline uint64_t murmur_low(uint64_t word) { return rotate_left(word * kMurmur1, 31) * kMurmur2; }
inline uint64_t murmur_high(uint64_t word) { return rotate_left(word * kMurmur2, 33) * kMurmur1; }

inline Hash128 murmur_body(const uint8_t* data, size_t blocks, uint32_t seed) {
    uint64_t low = seed, high = seed;
    for (size_t i = 0; i < blocks; ++i) {
        low ^= murmur_low(load64(data + 16 * i));
        low = (rotate_left(low, 27) + high) * 5 + 0x52DCE729u;
        high ^= murmur_high(load64(data + 16 * i + 8));
        high = (rotate_left(high, 31) + low) * 5 + 0x38495AB5u;
    }
    return {low, high};
}

inline Hash128 murmur_finish(uint64_t low, uint64_t high, uint64_t size) {
    low ^= size;
    high ^= size;
    low += high;
    high += low;
    low = fmix64(low);
    high = fmix64(high);
    low += high;
    return {low, high + low};
}

inline Hash128 murmur3_128(const uint8_t* data, size_t size, uint32_t seed = 0) {
    const size_t tail = size % 16;
    Hash128 hash = murmur_body(data, size / 16, seed);
    if (tail != 0) {
        uint8_t last[16] = {};  // zeros change nothing: murmur_low(0) == murmur_high(0) == 0
        std::memcpy(last, data + (size - tail), tail);
        hash.low ^= murmur_low(load64(last));
        hash.high ^= murmur_high(load64(last + 8));
    }
    return murmur_finish(hash.low, hash.high, size);
}

inline uint64_t murmur3_64(const uint8_t* data, size_t size, uint32_t seed = 0) {
    return murmur3_128(data, size, seed).low;
}

// ---- XXH3 ---------------------------------------------------------------------------------------

constexpr uint64_t kPrime32_1 = 0x9E3779B1u;
constexpr uint64_t kPrime32_2 = 0x85EBCA77u;
constexpr uint64_t kPrime32_3 = 0xC2B2AE3Du;
constexpr uint64_t kPrime64_1 = 0x9E3779B185EBCA87u;
constexpr uint64_t kPrime64_2 = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t kPrime64_3 = 0x165667B19E3779F9u;
constexpr uint64_t kPrime64_4 = 0x85EBCA77C2B2AE63u;
constexpr uint64_t kPrime64_5 = 0x27D4EB2F165667C5u;
constexpr uint64_t kPrimeMix1 = 0x165667919E3779F9u;
constexpr uint64_t kPrimeMix2 = 0x9FB21C651E98DF25u;

alignas(64) constexpr uint8_t kSecret[192] = {
    0xB8, 0xFE, 0x6C, 0x39, 0x23, 0xA4, 0x4B, 0xBE, 0x7C, 0x01, 0x81, 0x2C, 0xF7, 0x21, 0xAD, 0x1C,
    0xDE, 0xD4, 0x6D, 0xE9, 0x83, 0x90, 0x97, 0xDB, 0x72, 0x40, 0xA4, 0xA4, 0xB7, 0xB3, 0x67, 0x1F,
    0xCB, 0x79, 0xE6, 0x4E, 0xCC, 0xC0, 0xE5, 0x78, 0x82, 0x5A, 0xD0, 0x7D, 0xCC, 0xFF, 0x72, 0x21,
    0xB8, 0x08, 0x46, 0x74, 0xF7, 0x43, 0x24, 0x8E, 0xE0, 0x35, 0x90, 0xE6, 0x81, 0x3A, 0x26, 0x4C,
    0x3C, 0x28, 0x52, 0xBB, 0x91, 0xC3, 0x00, 0xCB, 0x88, 0xD0, 0x65, 0x8B, 0x1B, 0x53, 0x2E, 0xA3,
    0x71, 0x64, 0x48, 0x97, 0xA2, 0x0D, 0xF9, 0x4E, 0x38, 0x19, 0xEF, 0x46, 0xA9, 0xDE, 0xAC, 0xD8,
    0xA8, 0xFA, 0x76, 0x3F, 0xE3, 0x9C, 0x34, 0x3F, 0xF9, 0xDC, 0xBB, 0xC7, 0xC7, 0x0B, 0x4F, 0x1D,
    0x8A, 0x51, 0xE0, 0x4B, 0xCD, 0xB4, 0x59, 0x31, 0xC8, 0x9F, 0x7E, 0xC9, 0xD9, 0x78, 0x73, 0x64,
    0xEA, 0xC5, 0xAC, 0x83, 0x34, 0xD3, 0xEB, 0xC3, 0xC5, 0x81, 0xA0, 0xFF, 0xFA, 0x13, 0x63, 0xEB,
    0x17, 0x0D, 0xDD, 0x51, 0xB7, 0xF0, 0xDA, 0x49, 0xD3, 0x16, 0x55, 0x26, 0x29, 0xD4, 0x68, 0x9E,
    0x2B, 0x16, 0xBE, 0x58, 0x7D, 0x47, 0xA1, 0xFC, 0x8F, 0xF8, 0xB8, 0xD1, 0x7A, 0xD0, 0x31, 0xCE,
    0x45, 0xCB, 0x3A, 0x8F, 0x95, 0x16, 0x04, 0x28, 0xAF, 0xD7, 0xFB, 0xCA, 0xBB, 0x4B, 0x40, 0x7E,
};

inline uint64_t key(size_t at) { return load64(kSecret + at); }
inline uint64_t key_pair(size_t at) { return key(at) ^ key(at + 8); }

inline uint64_t avalanche(uint64_t value) {
    value = (value ^ (value >> 37)) * kPrimeMix1;
    return value ^ (value >> 32);
}

inline uint64_t avalanche_xxh64(uint64_t value) {
    value = (value ^ (value >> 33)) * kPrime64_2;
    value = (value ^ (value >> 29)) * kPrime64_3;
    return value ^ (value >> 32);
}

// 1-3 bytes: last, length, first and middle in one word.
inline uint32_t gather_1_to_3(const uint8_t* data, size_t size) {
    return static_cast<uint32_t>(data[size - 1]) | (static_cast<uint32_t>(size) << 8) |
           (static_cast<uint32_t>(data[0]) << 16) | (static_cast<uint32_t>(data[size / 2]) << 24);
}

inline uint64_t xxh3_64_1_to_3(const uint8_t* data, size_t size) {
    const uint64_t secret = load32(kSecret) ^ load32(kSecret + 4);
    return avalanche_xxh64(secret ^ gather_1_to_3(data, size));
}

inline uint64_t xxh3_64_4_to_8(const uint8_t* data, size_t size) {
    const uint64_t first = load32(data), last = load32(data + size - 4);
    uint64_t value = key_pair(8) ^ (last | (first << 32));
    value = (value ^ rotate_left(value, 49) ^ rotate_left(value, 24)) * kPrimeMix2;
    value = (value ^ ((value >> 35) + size)) * kPrimeMix2;
    return value ^ (value >> 28);
}

inline uint64_t xxh3_64_9_to_16(const uint8_t* data, size_t size) {
    const uint64_t low = key_pair(24) ^ load64(data);
    const uint64_t high = key_pair(40) ^ load64(data + size - 8);
    return avalanche(size + swap_bytes(low) + high + fold(low, high));
}

inline uint64_t mix16(const uint8_t* data, size_t secret) {
    return fold(load64(data) ^ key(secret), load64(data + 8) ^ key(secret + 8));
}

inline uint64_t xxh3_64_17_to_128(const uint8_t* data, size_t size) {
    uint64_t sum = size * kPrime64_1;
    for (size_t i = 0; i <= (size - 1) / 32; ++i) {
        sum += mix16(data + 16 * i, 32 * i);
        sum += mix16(data + size - 16 * i - 16, 32 * i + 16);
    }
    return avalanche(sum);
}

inline uint64_t xxh3_64_129_to_240(const uint8_t* data, size_t size) {
    uint64_t sum = size * kPrime64_1;
    for (size_t i = 0; i < 8; ++i) sum += mix16(data + 16 * i, 16 * i);
    sum = avalanche(sum);
    for (size_t i = 8; i < size / 16; ++i) sum += mix16(data + 16 * i, 16 * (i - 8) + 3);
    return avalanche(sum + mix16(data + size - 16, 119));
}

inline Hash128 xxh3_128_1_to_3(const uint8_t* data, size_t size) {
    const uint64_t secret = load32(kSecret + 8) ^ load32(kSecret + 12);
    const uint32_t turned = rotate_left(swap_bytes(gather_1_to_3(data, size)), 13);
    return {xxh3_64_1_to_3(data, size), avalanche_xxh64(secret ^ turned)};
}

inline Hash128 xxh3_128_4_to_8(const uint8_t* data, size_t size) {
    const uint64_t first = load32(data), last = load32(data + size - 4);
    auto [low, high] = multiply(key_pair(16) ^ (first | (last << 32)), kPrime64_1 + (size << 2));
    high += low << 1;
    low ^= high >> 3;
    low = (low ^ (low >> 35)) * kPrimeMix2;
    return {low ^ (low >> 28), avalanche(high)};
}

inline Hash128 xxh3_128_9_to_16(const uint8_t* data, size_t size) {
    const uint64_t last = load64(data + size - 8);
    const uint64_t value = key_pair(48) ^ last;
    auto [low, high] = multiply(key_pair(32) ^ load64(data) ^ last, kPrime64_1);
    low += static_cast<uint64_t>(size - 1) << 54;
    high += value + (value & 0xFFFFFFFFu) * (kPrime32_2 - 1);
    const Hash128 product = multiply(low ^ swap_bytes(high), kPrime64_2);
    return {avalanche(product.low), avalanche(product.high + high * kPrime64_2)};
}

inline void mix32(Hash128& sum, const uint8_t* first, const uint8_t* second, size_t secret) {
    sum.low = (sum.low + mix16(first, secret)) ^ (load64(second) + load64(second + 8));
    sum.high = (sum.high + mix16(second, secret + 16)) ^ (load64(first) + load64(first + 8));
}

inline Hash128 finish_mid(const Hash128& sum, size_t size) {
    const uint64_t high = sum.low * kPrime64_1 + sum.high * kPrime64_4 + size * kPrime64_2;
    return {avalanche(sum.low + sum.high), 0 - avalanche(high)};
}

inline Hash128 xxh3_128_17_to_128(const uint8_t* data, size_t size) {
    Hash128 sum = {size * kPrime64_1, 0};
    for (size_t i = (size - 1) / 32 + 1; i-- > 0;)
        mix32(sum, data + 16 * i, data + size - 16 * i - 16, 32 * i);
    return finish_mid(sum, size);
}

inline Hash128 xxh3_128_129_to_240(const uint8_t* data, size_t size) {
    Hash128 sum = {size * kPrime64_1, 0};
    for (size_t i = 0; i < 4; ++i) mix32(sum, data + 32 * i, data + 32 * i + 16, 32 * i);
    sum = {avalanche(sum.low), avalanche(sum.high)};
    for (size_t i = 4; i < size / 32; ++i)
        mix32(sum, data + 32 * i, data + 32 * i + 16, 32 * (i - 4) + 3);
    mix32(sum, data + size - 16, data + size - 32, 103);
    return finish_mid(sum, size);
}

// Over 240 bytes: eight lanes, stripes of 64 bytes, a scramble after each block of 16 stripes.
// No lane waits for another, so compilers can turn the loops into vector code.
struct Lanes {
    uint64_t at[8] = {kPrime32_3, kPrime64_1, kPrime64_2, kPrime64_3,
                      kPrime64_4, kPrime32_2, kPrime64_5, kPrime32_1};
};

inline uint64_t multiply_halves(uint64_t value) { return (value & 0xFFFFFFFFu) * (value >> 32); }

inline void accumulate(Lanes& lanes, const uint8_t* stripe, size_t secret) {
    for (size_t i = 0; i < 8; i += 2) {
        const uint64_t even = load64(stripe + 8 * i), odd = load64(stripe + 8 * i + 8);
        lanes.at[i] += odd + multiply_halves(even ^ key(secret + 8 * i));
        lanes.at[i + 1] += even + multiply_halves(odd ^ key(secret + 8 * i + 8));
    }
}

inline void scramble(Lanes& lanes) {
    for (size_t i = 0; i < 8; ++i) {
        const uint64_t value = lanes.at[i] ^ (lanes.at[i] >> 47) ^ key(128 + 8 * i);
        lanes.at[i] = value * kPrime32_1;
    }
}

inline Lanes digest_long(const uint8_t* data, size_t size) {
    Lanes lanes;
    const size_t blocks = (size - 1) / 1024, stripes = (size - 1) % 1024 / 64;
    for (size_t block = 0; block < blocks; ++block, data += 1024) {
        for (size_t i = 0; i < 16; ++i) accumulate(lanes, data + 64 * i, 8 * i);
        scramble(lanes);
    }
    for (size_t i = 0; i < stripes; ++i) accumulate(lanes, data + 64 * i, 8 * i);
    accumulate(lanes, data + (size - 1) % 1024 + 1 - 64, 121);
    return lanes;
}

inline uint64_t merge(const Lanes& lanes, uint64_t sum, size_t secret) {
    for (size_t i = 0; i < 8; i += 2)
        sum += fold(lanes.at[i] ^ key(secret + 8 * i), lanes.at[i + 1] ^ key(secret + 8 * i + 8));
    return avalanche(sum);
}

inline uint64_t xxh3_64(const uint8_t* data, size_t size) {
    if (size == 0) return avalanche_xxh64(key_pair(56));
    if (size <= 3) return xxh3_64_1_to_3(data, size);
    if (size <= 8) return xxh3_64_4_to_8(data, size);
    if (size <= 16) return xxh3_64_9_to_16(data, size);
    if (size <= 128) return xxh3_64_17_to_128(data, size);
    if (size <= 240) return xxh3_64_129_to_240(data, size);
    return merge(digest_long(data, size), size * kPrime64_1, 11);
}

inline Hash128 xxh3_128(const uint8_t* data, size_t size) {
    if (size == 0) return {avalanche_xxh64(key_pair(64)), avalanche_xxh64(key_pair(80))};
    if (size <= 3) return xxh3_128_1_to_3(data, size);
    if (size <= 8) return xxh3_128_4_to_8(data, size);
    if (size <= 16) return xxh3_128_9_to_16(data, size);
    if (size <= 128) return xxh3_128_17_to_128(data, size);
    if (size <= 240) return xxh3_128_129_to_240(data, size);
    const Lanes lanes = digest_long(data, size);
    return {merge(lanes, size * kPrime64_1, 11), merge(lanes, ~(size * kPrime64_2), 117)};
}

// ---- MD5 (RFC 1321) -----------------------------------------------------------------------------

// floor(2**32 * |sin(i + 1)|)
constexpr uint32_t kSines[64] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};

// One of the four rounds: 16 steps, the words taken from `first` on in strides of `stride`.
template <typename Mix>
inline void md5_round(uint32_t (&state)[4], const uint32_t* words, const uint32_t* sines,
                      unsigned first, unsigned stride, const int (&turns)[4], Mix mix) {
    auto& [a, b, c, d] = state;
    for (unsigned i = 0; i < 16; ++i) {
        const uint32_t sum = a + mix(b, c, d) + sines[i] + words[(first + stride * i) % 16];
        a = d;
        d = c;
        c = b;
        b += rotate_left(sum, turns[i % 4]);
    }
}

inline void md5_block(uint32_t (&state)[4], const uint8_t* block) {
    using Word = uint32_t;
    Word words[16], next[4];
    for (int i = 0; i < 16; ++i) words[i] = load32(block + 4 * i);
    std::memcpy(next, state, sizeof next);
    md5_round(next, words, kSines, 0, 1, {7, 12, 17, 22},
              [](Word b, Word c, Word d) { return d ^ (b & (c ^ d)); });
    md5_round(next, words, kSines + 16, 1, 5, {5, 9, 14, 20},
              [](Word b, Word c, Word d) { return c ^ (d & (b ^ c)); });
    md5_round(next, words, kSines + 32, 5, 3, {4, 11, 16, 23},
              [](Word b, Word c, Word d) { return b ^ c ^ d; });
    md5_round(next, words, kSines + 48, 0, 7, {6, 10, 15, 21},
              [](Word b, Word c, Word d) { return c ^ (b | ~d); });
    for (int i = 0; i < 4; ++i) state[i] += next[i];
}

// The rest of the message, the bit 1, zeros, and the length in bits: one block or two.
inline void md5_finish(uint32_t (&state)[4], const uint8_t* rest, size_t size) {
    uint8_t last[128] = {};
    const size_t left = size % 64, end = left < 56 ? 64 : 128;
    if (left != 0) std::memcpy(last, rest, left);
    last[left] = 0x80;
    for (size_t i = 0; i < 8; ++i)
        last[end - 8 + i] = static_cast<uint8_t>(static_cast<uint64_t>(size) << 3 >> (8 * i));
    for (size_t at = 0; at < end; at += 64) md5_block(state, last + at);
}

inline void md5(const uint8_t* data, size_t size, uint8_t out[16]) {
    uint32_t state[4] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u};
    size_t at = 0;
    for (; size - at >= 64; at += 64) md5_block(state, data + at);
    md5_finish(state, data + at, size);
    for (int i = 0; i < 16; ++i) out[i] = static_cast<uint8_t>(state[i / 4] >> (8 * (i % 4)));
}

}  // namespace hash_detail

using hash_detail::fmix64;
using hash_detail::fnv1a64;
using hash_detail::md5;
using hash_detail::murmur3_128;
using hash_detail::murmur3_64;
using hash_detail::xxh3_128;
using hash_detail::xxh3_64;

}  // namespace nearcopy
