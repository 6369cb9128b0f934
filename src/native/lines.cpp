#include "lines.hpp"

#include "masks.hpp"

namespace nearcopy {

namespace {

constexpr size_t kSentence = 60, kParagraph = 150;  // letters
constexpr uint32_t kWide = 0x2E80;  // from here on a character counts as three letters

template <class Char>
size_t length(const Char* from, const Char* to) {
    size_t letters = size_t(to - from);
    if constexpr (sizeof(Char) > 1) {
        Char combined = 0;  // vectorised; if small, no character is wide
        for (const Char* at = from; at < to; ++at) combined |= *at;
        if (combined < kWide) return letters;
        for (const Char* at = from; at < to; ++at) letters += 2 * size_t(*at >= kWide);
    }
    return letters;
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
    letters_ = sentence_letters_ = 0;
    if (plain.kind == 1)
        read(static_cast<const uint8_t*>(plain.data), plain.size, bits);
    else if (plain.kind == 2)
        read(static_cast<const uint16_t*>(plain.data), plain.size, bits);
    else
        read(static_cast<const uint32_t*>(plain.data), plain.size, bits);
    if (sentence_letters_ == letters_ || sentence_letters_ * 10 < letters_ * 3) lines_.clear();
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

// Merges the line into the group before it if both are sentences or neither is; a line without
// letters is always merged.
template <class Char>
void SentenceLines::add(const Char* text, size_t from, size_t to, size_t end) {
    const size_t letters = length(text + from, text + to);
    const bool sentence = is_sentence(text + from, text + to, letters);
    letters_ += letters;
    sentence_letters_ += sentence ? letters : 0;
    if (!lines_.empty() && (letters == 0 || lines_.back().read == sentence))
        lines_.back().end = end;
    else
        lines_.push_back({end, sentence});
}

}  // namespace nearcopy
