// Term profiles: the heaviest terms of an article, and how alike those of two articles are. The
// reference is nearcopy/kernels/reference/term_profiles.py, which explains every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lines.hpp"
#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostTerms = 128;
constexpr uint32_t kPrefix = 5;      // letters of a word that are its term
constexpr size_t kProfileEntry = 5;  // bytes: the term's hash, its weight in the article
constexpr uint8_t kOfTitle = 128;    // in the last byte: the term is in the title

// The weights of common terms, in hundredths, by the hash of the term.
class TermWeights {
public:
    TermWeights(const std::vector<std::pair<uint32_t, uint32_t>>& known, uint32_t unknown);

    // Without a branch that depends on the term, but for the few that lie in a full bucket.
    uint32_t of(uint32_t term) const {
        for (size_t at = term & mask_;; at = (at + 1) & mask_) {
            const Bucket& bucket = buckets_[at];
            const Halves hit = Halves(Places(bucket.term == term) & bucket.weight);
            const uint64_t both = hit[0] | hit[1];
            const uint32_t weight = uint32_t(both | both >> 32);
            const uint32_t missing = 0u - uint32_t(weight == 0);
            if (__builtin_expect((missing & bucket.weight[kPlaces - 1]) == 0, 1))
                return weight | (missing & unknown_);
        }
    }

    uint32_t unknown() const { return unknown_; }

    // Prefetches the memory that `of` will read.
    void prefetch(uint32_t term) const { __builtin_prefetch(&buckets_[term & mask_]); }

private:
    static constexpr size_t kPlaces = 4;
    typedef uint32_t Places __attribute__((vector_size(16)));
    typedef uint64_t Halves __attribute__((vector_size(16)));

    struct Bucket {
        Places term = {}, weight = {};  // weight 0: this place is free
    };

    void insert(uint32_t term, uint32_t weight);

    std::vector<Bucket> buckets_;  // overflow goes to the next bucket
    size_t mask_;
    uint32_t unknown_;
};

struct Profile {
    uint8_t bytes[(kMostTerms + 1) * kProfileEntry];  // with a spare entry, written and not counted
    size_t size = 0;
};

// A profiler per thread; its memory is reused for the next article.
class Profiler {
public:
    Profiler(const Tables& tables, const TermWeights& weights)
        : tables_(tables), title_(tables, kPrefix), text_(tables, kPrefix), weights_(weights) {}

    void profile(const TextView& title, const TextView& source, Profile& out);

    // The same of a text whose words are there already, they and their prefixes hashed by MURMUR3;
    // of its lines those that are read, or all where there are none.
    void profile(const TextView& title, const Words& words, const std::vector<Lines>& lines,
                 Profile& out);

private:
    struct Place {
        size_t words = 0, bytes = 0;  // before it
    };

    void add_text(const Words& words, uint64_t flags);
    void add_lines(const Words& words, const std::vector<Lines>& lines);
    void add_terms(const Words& words, Place from, Place to, uint64_t flags);
    void add_prefixes(const uint64_t* prefixes, size_t count, uint64_t flags);
    void add_word(const uint8_t* word, size_t size, uint64_t hash, uint64_t prefix, uint64_t flags);
    void add(uint64_t hash, uint64_t flags) { terms_.data()[count_++] = hash << 32 | flags; }
    bool count_terms();
    void sort_terms();
    void weigh();
    uint64_t least_kept();
    void write(Profile& out);

    const Tables& tables_;
    PlainText plain_;
    SentenceLines lines_;
    Words title_, text_;
    Characters characters_;  // of the text, or of the folded words
    const TermWeights& weights_;
    Buffer<uint64_t> terms_, level_;  // hash << 32 | count and flags
    Buffer<uint64_t> slots_;          // terms by their hash, 0 where empty
    Buffer<uint32_t> places_;         // of the terms in the slots
    size_t count_ = 0;
    const uint8_t* single_ = nullptr;  // the unspaced character before, or null
    size_t single_size_ = 0;
};

uint32_t profile_hash(const uint8_t* term, size_t size);

bool is_profile_size(size_t size);

// Adds the hashes of the heaviest terms of a profile of such a size to the keys, at most so many,
// ascending: rare ones first, then those that weigh at least `least` by themselves.
void term_keys(const TermWeights& weights, const uint8_t* profile, size_t size, size_t most,
               uint32_t rare, uint32_t least, std::vector<uint64_t>& keys);

// How alike two profiles are; rare terms count more.
struct ProfileMeasures {
    double cosine, title, most, least;
};

// Of two profiles of such a size; the cosine is below 0 where hashes do not ascend.
ProfileMeasures profile_measures(const TermWeights& weights, const uint8_t* a, size_t a_size,
                                 const uint8_t* b, size_t b_size);

}  // namespace nearcopy
