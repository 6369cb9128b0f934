#include "lines.hpp"

#include <algorithm>
#include <cstring>

namespace nearcopy {

namespace {

constexpr size_t kSentence = 60, kParagraph = 150;  // letters
constexpr uint32_t kWide = 0x2E80;  // from here on a character says as much as three letters

template <class Char>
size_t length(const Char* from, const Char* to) {
    size_t found = size_t(to - from);
    if constexpr (sizeof(Char) > 1) {
        Char all = 0;  // many at a time; only where it is large can one of them be
        for (const Char* at = from; at < to; ++at) all |= *at;
        if (all < kWide) return found;
        for (const Char* at = from; at < to; ++at) found += 2 * size_t(*at >= kWide);
    }
    return found;
}

// Where the line ends, the blocks without a break leapt over.
template <class Char>
const Char* end_of_line(const Char* from, const Char* end) {
    constexpr size_t kSome = 32;
    for (; size_t(end - from) >= kSome; from += kSome) {
        Char breaks = 0;
        for (size_t i = 0; i < kSome; ++i) breaks |= Char(from[i] == '\n');
        if (breaks != 0) break;
    }
    return std::find(from, end, Char('\n'));
}

bool ends_sentence(uint32_t c) {
    switch (c) {
        case '.':
        case '!':
        case '?':
        case ':':
        case '"':
        case '\'':
        case ')':
        case 0xBB:
        case 0x61F:
        case 0x6D4:
        case 0x964:
        case 0x2019:
        case 0x201D:
        case 0x2026:
        case 0x3002:
        case 0x300D:
        case 0x300F:
        case 0xFF01:
        case 0xFF1F:
            return true;
        default:
            return false;
    }
}

bool is_blank(uint32_t c) { return c <= ' ' || c == 0xA0; }

template <class Char>
bool is_sentence(const Char* from, const Char* to, size_t letters) {
    if (letters < kSentence || letters >= kParagraph) return letters >= kParagraph;
    while (to > from && is_blank(to[-1])) --to;
    return to > from && ends_sentence(to[-1]);
}

}  // namespace

TextView SentenceLines::of(const TextView& plain) {
    switch (plain.kind) {
        case 1:
            return kept(static_cast<const uint8_t*>(plain.data), plain);
        case 2:
            return kept(static_cast<const uint16_t*>(plain.data), plain);
        default:
            return kept(static_cast<const uint32_t*>(plain.data), plain);
    }
}

template <class Char>
TextView SentenceLines::kept(const Char* text, const TextView& plain) {
    const Char* const end = text + plain.size;
    const Char* line_end = end_of_line(text, end);
    if (line_end == end) return plain;
    bytes_.resize((plain.size + 1) * sizeof(Char));
    Char* const out = reinterpret_cast<Char*>(bytes_.data());
    Char* to = out;
    size_t all = 0, told = 0;
    for (const Char* from = text; from < end; line_end = end_of_line(from, end)) {
        const size_t letters = length(from, line_end);
        all += letters;
        if (is_sentence(from, line_end, letters)) {
            told += letters;
            to = std::copy(from, line_end, to);
            *to++ = Char('\n');
        }
        from = line_end + (line_end < end);
    }
    if (told == all || told * 10 < all * 3) return plain;
    return {out, size_t(to - out), plain.kind, false};
}

}  // namespace nearcopy
