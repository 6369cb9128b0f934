// Distances of a pair by its stored profiles: kernels/reference/overlap.py defines them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearcopy {

struct NumeralShare {
    double share;  // nan where the smaller profile has fewer than two numerals
    uint8_t changed;
};

// Two profiles of at most kMostNumerals entries, context below and value above, little-endian.
NumeralShare numeral_share(const uint8_t* a, size_t a_count, const uint8_t* b, size_t b_count);

}  // namespace nearcopy
