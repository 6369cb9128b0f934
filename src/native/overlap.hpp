// The overlap of two texts: counts of shared features, and shared passages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "words.hpp"

namespace nearcopy {

size_t shared(const uint64_t* a, size_t a_size, const uint64_t* b, size_t b_size);

// A passage in both texts: its span in both sources, and its number of words.
struct Passage {
    Span a, b;
    uint32_t words;
};

// Runs of at least `min_words` words, the longest match at every place of b, without overlaps in b.
std::vector<Passage> passages(const Tables& tables, const TextView& a, const TextView& b,
                              size_t min_words);

}  // namespace nearcopy
