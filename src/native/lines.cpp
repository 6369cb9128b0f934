#include "lines.hpp"

#include "masks.hpp"

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

std::vector<Lines>& SentenceLines::of(const TextView& plain, const CharacterBits* bits) {
    lines_.clear();
    all_ = told_ = 0;
    if (plain.kind == 1)
        read(static_cast<const uint8_t*>(plain.data), plain.size, bits);
    else if (plain.kind == 2)
        read(static_cast<const uint16_t*>(plain.data), plain.size, bits);
    else
        read(static_cast<const uint32_t*>(plain.data), plain.size, bits);
    if (told_ == all_ || told_ * 10 < all_ * 3) lines_.clear();
    return lines_;
}

template <class Char>
void SentenceLines::read(const Char* text, size_t size, const CharacterBits* bits) {
    size_t from = 0;
    for (size_t base = 0; base < size; base += kBlock, ++bits) {
        for (uint64_t breaks = bits->line_break; breaks != 0; breaks &= breaks - 1) {
            const size_t to = base + lowest_bit(breaks);
            add(text, from, to, to + 1);
            from = to + 1;
        }
    }
    if (from < size) add(text, from, size, size);
}

// The line goes with those before it where they are of one kind, as one without letters always is.
template <class Char>
void SentenceLines::add(const Char* text, size_t from, size_t to, size_t end) {
    const size_t letters = length(text + from, text + to);
    const bool told = is_sentence(text + from, text + to, letters);
    all_ += letters;
    told_ += told ? letters : 0;
    if (!lines_.empty() && (letters == 0 || lines_.back().read == told))
        lines_.back().end = end;
    else
        lines_.push_back({end, told});
}

}  // namespace nearcopy
