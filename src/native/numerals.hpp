// The numerals of a text: kernels/reference/numerals.py defines them.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "buffer.hpp"
#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostNumerals = 32;
constexpr size_t kLongestNumber = 31;  // bytes of a word in the table

// A word of kernels/number_words.txt, folded.
struct NumberWord {
    std::string word, value;
    bool capital;
};

// The words that are numerals, looked up by their bytes.
class NumberTable {
public:
    explicit NumberTable(std::vector<NumberWord> words);

    // Whether a word of this length may be in the table: `head` is the bytes of its first two
    // characters, at most four of them, `last` its last byte. ASCII letters may be capitals.
    bool may_hold(uint32_t head, uint32_t last, size_t length) const {
        return length <= kLongestNumber && shapes_[shape(head, last, length)];
    }
    const NumberWord* find(std::string_view word) const;

    // Whether a word with this MurmurHash3 may be in the table.
    bool may_hold(uint64_t hash) const { return hashes_[hash % kHashes]; }

private:
    static constexpr size_t kHashes = 1 << 15;

    static size_t shape(uint32_t head, uint32_t last, size_t length) {
        const uint32_t rest = (last | 0x20) << 8 | uint32_t(length);
        return ((head | 0x20202020) * 0x9E3779B1u ^ rest * 0x85EBCA77u) >> 17;
    }

    std::vector<NumberWord> words_;
    std::vector<uint16_t> slots_;  // index of the word + 1; 0 is empty
    std::bitset<1 << 15> shapes_;
    std::bitset<kHashes> hashes_;
};

// A profile: per numeral the hash of its context in the low half, of its value in the high half.
struct Numerals {
    uint32_t entries[kMostNumerals];
    size_t count = 0;
};

// A reader of numerals per thread; its memory is reused for the next text.
class NumeralReader {
public:
    NumeralReader(const Tables& tables, const NumberTable& numbers)
        : tables_(tables), numbers_(numbers), words_(tables) {}

    Numerals read(const TextView& text);

    // Of a text without markup, whose characters are classified and whose words are hashed by
    // MURMUR3.
    Numerals read(const TextView& plain, const CharacterBits* bits, const Words& words);

private:
    enum class Kind { WORD, FIGURE, SPELLED };

    // Bit masks of 64 characters: those in a run, and those that fold to a digit.
    struct Runs {
        uint64_t inside, digits;
    };

    struct Measure {
        unsigned kinds;
        size_t bytes;
        unsigned digits;
    };

    // A word around a numeral, hashed when it is needed.
    struct Neighbour {
        const void* raw = nullptr;  // characters that fold independently, or null: see `folded`
        size_t size = 0;
        const uint64_t* hash = nullptr;  // of the raw characters, if known already
        std::string folded;
    };

    template <class Char>
    void scan(const Char* text, size_t size, const CharacterBits* bits, const Words& words);
    template <class Char>
    size_t find_runs(const Char* text, size_t size, const CharacterBits* bits);
    template <class Char>
    bool add_non_ascii(const Char* block, uint64_t non_ascii, Runs& runs) const;
    uint32_t packed_entry(uint32_t point) const;
    void find_near(const Words& words, size_t size);
    template <class Take>
    void for_each_block(size_t size, Take take) const;
    template <class Char, class Wanted>
    void visit(const Char* text, size_t size, const uint64_t* hashes, Wanted wanted);
    size_t end_of_run(size_t start, size_t size) const;
    template <class Char>
    void run(const Char* text, size_t start, size_t end);
    template <class Char>
    bool plain_run(const Char* text, size_t start, size_t end);
    template <class Char>
    Measure measured(const Char* text, size_t start, size_t end) const;
    template <class Char>
    void plain_word(const Char* text, size_t start, size_t end, const Measure& measure);
    template <class Char>
    std::string_view folded(const Char* text, size_t start, size_t end, Buffer<char>& room);
    template <class Char>
    void odd_run(const Char* text, size_t start, size_t end);
    template <class Char>
    void folded_word(const Char* text, std::string_view word, Span span);
    template <class Char>
    void split(const Char* text, std::string_view word, size_t start, size_t end);
    template <class Char>
    void numeral(const Char* text, Kind kind, std::string_view value, size_t start, size_t end);
    template <class Char>
    bool grows(const Char* text, Kind kind, std::string_view value, size_t start);
    bool grows_figure(const uint32_t* gap, size_t length, std::string_view digits);
    bool grows_spelled(const uint32_t* gap, size_t length, std::string_view value);
    template <class Char>
    void raw_word(const Char* text, size_t start, size_t end);
    void word(std::string_view folded, size_t end);
    template <class Char>
    uint64_t before_hash();
    void close(uint64_t after);
    bool full() const { return profile_.count == kMostNumerals; }

    const Tables& tables_;
    const NumberTable& numbers_;
    PlainText plain_;
    Characters characters_;
    Words words_;
    Buffer<Runs> runs_;           // for every 64 characters
    std::vector<uint64_t> near_;  // a bit per run: whether it or a neighbour may be a numeral
    Buffer<uint8_t> folded_;
    Buffer<uint32_t> ends_;
    std::vector<Span> spans_;
    Buffer<char> word_, neighbour_;

    Numerals profile_;
    Neighbour before_;
    const uint64_t* hash_ = nullptr;  // of the word, where the run is known to be a single word
    size_t end_ = 0;    // of the last piece
    bool open_ = false;  // a numeral that may yet grow
    bool spelled_ = false, group_ = false, tens_ = false;
    std::string value_;
    uint64_t context_ = 0;  // hash of the word before it
};

}  // namespace nearcopy
