#include "sketch.hpp"

#include <algorithm>
#include <cstring>

#include "hashes.hpp"

// The inner loops, the votes of a SimHash and the minima of a MinHash, are in lanes_minhash_simhash.hpp, compiled for
// each level of the processor.

namespace nearcopy {

static uint64_t hash_bytes(Hash hash, const uint8_t* data, size_t size) {
    switch (hash) {
        case Hash::FNV1A:
            return fnv1a64(data, size);
        case Hash::XXH3:
            return xxh3_64(data, size);
        default:
            return murmur3_64(data, size);
    }
}

static bool continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }

static size_t next_point(const uint8_t* text, size_t bytes, size_t at) {
    do ++at;
    while (at < bytes && continues(text[at]));
    return at;
}

// The character n-grams of `size` of the normalised text, or all of a shorter text.
static size_t character_grams(const Words& words, Hash hash, size_t size, Buffer<uint64_t>& out) {
    const uint8_t* text = words.text();
    size_t bytes = words.bytes(), start = 0, end = 0, count = 0;
    uint64_t* grams = out.reserve(bytes);
    for (size_t i = 0; i < size && end < bytes; ++i) end = next_point(text, bytes, end);
    for (;;) {
        grams[count++] = hash_bytes(hash, text + start, end - start);
        if (end >= bytes) return count;
        start = next_point(text, bytes, start);
        end = next_point(text, bytes, end);
    }
}

const uint64_t* Sketcher::make_features(const Features& wanted, size_t& count, bool in_place) {
    if (wanted.unit == Unit::CHARACTERS) {
        count =
            words_.count() == 0 ? 0 : character_grams(words_, plan_.hash, wanted.size, features_);
        return features_.data();
    }
    count = words_.count();
    size_t size = std::min(wanted.size, count);
    if (size < 2) return words_.hashes();
    uint64_t* shingles = words_.hashes();
    if (!in_place) {
        shingles = features_.reserve(count);
        std::memcpy(shingles, words_.hashes(), count * sizeof(uint64_t));
    }
    lanes().shingle(shingles, count, size);
    count -= size - 1;
    return shingles;
}

static size_t sort_unique(uint64_t* values, size_t count) {
    std::sort(values, values + count);
    return size_t(std::unique(values, values + count) - values);
}

uint64_t Sketcher::weighted_simhash(const uint64_t* features, size_t count) {
    int64_t sums[64] = {};
    for (size_t i = 0; i < count; ++i) {
        auto entry = std::lower_bound(plan_.known.begin(), plan_.known.end(), features[i]);
        bool known = entry != plan_.known.end() && *entry == features[i];
        int64_t weight =
            known ? plan_.weight[size_t(entry - plan_.known.begin())] : plan_.unknown_weight;
        for (unsigned bit = 0; bit < 64; ++bit)
            sums[bit] += features[i] >> bit & 1 ? weight : -weight;
    }
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; ++bit) result |= uint64_t(sums[bit] > 0) << bit;
    return result;
}

uint64_t Sketcher::simhash(const uint64_t* features, size_t count) {
    if (plan_.weights == Weights::TFIDF) return weighted_simhash(features, count);
    if (plan_.weights == Weights::ONCE) {
        uint64_t* distinct = distinct_.reserve(count);
        std::memcpy(distinct, features, count * sizeof(uint64_t));
        count = sort_unique(distinct, count);
        features = distinct;
    }
    uint64_t ones[64] = {};
    lanes().votes(features, count, ones);
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; ++bit) result |= uint64_t(2 * ones[bit] > count) << bit;
    return result;
}

void Sketcher::make_digest(uint8_t* out) {
    if (plan_.digest == Digest::MD5) {
        md5(words_.text(), words_.bytes(), out);
        return;
    }
    Hash128 digest = xxh3_128(words_.text(), words_.bytes());
    for (unsigned i = 0; i < 8; ++i) {
        out[i] = uint8_t(digest.high >> (56 - 8 * i));
        out[8 + i] = uint8_t(digest.low >> (56 - 8 * i));
    }
}

void Sketcher::finish(const Sketch& out) {
    *out.words = uint32_t(words_.count());
    *out.simhash = 0;
    std::memset(out.minhash, 0, kSlots * sizeof(uint32_t));
    std::memset(out.digest, 0, 16);
    if (words_.count() == 0) return;
    make_digest(out.digest);
    words_.cut(plan_.max_chars);
    size_t count = 0;
    const uint64_t* hashes = nullptr;
    bool same = plan_.minhash == plan_.simhash;
    if (plan_.simhash.size > 0) {
        hashes = make_features(plan_.simhash, count, same || plan_.minhash.size == 0);
        *out.simhash = simhash(hashes, count);
    }
    if (plan_.minhash.size > 0) {
        if (hashes == nullptr || !same) hashes = make_features(plan_.minhash, count, true);
        if (plan_.scheme == Scheme::CLASSIC)
            lanes().classic(hashes, count, out.minhash);
        else
            lanes().one_permutation(hashes, count, out.minhash);
    }
}

const uint64_t* Sketcher::features(const TextView& text, const Features& wanted, size_t& count) {
    words_.fold(text, plan_.hash);
    words_.cut(plan_.max_chars);
    return make_features(wanted, count, true);
}

void Sketcher::feature_set(const TextView& text, const Features& wanted,
                           std::vector<uint64_t>& out) {
    size_t count = 0;
    const uint64_t* hashes = features(text, wanted, count);
    out.assign(hashes, hashes + count);
    out.resize(sort_unique(out.data(), count));
}

}  // namespace nearcopy
