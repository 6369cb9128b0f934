// What every code point becomes in a normalised text: the table of kernels/fold.npz, unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearcopy {

enum Kind : uint32_t { SEPARATOR = 0, WORD = 1, SINGLE = 2, REMOVED = 3, SEQUENCE = 4, JOIN = 5 };

constexpr unsigned kKindShift = 29;
constexpr uint32_t kPointMask = 0x1FFFFF;
constexpr size_t kLongestSequence = 8;  // code points that a single code point can fold to

// An entry of `bmp`: up to three bytes of UTF-8, their number, and the kind. Everything but
// separators, words and singles is kOdd and takes the slow path.
constexpr unsigned kPackedLengthShift = 24;
constexpr unsigned kPackedKindShift = 26;
constexpr uint32_t kOdd = 3;

struct Join {
    uint32_t base, mark, joined;
};

struct FoldTable {
    std::vector<uint32_t> pages;      // pages of 256 entries: kind << 29 | point ^ target
    std::vector<uint16_t> index;      // the page of each block of 256 code points
    std::vector<uint32_t> sequences;  // length, entries, length, entries, ...
    std::vector<Join> joins;
    std::vector<uint32_t> bmp;  // the first 65,536 code points, packed for the hot path

    uint32_t entry(uint32_t point) const {
        if (point > 0x10FFFF) return 0;
        uint32_t stored = pages[size_t(index[point >> 8]) * 256 + (point & 255)];
        uint32_t kind = stored >> kKindShift;
        return kind == WORD || kind == SINGLE || kind == JOIN ? stored ^ point : stored;
    }

    void pack();  // fills bmp
};

// The output of folding: the words in UTF-8, with a space after every word, and the word ends.
// The caller reserves the memory.
struct WordSink {
    const FoldTable* table;
    const uint32_t* bmp;  // the table's
    uint8_t* text;        // start of the words
    uint8_t* out;         // next byte to write
    uint32_t* ends;       // offset from `text` of the end of every complete word
    size_t count;         // complete words
    bool open;            // a word has begun and not ended
    bool touching;        // no separator since the last character written
};

// The most bytes and words that a code point can fold to, and slack for wide stores.
constexpr size_t kBytesPerPoint = kLongestSequence * 5;
constexpr size_t kWordsPerPoint = kLongestSequence;
constexpr size_t kSlack = 128;

void fold_odd(WordSink& sink, uint32_t point);  // slow, but correct for every code point

}  // namespace nearcopy
