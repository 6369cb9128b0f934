// Titles: their terms, their similarity, and their index keys. The readable twin is
// nearcopy/kernels/reference/titles.py, which explains every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "words.hpp"

namespace nearcopy {

// The weights of common terms, in hundredths, by the hash of the term.
class TitleWeights {
public:
    TitleWeights(const std::vector<std::pair<uint64_t, uint32_t>>& known, uint32_t unknown);
    uint32_t of(uint64_t term) const;

private:
    static constexpr uint64_t kWeightMask = 0xFFFF;

    std::vector<uint64_t> slots_;  // open addressing: the upper bits of the hash, then the weight
    size_t mask_;
    uint32_t unknown_;
};

uint64_t term_hash(const uint32_t* letters, size_t size);

double title_cosine(const TitleWeights& weights, const TextView& a, const TextView& b);
double title_front(const TitleWeights& weights, const TextView& a, const TextView& b);
double word_cosine(const TextView& a, const TextView& b);
void title_keys(const TitleWeights& weights, const TextView& title, std::vector<uint64_t>& keys);

}  // namespace nearcopy
