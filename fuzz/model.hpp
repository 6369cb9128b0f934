// The kernels once more, as slow and plain as kernels/reference has them; no code in common with
// src/native but the table and the hashes of bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hashes.hpp"
#include "overlap.hpp"
#include "sketch.hpp"

namespace fuzz {

using Points = std::vector<uint32_t>;
using Hashes = std::vector<uint64_t>;

inline void append_utf8(std::string& out, uint32_t point) {
    if (point < 0x80) {
        out += char(point);
        return;
    }
    const unsigned more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
    out += char(lead[more] | point >> (6 * more));
    for (unsigned i = more; i-- > 0;) out += char(0x80 | (point >> (6 * i) & 0x3F));
}

inline std::string utf8(const Points& points) {
    std::string out;
    for (uint32_t point : points) append_utf8(out, point);
    return out;
}

// The code points of UTF-8; a byte that is no part of one stands for itself.
inline Points decoded(const uint8_t* data, size_t size) {
    Points points;
    for (size_t at = 0; at < size;) {
        const uint8_t lead = data[at];
        const size_t more = lead >= 0xF0 && lead < 0xF5   ? 3
                            : lead >= 0xE0 && lead < 0xF0 ? 2
                            : lead >= 0xC2 && lead < 0xE0 ? 1
                                                          : 0;
        size_t good = 0;
        while (good < more && at + good + 1 < size && (data[at + good + 1] & 0xC0) == 0x80) ++good;
        uint32_t point = lead;
        if (more > 0 && good == more) {
            point = lead & (0x3F >> more);
            for (size_t i = 1; i <= more; ++i) point = point << 6 | (data[at + i] & 0x3F);
            at += more;
        }
        points.push_back(point % 0x110000);
        ++at;
    }
    return points;
}

// --- Words: _Folding of reference/words.py -----------------------------------------------------

struct ModelWord {
    Points points;
    nearcopy::Span span;
};

class Folding {
public:
    explicit Folding(const nearcopy::FoldTable& table) : table_(table) {}

    void fold(uint32_t point, nearcopy::Span from) {
        const uint32_t entry = table_.entry(point);
        const uint32_t value = entry & nearcopy::kPointMask;
        if (entry >> nearcopy::kKindShift != nearcopy::SEQUENCE) return part(entry, from);
        for (uint32_t i = 1; i <= table_.sequences[value]; ++i)
            part(table_.sequences[value + i], from);
    }

    std::vector<ModelWord> words;

private:
    void part(uint32_t entry, nearcopy::Span from) {
        const uint32_t kind = entry >> nearcopy::kKindShift, value = entry & nearcopy::kPointMask;
        if (kind == nearcopy::SEPARATOR)
            open_ = touching_ = false;
        else if (kind == nearcopy::REMOVED || (kind == nearcopy::JOIN && join(value)))
            extend(from.end);
        else
            write(value, kind == nearcopy::SINGLE, from);
    }

    void write(uint32_t point, bool single, nearcopy::Span from) {
        if (!open_ || single) words.push_back({{}, from});
        words.back().points.push_back(point);
        words.back().span.end = from.end;
        open_ = !single;
        touching_ = true;
    }

    void extend(uint32_t end) {
        if (touching_) words.back().span.end = end;
    }

    bool join(uint32_t mark) {
        const uint32_t both = touching_ ? joined(words.back().points.back(), mark) : 0;
        if (both != 0) words.back().points.back() = both;
        return both != 0 || mark == 0x3099 || mark == 0x309A;
    }

    uint32_t joined(uint32_t base, uint32_t mark) const {
        if (base >= 0x1100 && base <= 0x1112 && mark >= 0x1161 && mark <= 0x1175)
            return 0xAC00 + ((base - 0x1100) * 21 + (mark - 0x1161)) * 28;
        const bool open_syllable = base >= 0xAC00 && base <= 0xD7A3 && (base - 0xAC00) % 28 == 0;
        if (open_syllable && mark >= 0x11A8 && mark <= 0x11C2) return base + mark - 0x11A7;
        for (const nearcopy::Join& join : table_.joins)
            if (join.base == base && join.mark == mark) return join.joined;
        return 0;
    }

    const nearcopy::FoldTable& table_;
    bool open_ = false, touching_ = false;
};

// The words with one space between, and where each begins.
inline Points normalised(const std::vector<ModelWord>& words) {
    Points text;
    for (const ModelWord& word : words) {
        if (!text.empty()) text.push_back(' ');
        text.insert(text.end(), word.points.begin(), word.points.end());
    }
    return text;
}

inline void cut(std::vector<ModelWord>& words, size_t max_chars) {
    size_t begins = 0, kept = 0;
    for (; kept < words.size() && begins < max_chars; ++kept)
        begins += words[kept].points.size() + 1;
    words.resize(kept);
}

// --- Sketches: reference/sketches.py -----------------------------------------------------------

inline uint64_t hash_of(nearcopy::Hash hash, const std::string& text) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    if (hash == nearcopy::Hash::FNV1A) return nearcopy::fnv1a64(data, text.size());
    if (hash == nearcopy::Hash::XXH3) return nearcopy::xxh3_64(data, text.size());
    return nearcopy::murmur3_64(data, text.size());
}

inline Hashes model_shingles(const Hashes& words, size_t size) {
    size = std::min(size, words.size());
    if (size < 2) return words;
    Hashes out;
    for (size_t at = 0; at + size <= words.size(); ++at) {
        uint64_t sum = words[at];
        for (size_t i = 1; i < size; ++i) sum = sum * nearcopy::kGolden + words[at + i];
        out.push_back(nearcopy::fmix64(sum));
    }
    return out;
}

inline Hashes model_features(const std::vector<ModelWord>& words, nearcopy::Hash hash,
                             const nearcopy::Features& wanted) {
    Hashes each;
    if (wanted.unit == nearcopy::Unit::WORDS) {
        for (const ModelWord& word : words) each.push_back(hash_of(hash, utf8(word.points)));
        return model_shingles(each, wanted.size);
    }
    const Points text = normalised(words);
    for (size_t at = 0; at < text.size() && (at == 0 || at + wanted.size <= text.size()); ++at) {
        const size_t end = std::min(at + wanted.size, text.size());
        each.push_back(
            hash_of(hash, utf8(Points(text.begin() + long(at), text.begin() + long(end)))));
    }
    return each;
}

inline int64_t weight_of(uint64_t feature, const nearcopy::Plan& plan) {
    if (plan.weights != nearcopy::Weights::TFIDF) return 1;
    for (size_t i = 0; i < plan.known.size(); ++i)
        if (plan.known[i] == feature) return plan.weight[i];
    return plan.unknown_weight;
}

inline uint64_t model_simhash(Hashes features, const nearcopy::Plan& plan) {
    if (plan.weights == nearcopy::Weights::ONCE) {
        const std::set<uint64_t> distinct(features.begin(), features.end());
        features.assign(distinct.begin(), distinct.end());
    }
    int64_t sums[64] = {};
    for (uint64_t feature : features) {
        const int64_t weight = weight_of(feature, plan);
        for (unsigned bit = 0; bit < 64; ++bit) sums[bit] += feature >> bit & 1 ? weight : -weight;
    }
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; ++bit) result |= uint64_t(sums[bit] > 0) << bit;
    return result;
}

inline std::vector<uint32_t> model_classic(const Hashes& features) {
    std::vector<uint32_t> signature;
    for (uint64_t slot = 0; slot < nearcopy::kSlots; ++slot) {
        const uint64_t multiplier = nearcopy::fmix64((2 * slot + 1) * nearcopy::kGolden) | 1;
        const uint64_t addend = nearcopy::fmix64((2 * slot + 2) * nearcopy::kGolden);
        uint32_t least = nearcopy::kEmpty;
        for (uint64_t feature : features)
            least = std::min(least, uint32_t((feature * multiplier + addend) >> 32));
        signature.push_back(least);
    }
    return signature;
}

inline std::vector<uint32_t> model_one_permutation(const Hashes& features) {
    std::vector<uint32_t> signature(nearcopy::kSlots, nearcopy::kEmpty);
    for (uint64_t round = 0; round < nearcopy::kRounds; ++round) {
        std::vector<uint32_t> slots(nearcopy::kSlots, nearcopy::kEmpty);
        for (uint64_t feature : features) {
            const uint64_t mixed =
                round == 0 ? feature : nearcopy::fmix64(feature ^ round * nearcopy::kGolden);
            uint32_t& slot = slots[mixed % nearcopy::kSlots];
            slot = std::min(slot, uint32_t(mixed >> 32));
        }
        for (size_t i = 0; i < nearcopy::kSlots; ++i)
            if (signature[i] == nearcopy::kEmpty) signature[i] = slots[i];
    }
    const std::vector<uint32_t> classic = model_classic(features);
    for (size_t i = 0; i < nearcopy::kSlots; ++i)
        if (signature[i] == nearcopy::kEmpty) signature[i] = classic[i];
    return signature;
}

// --- Passages: reference/overlap.py ------------------------------------------------------------

inline size_t common(const std::vector<ModelWord>& a, size_t i, const std::vector<ModelWord>& b,
                     size_t j) {
    size_t size = 0;
    while (i + size < a.size() && j + size < b.size() && a[i + size].points == b[j + size].points)
        ++size;
    return size;
}

inline std::vector<nearcopy::Passage> model_passages(const std::vector<ModelWord>& a,
                                                     const std::vector<ModelWord>& b,
                                                     size_t min_words) {
    constexpr size_t kMaxPlaces = 16;
    std::vector<nearcopy::Passage> found;
    for (size_t at = 0; at + min_words <= b.size();) {
        size_t best = 0, best_place = 0, tried = 0;
        for (size_t place = 0; place < a.size() && tried < kMaxPlaces; ++place) {
            const size_t size = common(a, place, b, at);
            tried += size >= min_words;
            if (size >= min_words && size > best) best = size, best_place = place;
        }
        if (best > 0)
            found.push_back({{a[best_place].span.start, a[best_place + best - 1].span.end},
                             {b[at].span.start, b[at + best - 1].span.end},
                             uint32_t(best)});
        at += std::max<size_t>(best, 1);
    }
    return found;
}

}  // namespace fuzz
