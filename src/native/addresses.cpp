#include "addresses.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace nearcopy {

namespace {

constexpr size_t kLongestLanguage = 7, kMostSegments = 3, kFewestWords = 2, kFewestBeforeDate = 4;
constexpr size_t kLongestWord = 40;
constexpr size_t kUnique = 36;  // characters of a UUID

bool is_digit(char c) { return uint8_t(c - '0') < 10; }
bool is_small(char c) { return uint8_t(c - 'a') < 26; }
bool is_letter(char c) { return uint8_t((c | 32) - 'a') < 26; }
bool is_hexadecimal(char c) { return is_digit(c) || uint8_t(c - 'a') < 6; }
bool is_host(char c) { return is_small(c) || is_digit(c) || c == '.' || c == '-'; }
bool is_path(char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '~' || c == '-';
}
char lowered(char c) { return uint8_t(c - 'A') < 26 ? char(c | 32) : c; }

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = lowered(c);
    return lower;
}

bool is_lowered(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() &&
           std::equal(text.begin(), text.end(), lower.begin(),
                      [](char a, char b) { return lowered(a) == b; });
}

// The character at a position, or 0 past the end.
char at(std::string_view text, size_t place) { return place < text.size() ? text[place] : '\0'; }

size_t digits(std::string_view text, size_t from) {
    size_t end = from;
    while (is_digit(at(text, end))) ++end;
    return end - from;
}

bool is_century(std::string_view text, size_t from) {
    return (at(text, from) == '1' && at(text, from + 1) == '9') ||
           (at(text, from) == '2' && at(text, from + 1) == '0');
}

// The text up to the next slash, which is removed with it.
std::string_view next_segment(std::string_view& path) {
    const size_t size = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, size);
    path.remove_prefix(std::min(size + 1, path.size()));
    return segment;
}

bool begins_segment(std::string_view segment) {
    return !segment.empty() && segment[0] != '.' && !is_lowered(segment, "amp");
}

// Whether the path behind its first slash is clean.
bool is_clean(std::string_view path) {
    if (path.empty() || path.back() == '/') return false;
    if (!std::all_of(path.begin(), path.end(), [](char c) { return is_path(c) || c == '/'; }))
        return false;
    while (!path.empty())
        if (!begins_segment(next_segment(path))) return false;
    return true;
}

// Up to `groups` numbers of one or two digits, each after a sign or none, and nothing else.
bool are_numbers(std::string_view text, size_t groups) {
    if (text.empty() || groups == 0) return text.empty();
    if (text[0] == '-' || text[0] == '_' || text[0] == '/' || text[0] == '.')
        text.remove_prefix(1);
    const size_t size = std::min<size_t>(digits(text, 0), 2);
    return size > 0 && (are_numbers(text.substr(size), groups - 1) ||
                        (size == 2 && are_numbers(text.substr(1), groups - 1)));
}

bool is_date(std::string_view segment) {
    return is_century(segment, 0) && digits(segment, 0) >= 4 && are_numbers(segment.substr(4), 2);
}

bool is_month_or_day(std::string_view segment) {
    if (segment.size() < 3) return !segment.empty() && digits(segment, 0) == segment.size();
    constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
    return std::any_of(std::begin(kMonths), std::end(kMonths),
                       [&](std::string_view month) { return is_lowered(segment, month); });
}

// The size of a date within a segment, 2024-05-01, or 0.
size_t date_size(std::string_view text, size_t from) {
    if (!is_century(text, from) || (from > 0 && is_digit(text[from - 1]))) return 0;
    const char sign = at(text, from + 4);
    if (digits(text, from) != 4 || (sign != '-' && sign != '_')) return 0;
    const size_t month = digits(text, from + 5), day = from + 5 + month + 1;
    if (month < 1 || month > 2 || at(text, day - 1) != sign) return 0;
    const size_t last = digits(text, day);
    return last == 1 || last == 2 ? day + last - from : 0;
}

// The size of a UUID, or 0.
size_t unique_size(std::string_view text, size_t from) {
    if (text.size() - from < kUnique || text[from + 8] != '-') return 0;
    for (size_t i = 0; i < kUnique; ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[from + i] != '-' : !is_hexadecimal(text[from + i])) return 0;
    }
    return kUnique;
}

// Puts a space in place of all that has a size.
template <class Size>
void blank_out(std::string& text, Size size) {
    size_t to = 0;
    for (size_t from = 0; from < text.size();) {
        const size_t gone = size(text, from);
        text[to++] = gone > 0 ? ' ' : text[from];
        from += std::max<size_t>(gone, 1);
    }
    text.resize(to);
}

// Up to six letters, five digits or more, up to two letters.
bool is_number_of_story(std::string_view word) {
    size_t letters = 0;
    while (is_small(at(word, letters))) ++letters;
    const size_t figures = digits(word, letters), end = letters + figures;
    if (letters > 6 || figures < 5 || word.size() - end > 2) return false;
    return std::all_of(word.begin() + ptrdiff_t(end), word.end(), is_small);
}

bool is_identifier(std::string_view word) {
    if (word.size() > kLongestWord) return true;
    if (std::all_of(word.begin(), word.end(), is_letter)) return false;
    return is_number_of_story(word) ||
           (word.size() >= 8 && std::all_of(word.begin(), word.end(), is_hexadecimal));
}

void read_words(std::string_view part, Slug& slug) {
    slug.text.clear();
    slug.words = 0;
    for (size_t from = 0, to; from < part.size(); from = to + 1) {
        to = from;
        while (is_letter(at(part, to)) || is_digit(at(part, to))) ++to;
        const std::string_view word = part.substr(from, to - from);
        if (word.empty() || is_identifier(word)) continue;
        if (slug.words++ > 0) slug.text += ' ';
        slug.text += word;
    }
}

// The part in lower case, without dates, UUIDs and a story's mark.
void clean_part(std::string_view part, std::string& out) {
    out.assign(part);
    for (char& c : out) c = lowered(c);
    constexpr std::string_view kStory = "_story";
    if (out.size() >= kStory.size() &&
        out.compare(out.size() - kStory.size(), kStory.size(), kStory) == 0)
        out.resize(out.size() - kStory.size());
    if (std::any_of(out.begin(), out.end(), is_digit)) blank_out(out, date_size);
    if (out.size() >= kUnique) blank_out(out, unique_size);
}

// Keeps in `best` the slug of the part with most words, of several the last.
void keep_longest(std::string_view segment, SlugParts& parts, Slug& best) {
    for (;;) {
        const size_t size = std::min(segment.find('~'), segment.size());
        clean_part(segment.substr(0, size), parts.part);
        read_words(parts.part, parts.next);
        if (parts.next.words >= best.words) std::swap(parts.next, best);
        if (size == segment.size()) return;
        segment.remove_prefix(size + 1);
    }
}

std::string_view without_ending(std::string_view path) {
    const size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return path;
    const std::string_view ending = path.substr(dot + 1);
    const bool is_ending = ending.size() >= 2 && ending.size() <= 5 &&
                           std::all_of(ending.begin(), ending.end(), is_letter);
    return is_ending ? path.substr(0, dot) : path;
}

// The path behind the host, up to the query or the fragment; false where there is none.
bool find_path(std::string_view form, std::string_view& path) {
    form = form.substr(0, form.find('#'));
    form = form.substr(0, form.find('?'));
    for (int slashes = 0; slashes < 3; ++slashes) {
        const size_t slash = form.find('/');
        if (slash == std::string_view::npos) return false;
        form.remove_prefix(slash + 1);
    }
    path = form;
    return std::all_of(path.begin(), path.end(),
                       [](char c) { return c > ' ' && c < 127 && c != '%'; });
}

}  // namespace

AddressReader::AddressReader(const Names& sections, const Names& index_files)
    : sections_(sections.begin(), sections.end()),
      index_files_(index_files.begin(), index_files.end()) {
    for (const std::string& name : sections_)
        longest_section_ = std::max(longest_section_, name.size());
    for (const std::string& name : index_files_)
        longest_index_file_ = std::max(longest_index_file_, name.size());
}

bool AddressReader::read(std::string_view url, CleanAddress& out) const {
    for (std::string_view scheme : {"https://", "http://"}) {
        if (url.substr(0, scheme.size()) != scheme) continue;
        url.remove_prefix(scheme.size());
        const auto end = std::find_if_not(url.begin(), url.end(), is_host);
        const size_t size = size_t(end - url.begin());
        out.host = url.substr(0, size);
        out.path = url.substr(size);
        if (size == 0 || (!out.path.empty() && out.path[0] != '/')) return false;
        if (!out.path.empty() && out.path.back() == '/') out.path.remove_suffix(1);
        if (!out.path.empty() && !is_clean(out.path.substr(1))) return false;
        if (!strip_index(out.path)) return false;
        out.is_home = are_sections(out.path);
        return true;
    }
    return false;
}

bool AddressReader::strip_index(std::string_view& path) const {
    const auto last_of = [](std::string_view text) { return text.substr(text.rfind('/') + 1); };
    const auto is_index = [&](std::string_view name) {
        return name.size() <= longest_index_file_ && index_files_.count(lowered(name)) > 0;
    };
    if (path.empty()) return !is_index(path);
    if (is_index(last_of(path))) path = path.substr(0, path.rfind('/'));
    const std::string_view last = last_of(path);
    const std::string_view amp = ".amp";
    for (size_t dot = last.find('.'); dot != std::string_view::npos; dot = last.find('.', dot + 1))
        if (is_lowered(last.substr(dot, amp.size()), amp)) return false;
    return !is_index(last);
}

bool AddressReader::is_section(std::string_view segment) const {
    if (segment.size() <= longest_section_ && sections_.count(lowered(segment)) > 0) return true;
    if (segment.size() < 2 || segment.size() > kLongestLanguage) return false;
    if (!is_letter(segment[0]) || !is_letter(segment[1])) return false;
    const std::string_view region = segment.substr(2);
    if (region.empty()) return true;
    return (region[0] == '-' || region[0] == '_') && region.size() >= 3 &&
           std::all_of(region.begin() + 1, region.end(), is_letter);
}

bool AddressReader::are_sections(std::string_view path) const {
    size_t segments = 0;
    while (!path.empty()) {
        const std::string_view segment = next_segment(path);
        if (!segment.empty() && (!is_section(segment) || ++segments > kMostSegments)) return false;
    }
    return true;
}

bool AddressReader::slug(std::string_view form, SlugParts& parts, std::string_view& out) const {
    std::string_view path;
    if (!find_path(form, path)) return false;
    const size_t last = path.rfind('/') + 1;
    path = path.substr(0, last + without_ending(path.substr(last)).size());
    Slug &before = parts.before, &after = parts.after;
    before.words = after.words = 0;
    bool dated = false, skipping = false;
    while (!path.empty()) {
        const std::string_view segment = next_segment(path);
        if (segment.empty()) continue;
        if (!dated && is_date(segment)) {
            dated = skipping = true;
            std::swap(before, after);
            continue;
        }
        skipping = skipping && is_month_or_day(segment);
        if (!skipping) keep_longest(segment, parts, after);
    }
    if (after.words >= kFewestWords)
        out = after.text;
    else if (before.words >= kFewestBeforeDate)
        out = before.text;
    else if (dated && after.words == 1 && sections_.count(after.text) == 0)
        out = after.text;
    else
        out = {};
    return true;
}

}  // namespace nearcopy
