#include "technical.hpp"

#include <algorithm>

#include "masks.hpp"

namespace nearcopy {

namespace {

constexpr size_t kLongestCode = 100;

constexpr bool is_digit(uint32_t c) { return c - '0' < 10; }
constexpr bool is_small(uint32_t c) { return c - 'a' < 26; }
constexpr bool is_capital(uint32_t c) { return c - 'A' < 26; }
constexpr bool is_plain(uint32_t c) { return is_digit(c) || is_small(c) || is_capital(c); }
constexpr bool is_space(uint32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool in_address(uint32_t c) {
    return c == '@' || c == '#' || c == '/' || c == '=' || c == '&' || c == '?' || c == '%';
}
constexpr bool is_currency(uint32_t c) {
    return c == '$' || c == 0x20AC || c == 0xA3 || c == 0xA5 || c == 0x20B9;
}

constexpr bool in_name(uint32_t c) { return is_plain(c) || c == '_' || c == '.'; }

// A name and its surroundings.
template <class Char>
struct Name {
    const Char* begin;
    const Char* end;
    uint32_t before, after, next;  // 0 where the text ends
    bool versioned;                // "version" precedes it
    bool touches;                  // no dot between it and `after`
};

template <class Char>
class Details {
public:
    Details(const Char* text, size_t size) : text_(text), size_(size) {}

    // Every detail contains or precedes a digit, `_`, `(` or backtick, or has a hump: a lowercase
    // letter before a capital.
    uint8_t count(const CharacterBits* bits) {
        uint64_t small_before = 0;
        for (size_t base = 0; base < size_ && known_ < kMostDetails; base += kBlock, ++bits) {
            uint64_t triggers = bits->digit | bits->sign;
            triggers |= bits->capital & (bits->small << 1 | small_before);
            small_before = bits->small >> (kBlock - 1);
            for (; triggers != 0 && known_ < kMostDetails; triggers &= triggers - 1)
                look(base + lowest_bit(triggers));
        }
        return uint8_t(known_);
    }

private:
    uint32_t point(size_t at) const { return at < size_ ? uint32_t(text_[at]) : 0; }

    // The name or code at a trigger, unless it has been read already.
    void look(size_t place) {
        if (place < at_) return;
        if (text_[place] == '`') {
            at_ = place;
            return code();
        }
        size_t start = place;
        while (start > at_ && in_name(text_[start - 1])) --start;
        at_ = std::max(at_, place);
        if (start < place || in_name(text_[place])) name(start);
    }

    void add(const Char* begin, const Char* end) {
        for (size_t i = 0; i < known_; ++i)
            if (std::equal(begin, end, begins_[i], ends_[i])) return;
        begins_[known_] = begin;
        ends_[known_++] = end;
    }

    void name(size_t start) {
        while (at_ < size_ && in_name(text_[at_])) ++at_;
        Name<Char> name{text_ + start,
                        text_ + at_,
                        start > 0 ? uint32_t(text_[start - 1]) : 0,
                        point(at_),
                        point(at_ + 1),
                        follows_version(start),
                        text_[at_ - 1] != '.'};
        while (name.begin < name.end && *name.begin == '.') ++name.begin;
        while (name.begin < name.end && name.end[-1] == '.') --name.end;
        if (name.begin < name.end && !in_address(name.before) && is_detail(name))
            add(name.begin, name.end);
    }

    // Whether "version" and a space precede it.
    bool follows_version(size_t start) const {
        constexpr const char kWord[] = "version";
        if (start < 8 || text_[start - 1] != ' ') return false;
        if (start > 8 && in_name(text_[start - 9])) return false;
        return std::equal(kWord, kWord + 7, text_ + start - 8, [](char letter, Char c) {
            return uint32_t(letter) == (uint32_t(c) | 32);
        });
    }

    static bool is_detail(const Name<Char>& name) {
        const bool v = *name.begin == 'v' || *name.begin == 'V';
        size_t sizes[5], count = 0;
        if (numbers(name.begin + v, name.end, sizes, count)) {
            if (v && (*name.begin == 'v' || count > 1)) return true;
            const bool amount = is_currency(name.before) || name.after == '%';
            if (!v) return name.versioned || (!amount && is_release(sizes, count));
        }
        return is_api(name);
    }

    // Whether this is numbers with dots between, how many, and the lengths of the first five.
    static bool numbers(const Char* from, const Char* end, size_t sizes[5], size_t& count) {
        size_t length = 0;
        for (count = 0;; ++from) {
            if (from < end && is_digit(*from)) {
                ++length;
                continue;
            }
            if (length == 0 || (from < end && *from != '.')) return false;
            if (count < 5) sizes[count] = length;
            ++count;
            if (from == end) return true;
            length = 0;
        }
    }

    // Three or four numbers that are neither a date nor thousands.
    static bool is_release(const size_t* sizes, size_t count) {
        if (count < 3 || count > 4) return false;
        if (std::all_of(sizes + 1, sizes + count, [](size_t size) { return size == 3; }))
            return false;
        const bool year = sizes[0] == 4 || sizes[2] == 4;
        const bool short_date = sizes[0] == 2 && sizes[1] == 2 && sizes[2] == 2;
        return count == 4 || !(year || short_date);
    }

    static bool is_api(const Name<Char>& name) {
        bool dotted = false, styled = false;
        for (const Char* part = name.begin;;) {
            const Char* stop = std::find(part, name.end, Char('.'));
            if (part == stop || is_digit(*part)) return false;
            styled |= is_snake(part, stop) || is_camel(part, stop);
            if (stop == name.end) break;
            dotted = true;
            part = stop + 1;
        }
        const bool opens = name.touches && name.after == '(';
        return styled || (opens && (dotted || name.next == ')'));
    }

    static bool is_snake(const Char* from, const Char* end) {
        while (from < end && *from == '_') ++from;
        while (from < end && end[-1] == '_') --end;
        if (from == end || is_digit(*from)) return false;
        bool bars = false;
        for (; from < end; ++from) {
            if (*from != '_') continue;
            if (from[1] == '_') return false;  // the last is no bar
            bars = true;
        }
        return bars;
    }

    static bool is_camel(const Char* from, const Char* end) {
        const Char* hump = from;
        while (hump < end && is_small(*hump)) ++hump;
        const bool two = hump - from == 2 && ((from[0] == 'i' && from[1] == 's') ||
                                              (from[0] == 'o' && from[1] == 'n') ||
                                              (from[0] == 't' && from[1] == 'o'));
        if (hump - from < 3 && !two) return false;
        return end - hump >= 2 && is_capital(hump[0]) && is_small(hump[1]) &&
               std::find(hump, end, Char('_')) == end;
    }

    void code() {
        const size_t start = at_;
        while (at_ < size_ && text_[at_] == '`') ++at_;
        if (at_ - start == 1)
            line_of_code();
        else if (at_ - start > 2)
            block_of_code();
    }

    void line_of_code() {
        const Char* from = text_ + at_;
        const Char* limit = text_ + std::min(size_, at_ + kLongestCode + 1);
        const Char* end = std::find(from, limit, Char('`'));
        if (end == limit || end == from || is_space(*from) || is_space(end[-1]) ||
            std::find(from, end, Char('\n')) != end)
            return;
        add(from, end);
        at_ = size_t(end - text_) + 1;
    }

    void block_of_code() {
        const Char fence[3] = {'`', '`', '`'};
        const Char* from = text_ + at_;
        const Char* end = std::search(from, text_ + size_, fence, fence + 3);
        at_ = size_t(end - text_);
        while (at_ < size_ && text_[at_] == '`') ++at_;
        while (from < end && is_space(*from)) ++from;
        while (from < end && is_space(end[-1])) --end;
        if (from < end) add(from, end);
    }

    const Char* text_;
    size_t size_, at_ = 0, known_ = 0;
    const Char* begins_[kMostDetails];
    const Char* ends_[kMostDetails];
};

}  // namespace

uint8_t technical_details(const TextView& plain, const CharacterBits* bits) {
    if (plain.kind == 1)
        return Details(static_cast<const uint8_t*>(plain.data), plain.size).count(bits);
    if (plain.kind == 2)
        return Details(static_cast<const uint16_t*>(plain.data), plain.size).count(bits);
    return Details(static_cast<const uint32_t*>(plain.data), plain.size).count(bits);
}

}  // namespace nearcopy
