#include "distances.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "numerals.hpp"

namespace nearcopy {

namespace {

constexpr uint32_t kPad = 0x10000;  // no 16-bit hash

// A profile in lanes of equal length, so that counting over all of them needs no end.
struct Lanes32 {
    uint32_t context[kMostNumerals], value[kMostNumerals];
    size_t count;

    Lanes32(const uint8_t* profile, size_t numerals) : count(numerals) {
        uint32_t entries[kMostNumerals];
        std::memcpy(entries, profile, numerals * 4);
        for (size_t i = 0; i < numerals; ++i) {
            context[i] = entries[i] & 0xFFFF;
            value[i] = entries[i] >> 16;
        }
        std::fill(context + numerals, context + kMostNumerals, kPad);
        std::fill(value + numerals, value + kMostNumerals, kPad);
    }
};

uint32_t occurrences(const uint32_t* lanes, uint32_t wanted) {
    uint32_t found = 0;
    for (size_t i = 0; i < kMostNumerals; ++i) found += lanes[i] == wanted;
    return found;
}

bool agree(const Lanes32& a, const Lanes32& b, uint32_t context) {
    for (size_t i = 0; i < a.count; ++i)
        for (size_t j = 0; a.context[i] == context && j < b.count; ++j)
            if (b.context[j] == context && b.value[j] == a.value[i]) return true;
    return false;
}

}  // namespace

NumeralShare numeral_share(const uint8_t* a_profile, size_t a_count, const uint8_t* b_profile,
                           size_t b_count) {
    const size_t smaller = std::min(a_count, b_count);
    NumeralShare made{std::numeric_limits<double>::quiet_NaN(), 0};
    if (smaller == 0) return made;
    const Lanes32 a(a_profile, a_count), b(b_profile, b_count);
    unsigned shared = 0;
    for (size_t i = 0; i < a_count; ++i) {
        // The nth of a value in a has its match if b has n of it.
        const auto rank = 1 + std::count(a.value, a.value + i, a.value[i]);
        shared += uint32_t(rank) <= occurrences(b.value, a.value[i]);
        const uint32_t context = a.context[i];
        if (occurrences(b.context, context) > 0 &&
            std::find(a.context, a.context + i, context) == a.context + i)
            made.changed += !agree(a, b, context);
    }
    if (smaller > 1) made.share = double(shared) / double(smaller);
    return made;
}

}  // namespace nearcopy
