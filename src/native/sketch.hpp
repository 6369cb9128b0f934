// From words to the sketches of a text: SimHash, MinHash, digest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes.hpp"
#include "words.hpp"

namespace nearcopy {

enum class Unit { WORDS, CHARACTERS };
enum class Weights { ONCE, FREQUENCY, TFIDF };
enum class Scheme { ONE_PERMUTATION, CLASSIC };
enum class Digest { XXH3_128, MD5 };

struct Features {
    Unit unit = Unit::WORDS;
    size_t size = 0;  // 0: not wanted

    bool operator==(const Features& other) const {
        return unit == other.unit && size == other.size;
    }
};

// A recipe, as the kernels read it.
struct Plan {
    Hash hash = Hash::MURMUR3;
    Features simhash, minhash;
    Weights weights = Weights::FREQUENCY;
    Scheme scheme = Scheme::ONE_PERMUTATION;
    Digest digest = Digest::XXH3_128;
    size_t max_chars = SIZE_MAX;
    std::vector<uint64_t> known;   // features of the frequency table, ascending
    std::vector<uint32_t> weight;  // by index of the feature
    uint32_t unknown_weight = 1;
};

struct Sketch {
    uint64_t* simhash;
    uint32_t* minhash;  // kSlots values
    uint8_t* digest;    // 16 bytes
    uint32_t* words;
};

class Sketcher {
public:
    // `prefix` is passed to Words, for callers that read the hashed prefixes.
    Sketcher(const Tables& tables, const Plan& plan, uint32_t prefix = 0)
        : words_(tables, prefix), plan_(plan) {}

    void sketch(const TextView& text, const Sketch& out) {
        fold(text);
        finish(out);
    }

    // The same in two steps: in between, callers can read the words.
    const Words& fold(const TextView& text) {
        words_.fold(text, plan_.hash);
        return words_;
    }
    const Words& fold(const TextView& plain, std::vector<Lines>& lines) {
        words_.fold(plain, plan_.hash, lines);
        return words_;
    }
    void finish(const Sketch& out);

    // All features of a text, in order, with repeats; valid until the next call.
    const uint64_t* features(const TextView& text, const Features& wanted, size_t& count);

    // The distinct features, ascending.
    void feature_set(const TextView& text, const Features& wanted, std::vector<uint64_t>& out);

private:
    // `in_place`: the hashes of the words are not needed any more and may be overwritten.
    const uint64_t* make_features(const Features& wanted, size_t& count, bool in_place);
    void make_digest(uint8_t* out);
    uint64_t simhash(const uint64_t* features, size_t count);
    uint64_t weighted_simhash(const uint64_t* features, size_t count);

    Words words_;
    const Plan& plan_;
    Buffer<uint64_t> features_;
    Buffer<uint64_t> distinct_;
};

}  // namespace nearcopy
