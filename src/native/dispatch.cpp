// Selects the instruction-set level of the kernels at run time.
#include <atomic>
#include <cstring>

#include "hashes.hpp"
#include "lanes.hpp"

namespace nearcopy {

extern const Lanes lanes_baseline;
#if defined(NEARCOPY_X86_LEVELS)
extern const Lanes lanes_avx2;
extern const Lanes lanes_avx512;
#endif

static Permutations make_permutations() {
    Permutations family;
    uint64_t state = 0;
    for (size_t i = 0; i < kSlots; ++i) {
        family.multiplier[i] = fmix64(state += kGolden) | 1;
        family.addend[i] = fmix64(state += kGolden);
    }
    return family;
}

const Permutations& permutations() {
    static const Permutations family = make_permutations();
    return family;
}

uint64_t murmur_long(const uint8_t* word, size_t size) { return murmur3_64(word, size); }

// The levels this processor can run, best first, ended by nullptr.
static const Lanes* const* available() {
    static const Lanes* levels[4] = {};
    static const bool ready = [] {
        size_t count = 0;
#if defined(NEARCOPY_X86_LEVELS)
        __builtin_cpu_init();
        bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
        if (avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2"))
            levels[count++] = &lanes_avx512;
        if (avx2) levels[count++] = &lanes_avx2;
#endif
        levels[count] = &lanes_baseline;
        return true;
    }();
    (void)ready;
    return levels;
}

static std::atomic<const Lanes*>& current() {
    static std::atomic<const Lanes*> chosen{available()[0]};
    return chosen;
}

const Lanes& lanes() { return *current().load(std::memory_order_relaxed); }

const char* use_lanes(const char* name) {
    for (const Lanes* const* level = available(); *level != nullptr; ++level)
        if (std::strcmp((*level)->name, name) == 0) current().store(*level);
    return lanes().name;
}

}  // namespace nearcopy
