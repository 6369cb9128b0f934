#include "overlap.hpp"

#include <algorithm>
#include <utility>

#include "lanes.hpp"

namespace nearcopy {

size_t shared(const uint64_t* a, size_t a_size, const uint64_t* b, size_t b_size) {
    size_t i = 0, j = 0, count = 0;
    while (i < a_size && j < b_size) {
        uint64_t left = a[i], right = b[j];
        count += left == right;
        i += left <= right;
        j += right <= left;
    }
    return count;
}

constexpr size_t kMaxPlaces = 16;  // of a shingle in a: keeps repetitive texts linear

static std::vector<uint64_t> runs_of(const std::vector<uint64_t>& words, size_t size) {
    std::vector<uint64_t> runs = words;
    if (size > 1) lanes().shingle(runs.data(), runs.size(), size);
    runs.resize(words.size() - size + 1);
    return runs;
}

// The places of the word shingles of a text, ascending per shingle.
class Places {
public:
    explicit Places(const std::vector<uint64_t>& runs) {
        sorted_.reserve(runs.size());
        for (size_t i = 0; i < runs.size(); ++i) sorted_.emplace_back(runs[i], i);
        std::sort(sorted_.begin(), sorted_.end());
    }

    template <class Visit>
    void for_each(uint64_t run, Visit visit) const {
        auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(run, size_t(0)));
        for (size_t step = 0; step < kMaxPlaces && at != sorted_.end() && at->first == run; ++step)
            visit((at++)->second);
    }

private:
    std::vector<std::pair<uint64_t, size_t>> sorted_;
};

static std::vector<uint64_t> hashed(Words& words, const TextView& text, std::vector<Span>& spans) {
    words.fold_spans(text, Hash::MURMUR3, spans);
    return std::vector<uint64_t>(words.hashes(), words.hashes() + words.count());
}

std::vector<Passage> passages(const Tables& tables, const TextView& a, const TextView& b,
                              size_t min_words) {
    Words words(tables);
    std::vector<Span> a_spans, b_spans;
    std::vector<uint64_t> left = hashed(words, a, a_spans), right = hashed(words, b, b_spans);
    std::vector<Passage> matches;
    if (left.size() < min_words || right.size() < min_words) return matches;

    Places places(runs_of(left, min_words));
    std::vector<uint64_t> runs = runs_of(right, min_words);
    for (size_t at = 0; at + min_words <= right.size();) {
        size_t best = 0, best_place = 0;
        places.for_each(runs[at], [&](size_t place) {
            size_t length = 0;
            while (place + length < left.size() && at + length < right.size() &&
                   left[place + length] == right[at + length])
                ++length;
            if (length > best) {
                best = length;
                best_place = place;
            }
        });
        if (best < min_words) {
            ++at;
            continue;
        }
        matches.push_back({{a_spans[best_place].start, a_spans[best_place + best - 1].end},
                           {b_spans[at].start, b_spans[at + best - 1].end},
                           uint32_t(best)});
        at += best;
    }
    return matches;
}

}  // namespace nearcopy
