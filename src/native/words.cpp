#include "words.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "hashes.hpp"
#include "lanes.hpp"

namespace nearcopy {

constexpr size_t kChunk = 2048;  // code points folded between two checks of the capacity

void Words::begin(WordSink& sink) {
    count_ = bytes_ = 0;
    sink = WordSink{&tables_.fold,
                    tables_.fold.bmp.data(),
                    text_.reserve(kSlack),
                    text_.data(),
                    ends_.reserve(kSlack),
                    0,
                    false,
                    false};
}

void Words::room(WordSink& sink, size_t points) {
    size_t written = size_t(sink.out - sink.text);
    if (written + points * kBytesPerPoint > UINT32_MAX)  // offsets of words are 32-bit
        throw std::length_error("the words of a text pass 4 GiB: split it");
    sink.text = text_.reserve(written + points * kBytesPerPoint + kSlack);
    sink.out = sink.text + written;
    sink.ends = ends_.reserve(sink.count + points * kWordsPerPoint + kSlack);
}

void Words::finish(WordSink& sink) {
    if (sink.open) {
        sink.ends[sink.count++] = uint32_t(sink.out - sink.text);
        *sink.out++ = ' ';
        sink.open = false;
    }
    bytes_ = size_t(sink.out - sink.text);
    if (bytes_ > 0) --bytes_;  // the last word's space
}

void Words::hash_words(const WordSink& sink, uint32_t start, size_t count, Hash hash) {
    uint64_t* out = hashes_.reserve(count_ + count) + count_;
    uint64_t* prefixes = prefix_ > 0 ? prefixes_.reserve(count_ + count) + count_ : nullptr;
    const uint32_t* ends = sink.ends;
    count_ += count;
    if (hash == Hash::MURMUR3) {
        lanes().murmur_words(sink.text, start, ends, count, out, prefix_, prefixes);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint8_t* word = sink.text + start;
        size_t size = ends[i] - start;
        out[i] = hash == Hash::FNV1A ? fnv1a64(word, size) : xxh3_64(word, size);
        start = ends[i] + 1;
    }
}

static void fold_piece(WordSink& sink, const uint8_t* text, size_t size) {
    lanes().fold8(sink, text, size);
}
static void fold_piece(WordSink& sink, const uint16_t* text, size_t size) {
    lanes().fold16(sink, text, size);
}
static void fold_piece(WordSink& sink, const uint32_t* text, size_t size) {
    lanes().fold32(sink, text, size);
}

// Folds every group of lines separately: a group ends after a line break, where no word is open.
template <class Char>
void Words::fold_chunk(WordSink& sink, const Char* text, size_t from, size_t to,
                       Lines*& next) const {
    for (; next->end <= to; ++next) {
        fold_piece(sink, text + from, next->end - from);
        from = next->end;
        next->words = count_ + sink.count;
        next->bytes = size_t(sink.out - sink.text);
    }
    fold_piece(sink, text + from, to - from);
}

template <class Char>
void Words::fold_chunks(const Char* text, size_t size, Hash hash, std::vector<Lines>& lines) {
    WordSink sink;
    begin(sink);
    lines.push_back({SIZE_MAX, false});
    Lines* next = lines.data();
    uint32_t start = 0;  // of the first word not yet hashed
    for (size_t from = 0, to; from < size; from = to) {
        to = from + std::min(size - from, kChunk);
        room(sink, to - from);
        fold_chunk(sink, text, from, to, next);
        if (to == size) finish(sink);
        // A mark may still join a single at the end: it is hashed with the next chunk.
        size_t waiting = to < size && sink.touching && !sink.open ? 1 : 0;
        size_t ready = sink.count - waiting;
        hash_words(sink, start, ready, hash);
        if (ready > 0) start = sink.ends[ready - 1] + 1;
        if (waiting) sink.ends[0] = sink.ends[ready];
        sink.count = waiting;
    }
    lines.pop_back();
    if (lines.empty()) return;
    lines.back().words = count_;  // the last word may have been open
    lines.back().bytes = bytes_ + 1;
}

const CharacterBits* Characters::read(const TextView& plain) {
    CharacterBits* bits = bits_.reserve(plain.size / 64 + 1);
    if (plain.kind == 1)
        lanes().bits8(static_cast<const uint8_t*>(plain.data), plain.size, bits);
    else if (plain.kind == 2)
        lanes().bits16(static_cast<const uint16_t*>(plain.data), plain.size, bits);
    else
        lanes().bits32(static_cast<const uint32_t*>(plain.data), plain.size, bits);
    return bits;
}

void strip_html(const TextView& text, std::vector<uint32_t>& out, std::vector<Span>* spans,
                const Entities& entities) {
    out.clear();
    if (text.kind == 1)
        strip_html(static_cast<const uint8_t*>(text.data), text.size, out, spans, entities);
    else if (text.kind == 2)
        strip_html(static_cast<const uint16_t*>(text.data), text.size, out, spans, entities);
    else
        strip_html(static_cast<const uint32_t*>(text.data), text.size, out, spans, entities);
}

TextView PlainText::of(const TextView& source, const Entities& entities) {
    if (!source.html) return source;
    strip_html(source, points_, nullptr, entities);
    return TextView{points_.data(), points_.size(), 4, false};
}

TextView Words::plain(const TextView& text, std::vector<Span>* spans) {
    if (!text.html) return text;
    strip_html(text, plain_, spans, tables_.entities);
    return TextView{plain_.data(), plain_.size(), 4, false};
}

void Words::fold(const TextView& source, Hash hash) {
    no_lines_.clear();
    fold(plain(source, nullptr), hash, no_lines_);
}

void Words::fold(const TextView& text, Hash hash, std::vector<Lines>& lines) {
    if (text.kind == 1)
        fold_chunks(static_cast<const uint8_t*>(text.data), text.size, hash, lines);
    else if (text.kind == 2)
        fold_chunks(static_cast<const uint16_t*>(text.data), text.size, hash, lines);
    else
        fold_chunks(static_cast<const uint32_t*>(text.data), text.size, hash, lines);
}

static uint32_t point_at(const TextView& text, size_t at) {
    if (text.kind == 1) return static_cast<const uint8_t*>(text.data)[at];
    if (text.kind == 2) return static_cast<const uint16_t*>(text.data)[at];
    return static_cast<const uint32_t*>(text.data)[at];
}

void Words::fold_spans(const TextView& source, Hash hash, std::vector<Span>& spans) {
    std::vector<Span> origins;
    TextView text = plain(source, &origins);
    auto origin = [&](size_t at) {
        return source.html ? origins[at] : Span{uint32_t(at), uint32_t(at + 1)};
    };
    spans.clear();
    WordSink sink;
    begin(sink);
    Span current{0, 0};  // of the word that is open
    for (size_t i = 0; i < text.size; ++i) {
        if (i % kChunk == 0) room(sink, std::min(kChunk, text.size - i));
        size_t known = sink.count;
        bool continues = sink.open;
        uint32_t written = uint32_t(sink.out - sink.text);
        Span here = origin(i);
        fold_odd(sink, point_at(text, i));
        for (size_t word = known; word < sink.count; ++word) {
            Span span = here;
            if (continues && word == known) {
                span.start = current.start;
                if (sink.ends[word] == written) span.end = current.end;
            }
            spans.push_back(span);
        }
        if (sink.open) {
            bool same = continues && sink.count == known;
            current = Span{same ? current.start : here.start, here.end};
        } else if (sink.touching && sink.count == known && !spans.empty()) {
            spans.back().end = here.end;  // a mark that joined the single before it
        }
    }
    if (sink.open) spans.push_back(current);
    room(sink, 1);
    finish(sink);
    hash_words(sink, 0, sink.count, hash);
}

void Words::cut(size_t max_chars) {
    if (max_chars >= bytes_) return;
    const uint8_t* text = text_.data();
    size_t at = 0, end = 0, chars = 0, words = 0;
    while (at < bytes_ && chars < max_chars) {  // `at` is where a word begins
        for (; at < bytes_ && text[at] != ' '; ++at) chars += (text[at] & 0xC0) != 0x80;
        end = at++;
        ++chars;
        ++words;
    }
    count_ = words;
    bytes_ = end;
}

}  // namespace nearcopy
