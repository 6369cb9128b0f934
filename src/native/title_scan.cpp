#include "title_scan.hpp"

#include <algorithm>
#include <stdexcept>

namespace nearcopy {

namespace {

constexpr size_t kMostParts = 5;  // of initials with points: U.S.A.

bool is_digit(char c) { return uint8_t(c - '0') < 10; }
bool is_small(char c) { return uint8_t(c - 'a') < 26; }
bool is_capital(char c) { return uint8_t(c - 'A') < 26; }
bool is_letter(char c) { return uint8_t((c | 32) - 'a') < 26; }
bool is_part(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_space(char c) { return c == ' ' || uint8_t(c - 9) < 5 || uint8_t(c - 28) < 4; }
char lowered(char c) { return is_capital(c) ? char(c | 32) : c; }

uint32_t slot_hash(std::string_view word) {
    uint32_t hash = 2166136261u;
    for (char c : word) hash = (hash ^ uint8_t(c)) * 16777619u;
    return hash ^ hash >> 15;
}

// The character at a position, or 0 past the end, which is no letter.
char at(const std::string& text, size_t place) { return place < text.size() ? text[place] : '\0'; }

bool is_minute(const std::string& text, size_t place) {
    return is_digit(at(text, place)) && at(text, place) < '6' && is_digit(at(text, place + 1));
}

// Whether a clock time has this digit: "5 p.m.", "17:30", "17h30", " 17.30".
bool is_of_clock(const std::string& text, size_t digit) {
    size_t next = digit + 1;
    if (at(text, next) == ':' || at(text, next) == 'h') return is_minute(text, next + 1);
    if (digit > 0 && text[digit - 1] == ' ') {
        const size_t point = next + is_digit(at(text, next));
        if (at(text, point) == '.' && is_minute(text, point + 1)) return true;
    }
    next += at(text, next) == ' ';
    if (at(text, next) != 'a' && at(text, next) != 'p') return false;
    next += at(text, next + 1) == '.' ? 2 : 1;
    return at(text, next) == 'm' && !is_part(at(text, next + 1));
}

// Whether an age of two digits begins here: "Ann Smith, 42, wins", "Jugendlicher (14)".
bool is_age(const std::string& text, size_t digit) {
    if (digit < 2 || !is_digit(at(text, digit + 1))) return false;
    const char before = text[digit - 2], sign = text[digit - 1], after = at(text, digit + 2);
    if (before == ' ' && sign == '(') return after == ')';
    return before == ',' && sign == ' ' && (after == ',' || digit + 2 == text.size());
}

// How the words of a title are capitalised, which decides whether capitals mark names.
struct Writing {
    size_t words = 0, capitals = 0, small = 0;  // capitals: words from the second on
    bool any_small = false;                     // letters

    explicit Writing(const std::string& text) {
        for (size_t start = 0; start < text.size();) {
            size_t end = start;
            bool lower = false, upper = false;
            for (; end < text.size() && !is_space(text[end]); ++end) {
                lower |= is_small(text[end]);
                upper |= is_capital(text[end]);
            }
            if (end > start) {
                capitals += words > 0 && is_capital(text[start]);
                small += end - start > 3 && lower && !upper;
                any_small |= lower;
                ++words;
            }
            start = end + 1;
        }
    }
};

// Where initials with points end, ".S.A." behind a capital; `from` where there are none.
size_t end_of_initials(const std::string& text, size_t from) {
    if (at(text, from) != '.') return from;
    size_t end = from + 1, parts = 0;
    while (parts < kMostParts && is_capital(at(text, end)) && at(text, end + 1) == '.')
        end += 2, ++parts;
    return parts > 0 ? end : from;
}

size_t end_of_letters(const std::string& text, size_t from) {
    while (is_letter(at(text, from))) ++from;
    return from;
}

// The end of a capitalised word whose capital is before `from`: "U.S.", "O'Neill", "Al-Sayed".
size_t end_of_word(const std::string& text, size_t from) {
    size_t end = end_of_initials(text, from);
    if (end > from) return end;
    end = end_of_letters(text, from);
    while ((at(text, end) == '\'' || at(text, end) == '-') && is_capital(at(text, end + 1)))
        end = end_of_letters(text, end + 2);
    return end;
}

// The offset of the capital of the next word of a name; 0 at the end of the name.
size_t next_capital(const std::string& text, size_t from) {
    if (at(text, from) != ' ') return 0;
    if (is_capital(at(text, from + 1))) return from + 1;
    for (std::string_view link : {" al-", " bin ", " de ", " van ", " von "})
        if (text.compare(from, link.size(), link) == 0 && is_capital(at(text, from + link.size())))
            return from + link.size();
    return 0;
}

size_t end_of_run(const std::string& text, size_t capital) {
    size_t end = end_of_word(text, capital + 1);
    for (size_t next; (next = next_capital(text, end)) != 0;) end = end_of_word(text, next + 1);
    return end;
}

// Where an acronym ends that begins with this capital; the capital's own place where it is none.
size_t end_of_acronym(const std::string& text, size_t capital) {
    size_t end = capital + 1;
    while (is_capital(at(text, end)) && end - capital <= kMostParts) ++end;
    if (end == capital + 1) end = end_of_initials(text, end);
    const bool ends = end > capital + 1 && !is_part(at(text, end)) && at(text, end) != '-';
    return ends ? end : capital;
}

}  // namespace

TitleScanTable::TitleScanTable(const Known& rules, const std::vector<std::string>& common,
                         const std::vector<std::pair<uint32_t, uint8_t>>& letters, size_t longest)
    : longest_(longest) {
    if (rules.size() + common.size() > 1 << 16) throw std::length_error("too many words");
    size_t slots = 64;
    while (slots < 4 * (rules.size() + common.size())) slots *= 2;
    slots_.assign(slots, 0);
    for (const auto& [word, bits] : rules) entry(word).rules = bits;
    for (const std::string& word : common) entry(word).common = true;
    for (const Entry& entry : entries_) {
        longest_word_ = std::max(longest_word_, entry.word.size());
        const char c = at(entry.word, 0);
        if (entry.word.size() == 1 && uint8_t(c) < 128 && !is_letter(c))
            signs_[uint8_t(c)] = entry.rules;
    }
    auto of = [&](const char* shape) {
        const Entry* entry = find(shape);
        return entry ? entry->rules : 0;
    };
    any_ = of("0"), joined_ = of("0-0"), pointed_ = of("0.0"), century_ = of("20"),
    glued_ = of("a0"), clock_ = of("0:0"), age_ = of(", 0");
    letters_.assign(0x10000, 0);
    for (const auto& [point, letter] : letters)
        if (point < letters_.size() && letter < 128) letters_[point] = letter;
    for (uint8_t c = 0; c < 128; ++c) letters_[c] = 0;  // ASCII needs no replacement
}

TitleScanTable::Entry& TitleScanTable::entry(std::string_view word) {
    size_t slot = slot_hash(word) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
        if (entries_[slots_[slot] - 1].word == word) return entries_[slots_[slot] - 1];
    entries_.push_back({std::string(word), 0, false});
    slots_[slot] = uint32_t(entries_.size());
    return entries_.back();
}

const TitleScanTable::Entry* TitleScanTable::find(std::string_view word) const {
    if (word.size() > longest_word_) return nullptr;
    size_t slot = slot_hash(word) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
        if (entries_[slots_[slot] - 1].word == word) return &entries_[slots_[slot] - 1];
    return nullptr;
}

TitleScan TitleScanTable::read(const TextView& title) const {
    TitleScan scan;
    std::string text;
    scan.plain = in_ascii(title, std::min(title.size, longest_), text);
    if (!scan.plain) return scan;
    scan.rules = rules(text);
    add_names(text, scan.names);
    return scan;
}

bool TitleScanTable::names(const TextView& text, uint32_t blank,
                           std::vector<TitleName>& out) const {
    std::string plain(text.size, '\0');
    for (size_t i = 0; i < text.size; ++i) {
        const uint32_t c = text.kind == 1   ? static_cast<const uint8_t*>(text.data)[i]
                           : text.kind == 2 ? static_cast<const uint16_t*>(text.data)[i]
                                            : static_cast<const uint32_t*>(text.data)[i];
        if (c >= 128 && c != blank) return false;
        plain[i] = c < 128 ? char(c) : '\0';
    }
    add_names(plain, out);
    return true;
}

template <class Char>
bool TitleScanTable::in_ascii(const Char* text, size_t size, std::string& out) const {
    out.resize(size);
    for (size_t i = 0; i < size; ++i) {
        uint32_t c = text[i];
        if (c >= 128) c = c < letters_.size() ? letters_[c] : 0;
        if (c == 0 && text[i] != 0) return false;
        out[i] = char(c);
    }
    return true;
}

bool TitleScanTable::in_ascii(const TextView& title, size_t size, std::string& out) const {
    if (title.kind == 1) return in_ascii(static_cast<const uint8_t*>(title.data), size, out);
    if (title.kind == 2) return in_ascii(static_cast<const uint16_t*>(title.data), size, out);
    return in_ascii(static_cast<const uint32_t*>(title.data), size, out);
}

// The rules triggered by words, and if there is a digit, by signs and shapes of numbers.
uint64_t TitleScanTable::rules(const std::string& text) const {
    std::string lower(text.size(), '\0');
    std::transform(text.begin(), text.end(), lower.begin(), lowered);
    uint64_t bits = 0, signs = 0;
    bool digit = false;
    for (size_t start = 0; start < lower.size();) {
        if (!is_small(lower[start])) {
            digit |= is_digit(lower[start]);
            signs |= signs_[uint8_t(lower[start++])];
            continue;
        }
        size_t end = start + 1;
        while (is_small(at(lower, end))) ++end;
        const Entry* known = find(std::string_view(lower).substr(start, end - start));
        if (known != nullptr) bits |= known->rules;
        start = end;
    }
    return digit ? bits | signs | any_ | shapes(lower) : bits;
}

uint64_t TitleScanTable::shapes(const std::string& lower) const {
    uint64_t bits = 0;
    for (size_t i = 0; i < lower.size(); ++i) {
        if (!is_digit(lower[i])) continue;
        size_t sign = i + 1 + (at(lower, i + 1) == ' ');
        const char c = at(lower, sign);
        if (c == '-' || c == '/' || c == '.') {
            const size_t next = sign + 1 + (at(lower, sign + 1) == ' ');
            if (is_digit(at(lower, next))) bits |= joined_;
        }
        if (at(lower, i + 1) == '.' && is_digit(at(lower, i + 2))) bits |= pointed_;
        const bool century = (lower[i] == '1' && at(lower, i + 1) == '9') ||
                             (lower[i] == '2' && at(lower, i + 1) == '0');
        if (century && is_digit(at(lower, i + 2)) && is_digit(at(lower, i + 3))) bits |= century_;
        if (is_of_clock(lower, i)) bits |= clock_;
        if (is_age(lower, i)) bits |= age_;
        const size_t before = i > 1 && lower[i - 1] == '-' ? i - 2 : i - 1;
        if (is_small(at(lower, i + 1)) || (i > 0 && is_small(lower[before]))) bits |= glued_;
    }
    return bits;
}

void TitleScanTable::add_names(const std::string& text, std::vector<TitleName>& out) const {
    const Writing writing(text);
    const bool sentence = 2 * writing.capitals <= 3 * writing.small;
    if (sentence ? writing.words == 0 : !writing.any_small) return;
    for (size_t i = 0; i < text.size();) {
        const char before = i > 0 ? text[i - 1] : ' ';
        const bool inside = is_part(before) || before == '\'' || (!sentence && before == '-');
        if (!is_capital(text[i]) || inside) {
            ++i;
            continue;
        }
        const size_t end = sentence ? end_of_run(text, i) : end_of_acronym(text, i);
        if (end > i) add_name(text, i, end, out);
        i = std::max(end, i + 1);
    }
}

void TitleScanTable::add_name(const std::string& text, size_t start, size_t end,
                           std::vector<TitleName>& out) const {
    std::string value;
    bool any_small = false;
    for (size_t i = start; i < end; ++i) {
        any_small |= is_small(text[i]);
        if (text[i] != '.') value += lowered(text[i]);
    }
    if (value.size() >= 2 && value.compare(value.size() - 2, 2, "'s") == 0)
        value.resize(value.size() - 2);
    const size_t space = value.find(' ');
    const Entry* known = find(std::string_view(value).substr(0, space));
    const bool common = known != nullptr && known->common;
    if (space == std::string::npos) {
        if ((start == 0 && any_small) || common || value.size() < 2) return;
    } else if (common) {
        value.erase(0, space + 1);
    }
    if (!value.empty()) out.push_back({std::move(value), start, end});
}

}  // namespace nearcopy
