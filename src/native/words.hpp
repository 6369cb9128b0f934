// From a text as Python holds it to words: folded, separated by one space, hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "fold.hpp"
#include "lanes.hpp"
#include "markup.hpp"

namespace nearcopy {

// A text as Python holds it: `kind` bytes a code point (1, 2 or 4).
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

// The text without its markup, and on request where each character came from.
void strip_html(const TextView& text, std::vector<uint32_t>& out, std::vector<Span>* spans,
                const Entities& entities);

// One thread's text without its markup; the memory is kept for the next.
class PlainText {
public:
    TextView of(const TextView& source, const Entities& entities);

private:
    std::vector<uint32_t> points_;
};

// One thread's classified characters, of one text at a time.
class Characters {
public:
    // The bits of a text without markup, for every 64 characters or a part of them.
    const CharacterBits* read(const TextView& plain);

private:
    Buffer<CharacterBits> bits_;
};

// Neighbouring lines of a text that are read, or are not, and where they end: in its characters, and
// once it is folded, in its words and their bytes.
struct Lines {
    size_t end;
    bool read;
    size_t words = 0, bytes = 0;
};

enum class Hash { FNV1A, MURMUR3, XXH3 };

// One thread's words of one text at a time; the memory is kept for the next.
class Words {
public:
    // `prefix`: how many bytes of each word, at most 8, MURMUR3 also hashes by themselves; 0 for
    // none.
    explicit Words(const Tables& tables, uint32_t prefix = 0) : tables_(tables), prefix_(prefix) {}

    // Folds the text and hashes every word.
    void fold(const TextView& text, Hash hash);

    // The same of a text without markup, all of it or none in lines; tells where their words end.
    void fold(const TextView& plain, Hash hash, std::vector<Lines>& lines);

    // The same, and where in the source each word begins and ends.
    void fold_spans(const TextView& text, Hash hash, std::vector<Span>& spans);

    // Keeps only the words that begin in the first `max_chars` characters of the normalised text.
    void cut(size_t max_chars);

    size_t count() const { return count_; }
    uint64_t* hashes() { return hashes_.data(); }
    const uint64_t* hashes() const { return hashes_.data(); }
    const uint64_t* prefixes() const { return prefixes_.data(); }  // by MURMUR3
    const uint8_t* text() const { return text_.data(); }
    size_t bytes() const { return bytes_; }  // of the normalised text: words with one space between

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
