// Term profiles once more, as kernels/reference/profiles.py has them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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

// --- Lines -------------------------------------------------------------------------------------

inline size_t letters(const Points& line) {
    const auto wide = [](uint32_t c) { return c >= 0x2E80; };
    return line.size() + 2 * size_t(std::count_if(line.begin(), line.end(), wide));
}

inline bool is_told(const Points& line) {
    static const std::set<uint32_t> ends = {'.',    '!',    '?',    ':',    '"',    '\'',   ')',
                                            0xBB,   0x61F,  0x6D4,  0x964,  0x2019, 0x201D, 0x2026,
                                            0x3002, 0x300D, 0x300F, 0xFF01, 0xFF1F};
    if (letters(line) < 60) return false;
    if (letters(line) >= 150) return true;
    const auto blank = [](uint32_t c) { return c <= ' ' || c == 0xA0; };
    const auto last = std::find_if_not(line.rbegin(), line.rend(), blank);
    return last != line.rend() && ends.count(*last) > 0;
}

inline Points sentences(const Points& text) {
    std::vector<Points> lines(1);
    for (uint32_t point : text) {
        if (point == '\n')
            lines.emplace_back();
        else
            lines.back().push_back(point);
    }
    size_t all = 0, told = 0;
    Points kept;
    for (const Points& line : lines) {
        all += letters(line);
        if (!is_told(line)) continue;
        told += letters(line);
        kept.insert(kept.end(), line.begin(), line.end());
        kept.push_back('\n');
    }
    return told == all || told * 10 < all * 3 ? text : kept;
}

// --- Profiles ----------------------------------------------------------------------------------

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
            const Counted& counted = terms_.at(term);
            made.push_back(uint8_t(weight(counted) | (counted.title ? 128 : 0)));
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

    // 10 * count**0.8, in whole numbers.
    static unsigned weight(const Counted& term) {
        const unsigned count = unsigned(std::min<size_t>(term.count, 16));
        const unsigned weight = unsigned(std::lround(10 * std::pow(count, 0.8)));
        return (weight + (term.title ? 30 : 0)) / (term.half ? 2 : 1);
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

struct ModelValues {
    ModelValues(const Rarities& rarities, const Bytes& profile) {
        for (size_t at = 0; at < profile.size(); at += 5) {
            const uint32_t term = hash_at(profile, at);
            const uint64_t value = uint64_t(profile[at + 4] % 128) * rarities.of(term);
            all[term] = value;
            if (profile[at + 4] >= 128) titled[term] = value;
        }
        for (const auto& [term, value] : all) square += value * value;
    }

    std::map<uint32_t, uint64_t> all, titled;
    uint64_t square = 0;
};

// How much of the one is found in the other.
inline double model_share(const std::map<uint32_t, uint64_t>& one,
                          const std::map<uint32_t, uint64_t>& other) {
    uint64_t part = 0, whole = 0;
    for (const auto& [term, value] : one) {
        whole += value;
        part += other.count(term) ? value : 0;
    }
    return whole == 0 ? std::nan("") : double(part) / double(whole);
}

inline nearcopy::ProfileMeasures model_measures(const Rarities& rarities, const Bytes& a,
                                                const Bytes& b) {
    if (!ascends(a) || !ascends(b)) return {-1, -1, -1, -1};
    const ModelValues left(rarities, a), right(rarities, b);
    const double none = std::nan("");
    if (left.square == 0 || right.square == 0) return {none, none, none, none};
    uint64_t product = 0;
    for (const auto& [term, value] : left.all)
        product += right.all.count(term) ? value * right.all.at(term) : 0;
    const double norms = std::sqrt(double(left.square) * double(right.square));
    const double ours = model_share(left.all, right.all), theirs = model_share(right.all, left.all);
    return {std::min(1.0, double(product) / norms),
            std::fmax(model_share(left.titled, right.all), model_share(right.titled, left.all)),
            std::max(ours, theirs), std::min(ours, theirs)};
}

}  // namespace fuzz
