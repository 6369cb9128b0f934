// From a Python string to words: folded, separated by a space, hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "fold.hpp"
#include "lanes.hpp"
#include "markup.hpp"

namespace nearcopy {

// A view of a Python string: `kind` bytes per code point (1, 2 or 4).
struct TextView {
    const void* data = nullptr;
    size_t size = 0;
    int kind = 1;
    bool html = false;
};

struct Tables {
    FoldTable fold;
    Entities entities;
};

// The text without its markup, and unless null, the source spans of its characters.
void strip_html(const TextView& text, std::vector<uint32_t>& out, std::vector<Span>* spans,
                const Entities& entities);

// A text without its markup; an instance per thread, whose memory is reused.
class PlainText {
public:
    TextView of(const TextView& source, const Entities& entities);

private:
    std::vector<uint32_t> points_;
};

// The classified characters of a text; an instance per thread, whose memory is reused.
class Characters {
public:
    // The bit masks of a text without markup, per block of 64 characters.
    const CharacterBits* read(const TextView& plain);

private:
    Buffer<CharacterBits> bits_;
};

// A group of adjacent lines that are all read or all skipped, and its end: in characters, and once
// the text is folded, in words and in their bytes.
struct Lines {
    size_t end;
    bool read;
    size_t words = 0, bytes = 0;
};

enum class Hash { FNV1A, MURMUR3, XXH3 };

// The words of a text; an instance per thread, whose memory is reused.
class Words {
public:
    // `prefix`: the length in bytes, at most 8, of the word prefixes that MURMUR3 hashes as well; 0
    // for none.
    explicit Words(const Tables& tables, uint32_t prefix = 0) : tables_(tables), prefix_(prefix) {}

    // Folds the text and hashes every word.
    void fold(const TextView& text, Hash hash);

    // The same of a text without markup, whose lines cover all or none of it; sets their word ends.
    void fold(const TextView& plain, Hash hash, std::vector<Lines>& lines);

    // The same, with the source spans of the words.
    void fold_spans(const TextView& text, Hash hash, std::vector<Span>& spans);

    // Keeps only the words that begin in the first `max_chars` characters of the normalised text.
    void cut(size_t max_chars);

    size_t count() const { return count_; }
    uint64_t* hashes() { return hashes_.data(); }
    const uint64_t* hashes() const { return hashes_.data(); }
    const uint64_t* prefixes() const { return prefixes_.data(); }  // by MURMUR3
    const uint8_t* text() const { return text_.data(); }
    size_t bytes() const { return bytes_; }  // of the normalised text: words and single spaces

private:
    TextView plain(const TextView& text, std::vector<Span>* spans);
    template <class Char>
    void fold_chunks(const Char* text, size_t size, Hash hash, std::vector<Lines>& lines);
    template <class Char>
    void fold_chunk(WordSink& sink, const Char* text, size_t from, size_t to, Lines*& next) const;
    void begin(WordSink& sink);
    void room(WordSink& sink, size_t points);
    void finish(WordSink& sink);
    void hash_words(const WordSink& sink, uint32_t start, size_t count, Hash hash);

    const Tables& tables_;
    const uint32_t prefix_;
    Buffer<uint8_t> text_;
    Buffer<uint32_t> ends_;
    Buffer<uint64_t> hashes_;
    Buffer<uint64_t> prefixes_;
    std::vector<uint32_t> plain_;
    std::vector<Lines> no_lines_;
    size_t count_ = 0;
    size_t bytes_ = 0;
};

}  // namespace nearcopy
