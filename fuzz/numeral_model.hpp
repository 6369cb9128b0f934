// Numerals once more, as kernels/reference/numerals.py has them, and what two profiles share.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "tables.hpp"

namespace fuzz {

struct Piece {
    std::string word, value;  // no value: not a numeral
    bool spelled;
    size_t start, end;
};

inline bool one_of(const Points& gap, const char32_t* marks) {
    return gap.size() == 1 && std::u32string(marks).find(char32_t(gap[0])) != std::u32string::npos;
}

inline bool is_figure(const std::string& word) { return word[0] >= '0' && word[0] <= '9'; }

class ModelNumeral {
public:
    ModelNumeral(const Piece& piece, std::string before)
        : value(piece.value), before(std::move(before)), spelled_(piece.spelled) {
        group_ = !spelled_ && value.size() <= 3 && value[0] != '0';
        tens_ = spelled_ && value.size() == 2 && is_figure(value) && value[1] == '0';
    }

    bool grow(const Points& gap, const Piece& piece) {
        if (piece.value.empty() || spelled_ != piece.spelled) return false;
        return spelled_ ? spell(gap, piece.value) : figure(gap, piece.value);
    }

    std::string value, before;

private:
    bool figure(const Points& gap, const std::string& digits) {
        if (group_ && one_of(gap, U".,'\u2019\u060C\u066C\uFF0C\u00A0\u2009\u202F") &&
            digits.size() == 3) {
            value += digits;
            return true;
        }
        if (!gap.empty() && !one_of(gap, U".,\u060C\u066B\uFF0C\uFF0E") && !sign(gap)) return false;
        value += "." + digits;
        group_ = false;
        return true;
    }

    static bool sign(Points gap) {
        if (gap.size() > 3) return false;
        if (gap.size() > 1 && gap.front() == ' ') gap.erase(gap.begin());
        if (gap.size() > 1 && gap.back() == ' ') gap.pop_back();
        return one_of(gap, U"-/:\u2010\u2011\u2013\u2044");
    }

    bool spell(const Points& gap, const std::string& more) {
        const bool unit = more.size() == 1, touches = gap.empty();
        if (tens_ && unit && more != "0" && (touches || one_of(gap, U"-")))
            value.replace(value.size() - 1, 1, more);
        else if (touches && more == "10" && value.size() == 1)
            value += "0";
        else if (touches && unit && is_figure(value))
            value += more;
        else
            return false;
        tens_ = more == "10";
        return true;
    }

    bool spelled_, group_, tens_;
};

inline std::string spelled_value(const std::string& word, uint32_t first) {
    static const auto table = [] {
        std::map<std::string, nearcopy::NumberWord> made;
        for (const nearcopy::NumberWord& each : all_tables().number_words) made[each.word] = each;
        return made;
    }();
    const auto known = table.find(word);
    if (known == table.end() || (known->second.capital && !(first >= 'A' && first <= 'Z')))
        return "";
    return known->second.value;
}

inline std::vector<Piece> pieces(const Points& text) {
    Folding folding(tables().fold);
    for (size_t i = 0; i < text.size(); ++i) folding.fold(text[i], {uint32_t(i), uint32_t(i + 1)});
    std::vector<Piece> out;
    for (const ModelWord& found : folding.words) {
        const std::string word = utf8(found.points);
        const size_t start = found.span.start, end = found.span.end;
        for (size_t from = 0, to; from < word.size(); from = to) {
            const bool digits = is_figure(word.substr(from));
            for (to = from + 1; to < word.size() && is_figure(word.substr(to, 1)) == digits;) ++to;
            const std::string part = word.substr(from, to - from);
            const std::string value = digits                ? part
                                      : part.size() == word.size() ? spelled_value(word, text[start])
                                                                   : "";
            const bool exact = found.points.size() == word.size() && word.size() == end - start;
            out.push_back({part, value, !digits && !value.empty(), exact ? start + from : start,
                           exact ? start + to : end});
        }
    }
    return out;
}

inline uint64_t word_hash(const std::string& word) {
    const auto* data = reinterpret_cast<const uint8_t*>(word.data());
    return word.empty() ? 0 : nearcopy::murmur3_64(data, word.size());
}

inline uint32_t packed(const ModelNumeral& numeral, const std::string& after) {
    const uint64_t context =
        nearcopy::fmix64(word_hash(numeral.before) + word_hash(after) * nearcopy::kGolden);
    return uint32_t(context & 0xFFFF) | uint32_t(word_hash(numeral.value) & 0xFFFF) << 16;
}

inline std::vector<uint32_t> model_profile(const Points& text) {
    std::vector<uint32_t> made;
    std::vector<ModelNumeral> open;
    std::string before;
    size_t end = 0;
    for (const Piece& piece : pieces(text)) {
        Points gap;
        if (piece.start > end) gap.assign(&text[end], &text[end] + (piece.start - end));
        if (!open.empty() && open[0].grow(gap, piece)) {
            end = piece.end;
            continue;
        }
        const std::string word = piece.value.empty() ? piece.word : "#";
        if (!open.empty()) made.push_back(packed(open[0], word));
        open.clear();
        if (!piece.value.empty()) open.emplace_back(piece, before);
        before = word;
        end = piece.end;
    }
    if (!open.empty()) made.push_back(packed(open[0], ""));
    made.resize(std::min(made.size(), nearcopy::kMostNumerals));
    return made;
}

// --- Two profiles: reference/distances.py ------------------------------------------------------

using Entries = std::vector<uint32_t>;

inline double model_share(const Entries& a, const Entries& b) {
    std::multiset<uint32_t> left, right;
    for (uint32_t entry : a) left.insert(entry >> 16);
    for (uint32_t entry : b) right.insert(entry >> 16);
    Entries both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                          std::back_inserter(both));
    const size_t smaller = std::min(a.size(), b.size());
    return smaller > 1 ? double(both.size()) / double(smaller) : std::nan("");
}

inline size_t model_changed(const Entries& a, const Entries& b) {
    std::set<uint32_t> met, changed;
    for (uint32_t x : a)
        for (uint32_t y : b)
            if ((x & 0xFFFF) == (y & 0xFFFF)) (x == y ? met : changed).insert(x & 0xFFFF);
    for (uint32_t context : met) changed.erase(context);
    return changed.size();
}

}  // namespace fuzz
