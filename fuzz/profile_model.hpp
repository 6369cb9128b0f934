// Term profiles once more, as kernels/reference/profiles.py has them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "profiles.hpp"
#include "tables.hpp"

namespace fuzz {

using Bytes = std::vector<uint8_t>;

// What terms weigh, once as the kernel looks it up and once plainly.
struct Rarities {
    explicit Rarities(const TermList& list)
        : kernel(list.known, list.unknown), unknown(list.unknown) {
        for (const auto& [term, weight] : list.known) {
            const auto [known, fresh] = plain.emplace(term, weight);
            if (!fresh) known->second = std::min(known->second, weight);
        }
    }

    uint32_t of(uint32_t term) const {
        const auto known = plain.find(term);
        return known == plain.end() ? unknown : known->second;
    }

    nearcopy::TermWeights kernel;
    std::map<uint32_t, uint32_t> plain;
    uint32_t unknown;
};

struct Counted {
    size_t count = 0;
    bool title = false, half = false;
};

class ModelProfile {
public:
    void add(const Points& text, bool title) {
        Folding folding(tables().fold);
        for (uint32_t point : text) folding.fold(point, {0, 0});
        const Points* before = nullptr;
        for (const ModelWord& word : folding.words) {
            const Points* single = is_unspaced(word.points) ? &word.points : nullptr;
            if (single != nullptr)
                add_single(*single, before, title);
            else if (!has_digit(word.points))
                add_term(prefix(word.points), title, false);
            before = single;
        }
    }

    Bytes bytes(const Rarities& rarities) const {
        std::vector<std::pair<int64_t, uint32_t>> ranked;
        for (const auto& [term, counted] : terms_)
            ranked.emplace_back(-int64_t(weight(counted)) * rarities.of(term), term);
        std::sort(ranked.begin(), ranked.end());
        ranked.resize(std::min(ranked.size(), nearcopy::kMostTerms));
        std::set<uint32_t> kept;
        for (const auto& [rank, term] : ranked) kept.insert(term);
        Bytes made;
        for (uint32_t term : kept) {
            for (unsigned i = 0; i < 4; ++i) made.push_back(uint8_t(term >> (8 * i)));
            made.push_back(uint8_t(weight(terms_.at(term))));
        }
        return made;
    }

private:
    static bool is_unspaced(const Points& word) {
        const uint32_t point = word[0];
        return word.size() == 1 && point >= 0x0E00 && !(point >= 0xAC00 && point < 0xD7A4);
    }

    static bool has_digit(const Points& word) {
        return std::any_of(word.begin(), word.end(),
                           [](uint32_t c) { return c >= '0' && c <= '9'; });
    }

    static Points prefix(Points word) {
        if (word.size() > 4 && word[0] == 0x0627 && word[1] == 0x0644)
            word.erase(word.begin(), word.begin() + 2);
        word.resize(std::min<size_t>(word.size(), 5));
        return word;
    }

    void add_single(const Points& single, const Points* before, bool title) {
        add_term(single, title, true);
        if (before != nullptr) add_term({before->front(), single.front()}, title, false);
    }

    void add_term(const Points& term, bool title, bool half) {
        Counted& counted = terms_[uint32_t(hash_of(nearcopy::Hash::MURMUR3, utf8(term)))];
        ++counted.count;
        counted.title |= title;
        counted.half |= half;
    }

    // 20 * count**0.8, in whole numbers.
    static unsigned weight(const Counted& term) {
        const unsigned count = unsigned(std::min<size_t>(term.count, 16));
        const unsigned weight = unsigned(std::lround(20 * std::pow(count, 0.8)));
        return (weight + (term.title ? 60 : 0)) / (term.half ? 2 : 1);
    }

    std::map<uint32_t, Counted> terms_;
};

// --- Two profiles ------------------------------------------------------------------------------

inline uint32_t hash_at(const Bytes& profile, size_t at) {
    return uint32_t(profile[at]) | uint32_t(profile[at + 1]) << 8 |
           uint32_t(profile[at + 2]) << 16 | uint32_t(profile[at + 3]) << 24;
}

inline bool ascends(const Bytes& profile) {
    for (size_t at = 5; at < profile.size(); at += 5)
        if (hash_at(profile, at - 5) >= hash_at(profile, at)) return false;
    return true;
}

inline double model_cosine(const Rarities& rarities, const Bytes& a, const Bytes& b) {
    if (!ascends(a) || !ascends(b)) return -1;
    std::map<uint32_t, uint64_t> left, right;
    for (const auto& [profile, side] : {std::pair(&a, &left), std::pair(&b, &right)})
        for (size_t at = 0; at < profile->size(); at += 5)
            (*side)[hash_at(*profile, at)] =
                uint64_t((*profile)[at + 4]) * rarities.of(hash_at(*profile, at));
    uint64_t squares[2] = {}, product = 0;
    for (const auto& [term, value] : left) squares[0] += value * value;
    for (const auto& [term, value] : right) squares[1] += value * value;
    for (const auto& [term, value] : left) product += right.count(term) ? value * right[term] : 0;
    if (squares[0] == 0 || squares[1] == 0) return std::nan("");
    return std::min(1.0, double(product) / std::sqrt(double(squares[0]) * double(squares[1])));
}

}  // namespace fuzz
