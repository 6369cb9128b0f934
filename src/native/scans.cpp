#include "scans.hpp"

#include <algorithm>
#include <atomic>

#if defined(__x86_64__) && defined(__GNUC__)
#define NEARCOPY_X86_SCANS 1
#include <immintrin.h>
#endif

namespace nearcopy {
namespace {

// Whether nothing up to `limit` can be in the lines after this one.
inline bool is_last(const std::uint64_t* line, std::uint64_t limit) {
    return line[7] == 0 || line[7] > limit;
}

namespace baseline {

template <class Word>
std::size_t near(const Word* values, std::size_t n, Word query, unsigned distance,
                 std::uint32_t* hits) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
        hits[found] = static_cast<std::uint32_t>(i);  // kept only when it counts: no branch
        found += popcount64(values[i] ^ query) <= distance;
    }
    return found;
}

std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                   std::uint64_t* found) {
    std::uint64_t* next = found;
    for (;; line += 8) {
        for (int slot = 0; slot < 8; ++slot) {
            *next = line[slot];  // kept only when it counts: no branch
            next += (line[slot] ^ tag) <= mask;
        }
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - found);
    }
}

unsigned equal_lanes(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
    unsigned equal = 0;
    for (std::size_t i = 0; i < n; ++i) equal += a[i] == b[i];
    return equal;
}

}  // namespace baseline

// Writes the index of each set bit of `mask`, counted from `base`; returns the new total.
inline std::size_t take(std::uint32_t mask, std::size_t base, std::uint32_t* hits,
                        std::size_t found) {
    for (; mask; mask &= mask - 1)
        hits[found++] = static_cast<std::uint32_t>(base + __builtin_ctz(mask));
    return found;
}

#if NEARCOPY_X86_SCANS

namespace avx2 {
#define NEARCOPY_AVX2 __attribute__((target("avx2,popcnt")))

NEARCOPY_AVX2 inline __m256i byte_counts(__m256i x) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    const __m256i low = _mm256_and_si256(x, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
}

NEARCOPY_AVX2 inline unsigned near_mask64(__m256i x, __m256i limit) {
    const __m256i counts = _mm256_sad_epu8(byte_counts(x), _mm256_setzero_si256());
    return static_cast<unsigned>(
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(limit, counts))));
}

NEARCOPY_AVX2 std::size_t near64(const std::uint64_t* values, std::size_t n, std::uint64_t query,
                                 unsigned distance, std::uint32_t* hits) {
    const __m256i q = _mm256_set1_epi64x(static_cast<long long>(query));
    const __m256i limit = _mm256_set1_epi64x(distance + 1);
    std::size_t found = 0, i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        found = take(near_mask64(_mm256_xor_si256(v, q), limit), i, hits, found);
    }
    for (; i < n; ++i)
        if (static_cast<unsigned>(__builtin_popcountll(values[i] ^ query)) <= distance)
            hits[found++] = static_cast<std::uint32_t>(i);
    return found;
}

NEARCOPY_AVX2 inline unsigned near_mask32(__m256i x, __m256i limit) {
    const __m256i pairs = _mm256_maddubs_epi16(byte_counts(x), _mm256_set1_epi8(1));
    const __m256i counts = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, counts))));
}

NEARCOPY_AVX2 std::size_t near32(const std::uint32_t* values, std::size_t n, std::uint32_t query,
                                 unsigned distance, std::uint32_t* hits) {
    const __m256i q = _mm256_set1_epi32(static_cast<int>(query));
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(distance + 1));
    std::size_t found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        found = take(near_mask32(_mm256_xor_si256(v, q), limit), i, hits, found);
    }
    for (; i < n; ++i)
        if (static_cast<unsigned>(__builtin_popcount(values[i] ^ query)) <= distance)
            hits[found++] = static_cast<std::uint32_t>(i);
    return found;
}

NEARCOPY_AVX2 std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                                 std::uint64_t* found) {
    const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(tag));
    const __m256i other = _mm256_set1_epi64x(static_cast<long long>(~mask));
    const __m256i zero = _mm256_setzero_si256();
    std::uint64_t* next = found;
    for (;; line += 8) {
        unsigned same = 0;
        for (int half = 0; half < 8; half += 4) {
            const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(line + half));
            const __m256i differs = _mm256_and_si256(_mm256_xor_si256(v, wanted), other);
            const __m256d equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(differs, zero));
            same |= static_cast<unsigned>(_mm256_movemask_pd(equal)) << half;
        }
        for (; same; same &= same - 1) *next++ = line[__builtin_ctz(same)];
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - found);
    }
}

NEARCOPY_AVX2 unsigned equal_lanes(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
    __m256i sum = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
        const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
        sum = _mm256_sub_epi32(sum, _mm256_cmpeq_epi32(x, y));
    }
    alignas(32) std::uint32_t lanes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum);
    unsigned equal = baseline::equal_lanes(a + i, b + i, n - i);
    for (std::uint32_t lane : lanes) equal += lane;
    return equal;
}

}  // namespace avx2

namespace avx512 {
#define NEARCOPY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt")))

NEARCOPY_AVX512 std::size_t near64(const std::uint64_t* values, std::size_t n, std::uint64_t query,
                                   unsigned distance, std::uint32_t* hits) {
    const __m512i q = _mm512_set1_epi64(static_cast<long long>(query));
    const __m512i limit = _mm512_set1_epi64(distance);
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; i += 8) {
        const __mmask8 in = n - i >= 8 ? 0xFF : static_cast<__mmask8>((1u << (n - i)) - 1);
        const __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi64(in, values + i), q);
        const __mmask8 near = _mm512_mask_cmple_epu64_mask(in, _mm512_popcnt_epi64(x), limit);
        found = take(near, i, hits, found);
    }
    return found;
}

NEARCOPY_AVX512 std::size_t near32(const std::uint32_t* values, std::size_t n, std::uint32_t query,
                                   unsigned distance, std::uint32_t* hits) {
    const __m512i q = _mm512_set1_epi32(static_cast<int>(query));
    const __m512i limit = _mm512_set1_epi32(static_cast<int>(distance));
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; i += 16) {
        const __mmask16 in = n - i >= 16 ? 0xFFFF : static_cast<__mmask16>((1u << (n - i)) - 1);
        const __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi32(in, values + i), q);
        const __mmask16 near = _mm512_mask_cmple_epu32_mask(in, _mm512_popcnt_epi32(x), limit);
        found = take(near, i, hits, found);
    }
    return found;
}

NEARCOPY_AVX512 std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                                   std::uint64_t* found) {
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(tag));
    const __m512i limit = _mm512_set1_epi64(static_cast<long long>(mask));
    std::uint64_t* next = found;
    for (;; line += 8) {
        const __m512i v = _mm512_load_si512(line);
        const __mmask8 same = _mm512_cmple_epu64_mask(_mm512_xor_si512(v, wanted), limit);
        _mm512_storeu_si512(next, _mm512_maskz_compress_epi64(same, v));
        next += __builtin_popcount(same);
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - found);
    }
}

NEARCOPY_AVX512 unsigned equal_lanes(const std::uint32_t* a, const std::uint32_t* b,
                                     std::size_t n) {
    unsigned equal = 0;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __mmask16 same =
            _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        equal += static_cast<unsigned>(__builtin_popcount(same));
    }
    return equal + baseline::equal_lanes(a + i, b + i, n - i);
}

}  // namespace avx512

int best_level() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") ? 1 : 0;
}

const Scans kLevels[] = {
    {baseline::near<std::uint64_t>, baseline::near<std::uint32_t>, baseline::tagged,
     baseline::equal_lanes},
    {avx2::near64, avx2::near32, avx2::tagged, avx2::equal_lanes},
    {avx512::near64, avx512::near32, avx512::tagged, avx512::equal_lanes},
};

#else

int best_level() { return 0; }

const Scans kLevels[] = {
    {baseline::near<std::uint64_t>, baseline::near<std::uint32_t>, baseline::tagged,
     baseline::equal_lanes},
};

#endif

std::atomic<int>& level_in_force() {
    static std::atomic<int> level{best_level()};
    return level;
}

}  // namespace

const Scans& scans() { return kLevels[scan_level()]; }

int scan_level() { return level_in_force().load(std::memory_order_relaxed); }

void set_scan_level(int level) { level_in_force() = std::clamp(level, 0, best_level()); }

}  // namespace nearcopy
