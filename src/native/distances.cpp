#include "distances.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "numerals.hpp"

namespace nearcopy {

namespace {

// A profile padded to kMostNumerals lanes, so that counting loops have a fixed length. The padding
// repeats the first entry: membership is unaffected, and counts are corrected.
struct Profile {
    uint16_t context[kMostNumerals], value[kMostNumerals];
    uint32_t entry[kMostNumerals];
    size_t count;

    Profile(const uint8_t* bytes, size_t numerals) : count(numerals) {
        std::memcpy(entry, bytes, numerals * 4);
        std::fill(entry + numerals, entry + kMostNumerals, entry[0]);
        for (size_t i = 0; i < kMostNumerals; ++i) {
            context[i] = uint16_t(entry[i]);
            value[i] = uint16_t(entry[i] >> 16);
        }
    }

    unsigned values(uint16_t wanted) const {
        return occurrences(value, wanted) - (wanted == value[0] ? kMostNumerals - count : 0);
    }

    template <class Hash>
    static unsigned occurrences(const Hash* lanes, Hash wanted) {
        Hash matches = 0;
        for (size_t i = 0; i < kMostNumerals; ++i) matches += lanes[i] == wanted;
        return matches;
    }
};

// Whether both profiles share a value in this context, whose first entry in a is at `from`.
bool agree(const Profile& a, const Profile& b, size_t from) {
    for (size_t i = from; i < a.count; ++i)
        if (a.context[i] == a.context[from] && Profile::occurrences(b.entry, a.entry[i]) > 0)
            return true;
    return false;
}

}  // namespace

NumeralShare numeral_share(const uint8_t* a_bytes, size_t a_count, const uint8_t* b_bytes,
                           size_t b_count) {
    const size_t smaller = std::min(a_count, b_count);
    NumeralShare result{std::numeric_limits<double>::quiet_NaN(), 0};
    if (smaller == 0) return result;
    const Profile a(a_bytes, a_count), b(b_bytes, b_count);
    unsigned shared = 0;
    for (size_t i = 0; i < a_count; ++i) {
        // The nth occurrence of a value in a has a match if b has at least n occurrences.
        const unsigned b_occurrences = b.values(a.value[i]);
        shared += b_occurrences > 0 && b_occurrences > std::count(a.value, a.value + i, a.value[i]);
        if (Profile::occurrences(b.context, a.context[i]) > 0 &&
            std::find(a.context, a.context + i, a.context[i]) == a.context + i)
            result.changed += !agree(a, b, i);
    }
    if (smaller > 1) result.share = double(shared) / double(smaller);
    return result;
}

}  // namespace nearcopy
