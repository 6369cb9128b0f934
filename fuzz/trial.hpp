// What the trials of the indexes share.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "harness.hpp"
#include "hashes.hpp"

namespace fuzz {

using namespace nearcopy;

constexpr size_t MOST = 10000;                     // articles in an index
constexpr size_t MOST_COMPARED = size_t(1) << 17;  // fingerprints or signatures in one search

// A handful of values usually, seldom so many that runs, chunks and batches are filled.
inline size_t read_count(Input& input) {
    const size_t count = input.byte();
    return count < 250 ? count % 40 : count < 255 ? (count - 249) * 300 : 7000;
}

template <class T>
std::vector<T> distinct(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <class Score>
void check_shape(const Found<Score>& found, size_t queries, bool scored) {
    MUST(found.starts.size() == queries + 1 && found.starts.front() == 0);
    MUST(std::is_sorted(found.starts.begin(), found.starts.end()));
    MUST(found.starts.back() == found.positions.size());
    MUST(found.scores.size() == (scored ? found.positions.size() : 0));
}

// What query i found, as pairs that compare.
template <class Score>
std::vector<std::pair<uint32_t, Score>> answer(const Found<Score>& found, size_t i) {
    std::vector<std::pair<uint32_t, Score>> pairs;
    for (uint64_t at = found.starts[i]; at < found.starts[i + 1]; ++at)
        pairs.emplace_back(found.positions[at], found.scores[at]);
    return pairs;
}

// What of a mixed key the table can tell apart: 8 bits of the shard and 36 of the tag, never 0.
inline uint64_t told_apart(uint64_t key) {
    const uint64_t kept = fmix64(key) >> 20;
    return kept << 28 >> 28 == 0 ? kept | 1 : kept;
}

}  // namespace fuzz
