// HTML to plain text, with the source span of every character.
//
// The rules are stated in src/nearcopy/kernels/reference/html.py, which this equals code point
// for code point; numbers in brackets below are that list's. One pass, linear in time whatever the
// input: what is read is consumed, but for the first tag found to be cut off [4], and what cannot
// be found is not searched again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearcopy {

// The source characters an output character came from: `start` up to, not including, `end`.
struct Span {
    uint32_t start, end;
};

namespace markup {

constexpr size_t npos = static_cast<size_t>(-1);

constexpr bool is_letter(uint32_t c) { return (c | 32) - 'a' < 26; }
constexpr bool is_digit(uint32_t c) { return c - '0' < 10; }
constexpr bool is_space(uint32_t c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
constexpr bool ends_name(uint32_t c) { return c == '>' || c == '/' || is_space(c); }
constexpr uint32_t lower(uint32_t c) { return c - 'A' < 26 ? c | 32 : c; }

// The value of a digit of any base up to 36; 36 if it is none.
constexpr uint32_t digit_value(uint32_t c) {
    return is_digit(c) ? c - '0' : is_letter(c) ? (c | 32) - 'a' + 10 : 36;
}

// Where `first` or `second` comes next, else `size`: sixteen at a time, which compilers vectorise.
template <class Char>
size_t find_either(const Char* text, size_t position, size_t size, Char first, Char second) {
    constexpr size_t kBlock = 16;
    if (position < size && (text[position] == first || text[position] == second)) return position;
    for (; size - position >= kBlock; position += kBlock) {
        unsigned hits = 0;
        for (size_t i = 0; i < kBlock; ++i)
            hits |= unsigned{text[position + i] == first} | unsigned{text[position + i] == second};
        if (hits != 0) break;
    }
    while (position < size && text[position] != first && text[position] != second) ++position;
    return position;
}

// ASCII names, numbered in list order; looked up by a hash computed a character at a time.
class Names {
public:
    static constexpr uint32_t kSeed = 2166136261u;  // FNV-1a
    static constexpr uint32_t extend(uint32_t hash, uint32_t c) { return (hash ^ c) * 16777619u; }

    explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
        size_t slots = 4;
        while (slots < names_.size() * 4) slots *= 2;
        slots_.assign(slots, kNone);
        for (size_t i = 0; i < names_.size(); ++i) insert(i);
    }

    size_t longest() const { return longest_; }

    // The number of the name equal to these characters, whose hash is `hash`, or `npos`.
    template <class Char>
    size_t find(uint32_t hash, const Char* text, size_t length) const {
        for (size_t slot = first_slot(hash); slots_[slot] != kNone; slot = next_slot(slot))
            if (is_name(slots_[slot], text, length)) return slots_[slot];
        return npos;
    }

private:
    static constexpr uint32_t kNone = static_cast<uint32_t>(-1);

    size_t first_slot(uint32_t hash) const { return (hash ^ hash >> 15) & (slots_.size() - 1); }
    size_t next_slot(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    void insert(size_t number) {
        uint32_t hash = kSeed;
        for (unsigned char c : names_[number]) hash = extend(hash, c);
        size_t slot = first_slot(hash);
        while (slots_[slot] != kNone) slot = next_slot(slot);
        slots_[slot] = static_cast<uint32_t>(number);
        longest_ = std::max(longest_, names_[number].size());
    }

    template <class Char>
    bool is_name(size_t number, const Char* text, size_t length) const {
        const std::string& name = names_[number];
        return name.size() == length && std::equal(name.begin(), name.end(), text,
                                                   [](unsigned char a, Char b) { return a == b; });
    }

    std::vector<std::string> names_;
    std::vector<uint32_t> slots_;
    size_t longest_ = 0;
};

// `SKIPPED` and `SEPARATORS` of the reference; no name is longer than `kLongestTag`.
constexpr size_t kLongestTag = 10;
constexpr const char* kSkipped[] = {"audio",    "canvas",   "iframe", "noembed", "noframes",
                                    "noscript", "object",   "script", "style",   "svg",
                                    "template", "textarea", "title",  "video"};
constexpr const char* kSeparators[] = {
    "address", "article",  "aside",    "blockquote", "body",       "br",     "button", "caption",
    "center",  "col",      "colgroup", "dd",         "details",    "dialog", "dir",    "div",
    "dl",      "dt",       "embed",    "fieldset",   "figcaption", "figure", "footer", "form",
    "frame",   "frameset", "h1",       "h2",         "h3",         "h4",     "h5",     "h6",
    "head",    "header",   "hgroup",   "hr",         "html",       "img",    "input",  "legend",
    "li",      "link",     "main",     "menu",       "meta",       "nav",    "ol",     "optgroup",
    "option",  "p",        "pre",      "search",     "section",    "select", "source", "summary",
    "table",   "tbody",    "td",       "tfoot",      "th",         "thead",  "tr",     "track",
    "ul"};

// What a tag does to the text around and inside it.
enum class Role { NOTHING, SEPARATES, SKIPS };

class Tags {
public:
    static const Tags& table() {
        static const Tags tags;
        return tags;
    }

    template <class Char>
    Role role(const Char* name, size_t length) const {
        if (length > kLongestTag) return Role::NOTHING;
        std::array<uint8_t, kLongestTag> lowered{};
        uint32_t hash = Names::kSeed;
        for (size_t i = 0; i < length; ++i) {
            if (name[i] >= 128) return Role::NOTHING;
            lowered[i] = static_cast<uint8_t>(lower(name[i]));
            hash = Names::extend(hash, lowered[i]);
        }
        const size_t number = names_.find(hash, lowered.data(), length);
        if (number == npos) return Role::NOTHING;
        return number < std::size(kSkipped) ? Role::SKIPS : Role::SEPARATES;
    }

private:
    Tags() : names_(both()) {}

    static std::vector<std::string> both() {
        std::vector<std::string> names(std::begin(kSkipped), std::end(kSkipped));
        names.insert(names.end(), std::begin(kSeparators), std::end(kSeparators));
        return names;
    }

    Names names_;
};

constexpr uint32_t kNoCharacter = static_cast<uint32_t>(-1);

// The character of `&#number;`, or `kNoCharacter` [11].
inline uint32_t character(uint32_t number) {
    static constexpr uint16_t kWindows1252[32] = {
        0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};
    if (number == 0 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) return 0xfffd;
    if (number >= 0x80 && number < 0xa0) return kWindows1252[number - 0x80];
    const bool is_control = (number < 0x20 && !is_space(number)) || number == 0x7f;
    const bool is_noncharacter =
        (number >= 0xfdd0 && number < 0xfdf0) || (number & 0xfffe) == 0xfffe;
    return is_control || is_noncharacter ? kNoCharacter : number;
}

}  // namespace markup

// The named character references, as Python's `html.entities.html5` lists them.
class Entities {
public:
    using List = std::vector<std::pair<std::string, std::u32string>>;

    // A name at the start of a text: its length (0 if there is none) and its characters.
    struct Match {
        size_t length = 0;
        const std::u32string* characters = nullptr;
    };

    explicit Entities(const List& list) : names_(names_of(list)) {
        for (const auto& [name, characters] : list) characters_.push_back(characters);
    }

    // The longest name the text starts with; looks no further than the longest there is.
    template <class Char>
    Match longest(const Char* text, size_t size) const {
        Match best;
        uint32_t hash = markup::Names::kSeed;
        const size_t bound = std::min(size, names_.longest());
        for (size_t i = 0; i < bound; ++i) {
            if (!markup::is_letter(text[i]) && !markup::is_digit(text[i]) && text[i] != ';') break;
            hash = markup::Names::extend(hash, text[i]);
            const size_t number = names_.find(hash, text, i + 1);
            if (number != markup::npos) best = {i + 1, &characters_[number]};
            if (text[i] == ';') break;
        }
        return best;
    }

private:
    static std::vector<std::string> names_of(const List& list) {
        std::vector<std::string> names;
        for (const auto& [name, characters] : list) names.push_back(name);
        return names;
    }

    markup::Names names_;
    std::vector<std::u32string> characters_;
};

namespace markup {

// Strips a text; appends the plain text to `out` and, unless null, its source spans to `spans`.
template <class Char>
class Stripper {
public:
    Stripper(const Char* text, size_t size, std::vector<uint32_t>& out, std::vector<Span>* spans,
             const Entities& entities)
        : text_(text), size_(size), out_(out), spans_(spans), entities_(entities) {}

    void run() {
        size_t position = 0;
        while ((position = find_either(text_, position, size_, Char{'<'}, Char{'&'})) < size_) {
            const size_t end = text_[position] == '&' ? reference(position) : read(position);
            position = end == npos ? position + 1 : end;
        }
        copy_until(size_);
    }

private:
    // Output. Text that stays as it is is pending from `done_` on and copied in bulk.

    void copy_until(size_t end) {
        out_.insert(out_.end(), text_ + done_, text_ + end);
        if (spans_ == nullptr) return;
        const size_t before = spans_->size();
        spans_->resize(before + (end - done_));
        Span* span = spans_->data() + before;
        for (size_t i = done_; i < end; ++i) *span++ = span_of(i, i + 1);
    }

    // Drops the source from `start` to `end`; returns `end`.
    size_t drop(size_t start, size_t end) {
        copy_until(start);
        return done_ = end;
    }

    // Puts a character in place of the source dropped from `start` to `end`.
    void put(uint32_t c, size_t start, size_t end) {
        out_.push_back(c);
        if (spans_ != nullptr) spans_->push_back(span_of(start, end));
    }

    static Span span_of(size_t start, size_t end) {
        return {static_cast<uint32_t>(start), static_cast<uint32_t>(end)};
    }

    // References and markup: every function returns its end, or `npos` if it is text after all.

    size_t reference(size_t start) {
        if (at(start + 1) == '#') return number(start);
        const auto match = entities_.longest(text_ + start + 1, size_ - start - 1);
        if (match.length == 0) return npos;
        const size_t end = drop(start, start + 1 + match.length);
        for (char32_t c : *match.characters) put(c, start, end);
        return end;
    }

    size_t number(size_t start) {
        const bool is_hexadecimal = lower(at(start + 2)) == 'x';
        const uint32_t base = is_hexadecimal ? 16 : 10;
        const size_t digits = start + 2 + is_hexadecimal;
        size_t end = digits;
        uint32_t value = 0;
        for (; end < size_ && digit_value(text_[end]) < base; ++end)
            value = std::min(value * base + digit_value(text_[end]), uint32_t{0x110000});
        if (end == digits) return npos;
        end = drop(start, end + (at(end) == ';'));
        if (character(value) != kNoCharacter) put(character(value), start, end);
        return end;
    }

    size_t read(size_t start) {
        const uint32_t next = at(start + 1);
        if (is_letter(next)) return tag(start, start + 1);
        if (next == '/' && is_letter(at(start + 2))) return tag(start, start + 2);
        if (next != '/' && next != '!' && next != '?') return npos;
        if (starts_with(start, "<!--")) return drop(start, comment_end(start + 4));
        if (starts_with(start, "<![CDATA[")) return drop(start, start + 9);
        const size_t end = may_close_ ? find(start, '>') : npos;
        may_close_ = end != npos;
        return may_close_ ? drop(start, end + 1) : npos;
    }

    size_t tag(size_t start, size_t name) {
        size_t name_end = name;
        while (name_end < size_ && !ends_name(text_[name_end])) ++name_end;
        const Role role = tags_.role(text_ + name, name_end - name);
        TagEnd tag_end = end_of_tag(name_end);
        if (role == Role::SKIPS && name == start + 1 && !tag_end.closes_itself)
            tag_end.position = element_end(name, name_end, tag_end.position);
        drop(start, tag_end.position);
        if (role != Role::NOTHING) put('\n', start, tag_end.position);
        return tag_end.position;
    }

    // Ends of things: where they end, the end of the text if they do not.

    struct TagEnd {
        size_t position;
        bool closes_itself;
    };

    // The end of the tag whose attributes start at `position`.
    TagEnd end_of_tag(size_t position) {
        size_t first_bare = npos;
        for (;;) {
            bool slash = false;
            for (; position < size_ && (is_space(text_[position]) || text_[position] == '/');
                 ++position)
                slash = text_[position] == '/';
            if (position == size_) break;
            if (text_[position] == '>') return {position + 1, slash};
            const size_t attribute = position;
            const bool has_value = pass_attribute(position);
            if (has_value || first_bare != npos) continue;
            first_bare = attribute;
            if (cut_off_) return {first_bare, false};
        }
        cut_off_ = true;
        return {std::min(first_bare, size_), false};
    }

    // Moves `position` past the attribute there; whether it has a value.
    bool pass_attribute(size_t& position) {
        ++position;  // even an `=`
        while (position < size_ && text_[position] != '=' && !ends_name(text_[position]))
            ++position;
        const size_t equals = after_space(position);
        if (at(equals) != '=') return false;
        position = value_end(after_space(equals + 1));
        return true;
    }

    size_t value_end(size_t position) {
        const uint32_t quote = at(position);
        if (quote == '"' || quote == '\'') {
            const size_t closing = find(position + 1, static_cast<char>(quote));
            if (closing != npos) return closing + 1;  // `npos` only for the last of its kind
        }
        while (position < size_ && text_[position] != '>' && !is_space(text_[position])) ++position;
        return position;
    }

    size_t after_space(size_t position) const {
        while (position < size_ && is_space(text_[position])) ++position;
        return position;
    }

    // The end of the first end tag, from `position` on, with the name at `name`.
    size_t element_end(size_t name, size_t name_end, size_t position) {
        const size_t length = name_end - name;
        while ((position = find_either(text_, position, size_, Char{'<'}, Char{'<'})) < size_) {
            const size_t end = position + 2 + length;
            if (at(position + 1) == '/' && end < size_ && ends_name(text_[end]) &&
                same_name(name, position + 2, length))
                return end_of_tag(end).position;
            ++position;
        }
        return size_;
    }

    bool same_name(size_t name, size_t candidate, size_t length) const {
        return std::equal(text_ + name, text_ + name + length, text_ + candidate,
                          [](Char a, Char b) { return lower(a) == lower(b); });
    }

    // The end of the comment whose content starts at `content`.
    size_t comment_end(size_t content) {
        for (size_t close = content; (close = find(close, '>')) != npos; ++close) {
            const size_t length = close - content;
            if (length == 0 || (length == 1 && text_[content] == '-')) return close + 1;
            const size_t dashes = text_[close - 1] == '!' ? close - 1 : close;
            if (dashes >= content + 2 && text_[dashes - 1] == '-' && text_[dashes - 2] == '-')
                return close + 1;
        }
        return size_;
    }

    // Looking at the text.

    // The character there, 0 past the end.
    uint32_t at(size_t position) const { return position < size_ ? text_[position] : 0u; }

    bool starts_with(size_t position, std::string_view start) const {
        return size_ - position >= start.size() &&
               std::equal(start.begin(), start.end(), text_ + position,
                          [](unsigned char a, Char b) { return a == b; });
    }

    // Where that character comes next, or `npos`.
    size_t find(size_t position, char c) const {
        const Char wanted = static_cast<Char>(c);
        const size_t next = find_either(text_, position, size_, wanted, wanted);
        return next < size_ ? next : npos;
    }

    const Char* text_;
    size_t size_;
    std::vector<uint32_t>& out_;
    std::vector<Span>* spans_;
    const Entities& entities_;
    const Tags& tags_ = Tags::table();
    size_t done_ = 0;
    bool may_close_ = true;  // no search for `>` has failed yet
    bool cut_off_ = false;   // a tag was found that no `>` ends [4]
};

}  // namespace markup

// Appends the text without its markup to `out` and, unless null, a span for every character of it
// to `spans`. Char is uint8_t, uint16_t or uint32_t and holds a code point; size is under 2^32.
template <class Char>
void strip_html(const Char* text, size_t size, std::vector<uint32_t>& out, std::vector<Span>* spans,
                const Entities& entities) {
    markup::Stripper<Char>(text, size, out, spans, entities).run();
}

}  // namespace nearcopy
