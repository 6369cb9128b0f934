// Term profiles: the heaviest terms of an article, and how alike those of two articles are. The
// readable twin is nearcopy/kernels/reference/profiles.py, which says what each step is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostTerms = 128;
constexpr size_t kProfileEntry = 5;  // bytes: the term's hash, how much the article makes of it

// How much each common term counts, in hundredths, by the term's hash.
class TermWeights {
public:
    TermWeights(const std::vector<std::pair<uint32_t, uint32_t>>& known, uint32_t unknown);

    uint32_t of(uint32_t term) const {
        for (size_t at = term & mask_;; at = (at + 1) & mask_) {
            const Slot slot = slots_[at];
            if (slot.term == term || slot.weight == 0) return slot.weight ? slot.weight : unknown_;
        }
    }

private:
    struct Slot {
        uint32_t term = 0, weight = 0;  // no weight: nothing here
    };

    std::vector<Slot> slots_;  // open addressing
    size_t mask_;
    uint32_t unknown_;
};

struct Profile {
    uint8_t bytes[kMostTerms * kProfileEntry];
    size_t size = 0;
};

// One thread's profiles, one article at a time; the memory is kept for the next.
class Profiler {
public:
    Profiler(const Tables& tables, const TermWeights& weights) : words_(tables), weights_(weights) {}

    void profile(const TextView& title, const TextView& text, Profile& out);

private:
    void add_terms(const TextView& text, uint64_t flags);
    void add_word(const uint8_t* word, size_t size, uint64_t hash, uint64_t flags);
    void add(uint64_t hash, uint64_t flags) { terms_.data()[count_++] = hash << 32 | flags; }
    void sort_terms();
    void weigh();
    void select(Profile& out);

    Words words_;
    const TermWeights& weights_;
    Buffer<uint64_t> terms_, sorted_;     // hash << 32 | flags
    size_t count_ = 0;
    const uint8_t* single_ = nullptr;     // the unspaced character before, if one was
    size_t single_size_ = 0;
};

uint32_t profile_hash(const uint8_t* term, size_t size);

// Whether it has whole entries, not too many, whose hashes ascend.
bool is_profile(const uint8_t* bytes, size_t size);

double profile_cosine(const TermWeights& weights, const uint8_t* a, size_t a_size,
                      const uint8_t* b, size_t b_size);

}  // namespace nearcopy
