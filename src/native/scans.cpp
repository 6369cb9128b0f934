#include "scans.hpp"

#include <algorithm>
#include <atomic>

#if defined(__x86_64__) && defined(__GNUC__)
#define NEARCOPY_X86_SCANS 1
#include <immintrin.h>
#endif

namespace nearcopy {
namespace {

// Whether the lines after this line hold no entry up to `limit`.
inline bool is_last(const std::uint64_t* line, std::uint64_t limit) {
    return line[7] == 0 || line[7] > limit;
}

namespace baseline {

std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                   std::uint64_t* matches) {
    std::uint64_t* next = matches;
    for (;; line += 8) {
        for (int slot = 0; slot < 8; ++slot) {
            *next = line[slot];  // overwritten unless it matches: no branch
            next += (line[slot] ^ tag) <= mask;
        }
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - matches);
    }
}

unsigned equal_lanes(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
    unsigned equal = 0;
    for (std::size_t i = 0; i < n; ++i) equal += a[i] == b[i];
    return equal;
}

}  // namespace baseline

#if NEARCOPY_X86_SCANS

namespace avx2 {
#define NEARCOPY_AVX2 __attribute__((target("avx2,popcnt")))

NEARCOPY_AVX2 std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                                 std::uint64_t* matches) {
    const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(tag));
    const __m256i tag_bits = _mm256_set1_epi64x(static_cast<long long>(~mask));
    const __m256i zero = _mm256_setzero_si256();
    std::uint64_t* next = matches;
    for (;; line += 8) {
        unsigned same = 0;
        for (int half = 0; half < 8; half += 4) {
            const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(line + half));
            const __m256i differs = _mm256_and_si256(_mm256_xor_si256(v, wanted), tag_bits);
            const __m256d equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(differs, zero));
            same |= static_cast<unsigned>(_mm256_movemask_pd(equal)) << half;
        }
        for (; same; same &= same - 1) *next++ = line[__builtin_ctz(same)];
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - matches);
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
#define NEARCOPY_AVX512 __attribute__((target("avx512f,popcnt")))

NEARCOPY_AVX512 std::size_t tagged(const std::uint64_t* line, std::uint64_t tag, std::uint64_t mask,
                                   std::uint64_t* matches) {
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(tag));
    const __m512i limit = _mm512_set1_epi64(static_cast<long long>(mask));
    std::uint64_t* next = matches;
    for (;; line += 8) {
        const __m512i v = _mm512_load_si512(line);
        const __mmask8 same = _mm512_cmple_epu64_mask(_mm512_xor_si512(v, wanted), limit);
        _mm512_storeu_si512(next, _mm512_maskz_compress_epi64(same, v));
        next += __builtin_popcount(same);
        if (is_last(line, tag | mask)) return static_cast<std::size_t>(next - matches);
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
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"))
        return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") ? 1 : 0;
}

const Scans kLevels[] = {
    {baseline::tagged, baseline::equal_lanes},
    {avx2::tagged, avx2::equal_lanes},
    {avx512::tagged, avx512::equal_lanes},
};

#else

int best_level() { return 0; }

const Scans kLevels[] = {
    {baseline::tagged, baseline::equal_lanes},
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
