#include "neighbours.hpp"

#include <algorithm>
#include <cstdint>

namespace nearcopy {

namespace {

constexpr uint32_t kGap = 0xE000;

bool is_digit(char c) { return uint8_t(c - '0') < 10; }
bool is_letter(char c) { return uint8_t((c | 32) - 'a') < 26; }
bool is_part(char c) { return is_letter(c) || is_digit(c); }

size_t end_of_word(std::string_view text, size_t from) {
    while (from < text.size() && is_part(text[from])) ++from;
    return from;
}

bool ends_clause(char c) {
    return is_digit(c) || c == '\0' || std::string_view(",;:.!?|()").find(c) != std::string_view::npos;
}

// The characters from one place to another, those of gaps as ends of a clause.
bool in_ascii(const TextView& text, size_t from, size_t to, std::string& out) {
    out.clear();
    for (size_t i = from; i < std::min(to, text.size); ++i) {
        const uint32_t c = text.kind == 1   ? static_cast<const uint8_t*>(text.data)[i]
                           : text.kind == 2 ? static_cast<const uint16_t*>(text.data)[i]
                                            : static_cast<const uint32_t*>(text.data)[i];
        if (c == 0 || (c >= 128 && c != kGap)) return false;
        out += c == kGap ? '\0' : char(c);
    }
    return true;
}

std::vector<std::string> words_of(std::string_view clause) {
    std::vector<std::string> words;
    for (size_t from = 0; from < clause.size();) {
        size_t end = from;
        while (end < clause.size() && is_letter(clause[end])) ++end;
        if (end > from) words.emplace_back(clause.substr(from, end - from));
        from = end + 1;
    }
    return words;
}

}  // namespace

Neighbours::Neighbours(std::string_view text) : text_(text) {
    for (size_t from = 0; from < text.size();) {
        size_t end = end_of_word(text, from);
        if (end == from) {
            ++from;
            continue;
        }
        if (end + 1 < text.size() && text[end] == '\'' && is_part(text[end + 1]))
            end = end_of_word(text, end + 1);
        words_.emplace_back(from, end);
        from = end;
    }
}

std::pair<std::string_view, std::string_view> Neighbours::of(size_t start, size_t end,
                                                             size_t most) {
    size_t before = 0, after = words_.size();
    while (before < words_.size() && words_[before].second <= start) ++before;
    while (after > 0 && words_[after - 1].first >= end) --after;
    return {joined(before - std::min(before, most), before, before_),
            joined(after, std::min(words_.size(), after + most), after_)};
}

std::string_view Neighbours::joined(size_t first, size_t last, std::string& out) const {
    out.clear();
    for (size_t i = first; i < last; ++i) {
        if (i > first) out += ' ';
        out += text_.substr(words_[i].first, words_[i].second - words_[i].first);
    }
    return out;
}

bool clause_words(const TextView& text, size_t start, size_t end, const Reach& reach,
                  ClauseWords& out) {
    const size_t from = start - std::min(start, reach.characters);
    const size_t to = end + std::min(reach.characters, SIZE_MAX - end);
    std::string left, right;
    if (!in_ascii(text, from, start, left) || !in_ascii(text, end, to, right)) return false;
    const auto last = std::find_if(left.rbegin(), left.rend(), ends_clause);
    const auto first = std::find_if(right.begin(), right.end(), ends_clause);
    out.before = words_of(left.substr(size_t(left.rend() - last)));
    out.after = words_of(right.substr(0, size_t(first - right.begin())));
    if (out.before.size() > reach.before)
        out.before.erase(out.before.begin(), out.before.end() - ptrdiff_t(reach.before));
    if (out.after.size() > reach.after) out.after.resize(reach.after);
    return true;
}

}  // namespace nearcopy
