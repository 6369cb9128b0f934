#include "numerals.hpp"

#include <algorithm>
#include <stdexcept>

#include "hashes.hpp"
#include "masks.hpp"

namespace nearcopy {

namespace {

constexpr uint64_t kPhi = 0x9E3779B97F4A7C15;
constexpr size_t kChunk = 2048;  // code points folded between two checks of the capacity
constexpr size_t kNoWords = SIZE_MAX;
constexpr unsigned kDigits = 1, kNonAscii = 2;  // what a run holds beyond ASCII letters

constexpr bool is_digit(uint32_t c) { return c - '0' < 10; }

bool is_point(uint32_t c) {
    return c == '.' || c == ',' || c == 0x060C || c == 0x066B || c == 0xFF0C || c == 0xFF0E;
}

bool is_group(uint32_t c) {
    return c == '.' || c == ',' || c == '\'' || c == 0x2019 || c == 0x060C || c == 0x066C ||
           c == 0xFF0C || c == 0x00A0 || c == 0x2009 || c == 0x202F;
}

bool is_sign(uint32_t c) {
    return c == '-' || c == '/' || c == ':' || c == 0x2010 || c == 0x2011 || c == 0x2013 ||
           c == 0x2044;
}

// A sign that joins, with or without a space on either side.
bool is_sign(const uint32_t* gap, size_t length) {
    if (length > 1 && gap[0] == ' ') ++gap, --length;
    if (length > 1 && gap[length - 1] == ' ') --length;
    return length == 1 && is_sign(gap[0]);
}

uint64_t hashed(std::string_view word) {
    return murmur3_64(reinterpret_cast<const uint8_t*>(word.data()), word.size(), 0);
}

uint64_t masked() {
    static const uint64_t hash = hashed("#");
    return hash;
}

uint32_t slot_hash(std::string_view word) {
    uint32_t hash = 2166136261u;
    for (unsigned char c : word) hash = (hash ^ c) * 16777619u;
    return hash ^ hash >> 15;
}

// The bytes of the first two characters, at most four.
uint32_t head_of(std::string_view word) {
    uint32_t head = 0;
    unsigned characters = 0;
    for (size_t i = 0; i < std::min<size_t>(word.size(), 4); ++i) {
        characters += (uint8_t(word[i]) & 0xC0) != 0x80;
        if (characters <= 2) head |= uint32_t(uint8_t(word[i])) << (8 * i);
    }
    return head;
}

bool has_digit(std::string_view word) {
    return std::any_of(word.begin(), word.end(), [](unsigned char c) { return is_digit(c); });
}

}  // namespace

NumberTable::NumberTable(std::vector<NumberWord> words) : words_(std::move(words)) {
    if (words_.size() >= 1 << 14) throw std::length_error("too many words for numerals");
    size_t slots = 1024;
    while (slots < words_.size() * 4) slots *= 2;
    slots_.assign(slots, 0);
    for (size_t i = 0; i < words_.size(); ++i) {
        const std::string& word = words_[i].word;
        size_t slot = slot_hash(word) & (slots_.size() - 1);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = uint16_t(i + 1);
        if (word.empty() || word.size() > kLongestNumber)
            throw std::length_error("a word for a numeral has 1 to 31 bytes");
        if (words_[i].value.empty()) throw std::length_error("a word for a numeral has no value");
        shapes_.set(shape(head_of(word), uint8_t(word.back()), word.size()));
        hashes_.set(hashed(word) % kHashes);
    }
}

const NumberWord* NumberTable::find(std::string_view word) const {
    size_t slot = slot_hash(word) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
        if (words_[slots_[slot] - 1].word == word) return &words_[slots_[slot] - 1];
    return nullptr;
}

Numerals NumeralReader::read(const TextView& source) {
    const TextView text = plain_.of(source, tables_.entities);
    words_.fold(text, Hash::MURMUR3);
    return read(text, characters_.read(text), words_);
}

Numerals NumeralReader::read(const TextView& text, const CharacterBits* bits, const Words& words) {
    profile_.count = 0;
    before_.raw = nullptr;
    before_.folded.clear();
    end_ = 0;
    open_ = false;
    if (text.kind == 1)
        scan(static_cast<const uint8_t*>(text.data), text.size, bits, words);
    else if (text.kind == 2)
        scan(static_cast<const uint16_t*>(text.data), text.size, bits, words);
    else
        scan(static_cast<const uint32_t*>(text.data), text.size, bits, words);
    return profile_;
}

// Runs between separators fold independently. Where every run is a single word, the word hashes
// decide which runs may be numerals: only those and their neighbours are read.
template <class Char>
void NumeralReader::scan(const Char* text, size_t size, const CharacterBits* bits,
                         const Words& words) {
    if (find_runs(text, size, bits) == words.count()) {
        find_near(words, size);
        // The bits of the next 64 runs: 64 characters hold no more.
        visit(text, size, words.hashes(), [&](size_t run) {
            const unsigned past = run % 64;
            const uint64_t next = past == 0 ? 0 : near_[run / 64 + 1] << (64 - past);
            return near_[run / 64] >> past | next;
        });
    } else {
        visit(text, size, nullptr, [](size_t) { return ~uint64_t(0); });
    }
    if (open_ && !full()) close(0);
}

// Marks the characters in runs and counts the runs; kNoWords if a run is not a single word.
template <class Char>
size_t NumeralReader::find_runs(const Char* text, size_t size, const CharacterBits* bits) {
    Runs* runs = runs_.reserve(size / kBlock + 1);
    bool words = true;
    for (size_t base = 0; base < size; base += kBlock, ++bits, ++runs) {
        *runs = {bits->small | bits->capital | bits->digit, bits->digit};
        if (bits->non_ascii != 0) words &= add_non_ascii(text + base, bits->non_ascii, *runs);
    }
    size_t count = 0;
    for_each_block(size, [&](const Runs&, size_t, uint64_t starts) {
        count += bit_count(starts);
        return true;
    });
    return words ? count : kNoWords;
}

// Adds the non-ASCII characters that do not separate; false unless all are letters of words.
template <class Char>
bool NumeralReader::add_non_ascii(const Char* block, uint64_t non_ascii, Runs& runs) const {
    uint32_t kinds = 0;
    for (; non_ascii != 0; non_ascii &= non_ascii - 1) {
        const unsigned at = lowest_bit(non_ascii);
        const uint32_t packed = packed_entry(block[at]);
        const uint32_t kind = packed >> kPackedKindShift;
        runs.inside |= uint64_t(kind != SEPARATOR) << at;
        runs.digits |= uint64_t(is_digit(packed & 0xFF)) << at;
        kinds |= 1u << kind;
    }
    return kinds <= (1u << SEPARATOR | 1u << WORD);
}

uint32_t NumeralReader::packed_entry(uint32_t point) const {
    if (point < 0x10000) return tables_.fold.bmp[point];
    return tables_.fold.entry(point) >> kKindShift == SEPARATOR ? 0 : kOdd << kPackedKindShift;
}

// Marks the runs that may be numerals, by word hash or by a digit, and their neighbours.
void NumeralReader::find_near(const Words& words, size_t size) {
    const uint64_t* hashes = words.hashes();
    const size_t count = words.count();
    near_.assign(count / 64 + 2, 0);
    for (size_t from = 0; from < count; from += 64) {
        uint64_t candidates = 0;
        for (size_t i = from; i < std::min(from + 64, count); ++i)
            candidates |= uint64_t(numbers_.may_hold(hashes[i])) << (i - from);
        near_[from / 64] = candidates;
    }
    size_t before = 0;  // runs that began
    for_each_block(size, [&](const Runs& runs, size_t, uint64_t starts) {
        for (uint64_t digits = runs.digits; digits != 0; digits &= digits - 1) {
            const uint64_t up_to = (uint64_t(2) << lowest_bit(digits)) - 1;
            const size_t run = before + bit_count(starts & up_to) - 1;
            near_[run / 64] |= uint64_t(1) << run % 64;
        }
        before += bit_count(starts);
        return true;
    });
    uint64_t previous = 0;
    for (size_t i = 0; i + 1 < near_.size(); ++i) {
        const uint64_t candidates = near_[i];
        near_[i] |= candidates << 1 | candidates >> 1 | previous >> 63 | near_[i + 1] << 63;
        previous = candidates;
    }
}

// Calls take(runs, base, starts) for every block of 64 characters, with a mask of the run starts,
// until it returns false.
template <class Take>
void NumeralReader::for_each_block(size_t size, Take take) const {
    uint64_t before = 0;
    const Runs* runs = runs_.data();
    for (size_t base = 0; base < size; base += kBlock, ++runs) {
        if (!take(*runs, base, runs->inside & ~(runs->inside << 1 | before))) return;
        before = runs->inside >> (kBlock - 1);
    }
}

// Reads the selected runs; wanted(i) is a bit mask of the selection from run i on. The hashes are
// those of the words where every run is a single word.
template <class Char, class Wanted>
void NumeralReader::visit(const Char* text, size_t size, const uint64_t* hashes, Wanted wanted) {
    size_t run_number = 0;
    for_each_block(size, [&](const Runs&, size_t base, uint64_t starts) {
        const unsigned count = bit_count(starts);  // at most half of the characters begin a run
        uint64_t left = wanted(run_number) & ((uint64_t(1) << count) - 1);
        size_t number = run_number;
        run_number += count;
        for (; starts != 0 && left != 0 && !full(); starts &= starts - 1, left >>= 1, ++number) {
            if ((left & 1) == 0) continue;
            const size_t start = base + lowest_bit(starts);
            hash_ = hashes == nullptr ? nullptr : hashes + number;
            run(text, start, end_of_run(start, size));
        }
        return !full();
    });
}

size_t NumeralReader::end_of_run(size_t start, size_t size) const {
    const Runs* runs = runs_.data() + start / kBlock;
    uint64_t outside = ~runs->inside >> start % kBlock << start % kBlock;
    size_t base = start / kBlock * kBlock;
    while (outside == 0 && (base += kBlock) < size) outside = ~(++runs)->inside;
    return outside == 0 ? size : std::min(size, base + lowest_bit(outside));
}

template <class Char>
void NumeralReader::run(const Char* text, size_t start, size_t end) {
    unsigned kinds = 0;
    for (size_t i = start; i < end; ++i)
        kinds |= (is_digit(text[i]) ? kDigits : 0) | (text[i] >= 128 ? kNonAscii : 0);
    if (kinds & kNonAscii) {
        if (!plain_run(text, start, end)) odd_run(text, start, end);
        return;
    }
    if (kinds == kDigits) return split(text, folded(text, start, end, word_), start, end);
    const uint32_t second = end - start > 1 ? uint32_t(text[start + 1]) : 0;
    if (!numbers_.may_hold(text[start] | second << 8, text[end - 1], end - start))
        return raw_word(text, start, end);
    const NumberWord* known = numbers_.find(folded(text, start, end, word_));
    if (known == nullptr || (known->capital && text[start] >= 'a'))
        return raw_word(text, start, end);
    numeral(text, Kind::SPELLED, known->value, start, end);
}

// Measures a word of characters that fold independently: the kinds among them as bits, the bytes
// of the folded word, and whether it has a digit. Branch-free, as words are short.
template <class Char>
NumeralReader::Measure NumeralReader::measured(const Char* text, size_t start, size_t end) const {
    const uint32_t* bmp = tables_.fold.bmp.data();
    Measure measure{0, 0, 0};
    for (size_t i = start; i < end; ++i) {
        const uint32_t packed =
            uint32_t(text[i]) < 0x10000 ? bmp[text[i]] : kOdd << kPackedKindShift;
        measure.kinds |= 1u << (packed >> kPackedKindShift);
        measure.bytes += packed >> kPackedLengthShift & 3;
        measure.digits |= unsigned(is_digit(packed & 0xFF));
    }
    return measure;
}

// Reads a run whose characters fold independently; false if any does not.
template <class Char>
bool NumeralReader::plain_run(const Char* text, size_t start, size_t end) {
    const Measure all = measured(text, start, end);
    if (all.kinds & 1u << kOdd) return false;
    if (all.kinds == 1u << WORD) {
        plain_word(text, start, end, all);
        return true;
    }
    auto single = [&](size_t at) {
        return tables_.fold.bmp[text[at]] >> kPackedKindShift == SINGLE;
    };
    for (size_t stop; start < end && !full(); start = stop) {
        stop = start + 1;
        if (!single(start))
            while (stop < end && !single(stop)) ++stop;
        plain_word(text, start, stop, measured(text, start, stop));
    }
    return true;
}

template <class Char>
void NumeralReader::plain_word(const Char* text, size_t start, size_t end, const Measure& measure) {
    if (measure.digits) return split(text, folded(text, start, end, word_), start, end);
    const uint32_t* bmp = tables_.fold.bmp.data();
    const uint32_t first = bmp[text[start]], last = bmp[text[end - 1]];
    const uint32_t next = end - start > 1 ? bmp[text[start + 1]] & 0xFFFFFF : 0;
    const uint32_t head = (first & 0xFFFFFF) | next << 8 * (first >> kPackedLengthShift & 3);
    const uint32_t tail = last >> 8 * ((last >> kPackedLengthShift & 3) - 1) & 0xFF;
    if (!numbers_.may_hold(head, tail, measure.bytes))
        return raw_word(text, start, end);
    folded_word(text, folded(text, start, end, word_), {uint32_t(start), uint32_t(end)});
}

// The folded word of characters that fold independently.
template <class Char>
std::string_view NumeralReader::folded(const Char* text, size_t start, size_t end,
                                       Buffer<char>& room) {
    const uint32_t* bmp = tables_.fold.bmp.data();
    char* from = room.reserve((end - start) * 3 + 1);
    char* out = from;
    for (size_t i = start; i < end; ++i) {
        const uint32_t packed = bmp[text[i]];
        for (unsigned byte = 0; byte < 3; ++byte) out[byte] = char(packed >> 8 * byte);
        out += packed >> kPackedLengthShift & 3;
    }
    return std::string_view(from, size_t(out - from));
}

// Same as Words::fold_spans, with the common kinds inlined.
template <class Char>
void NumeralReader::odd_run(const Char* text, size_t start, size_t end) {
    WordSink sink{&tables_.fold, tables_.fold.bmp.data(), nullptr, nullptr, nullptr, 0, false,
                  false};
    spans_.clear();
    size_t written = 0;
    Span current{0, 0};  // of the word that is open
    for (size_t i = start; i < end; ++i) {
        if ((i - start) % kChunk == 0) {
            const size_t points = std::min(kChunk, end - i) + 1;
            written = size_t(sink.out - sink.text);
            if (written + points * kBytesPerPoint > UINT32_MAX)  // ends are kept in 32 bits
                throw std::length_error("the words of a text pass 4 GiB: split it");
            sink.text = folded_.reserve(written + points * kBytesPerPoint + kSlack);
            sink.out = sink.text + written;
            sink.ends = ends_.reserve(sink.count + points * kWordsPerPoint + kSlack);
        }
        const Span here{uint32_t(i), uint32_t(i + 1)};
        const uint32_t packed = uint32_t(text[i]) < 0x10000 ? sink.bmp[text[i]] : 0;
        if (packed >> kPackedKindShift == WORD) {
            for (unsigned byte = 0; byte < 3; ++byte) sink.out[byte] = uint8_t(packed >> 8 * byte);
            sink.out += packed >> kPackedLengthShift & 3;
            current = Span{sink.open ? current.start : here.start, here.end};
            sink.open = sink.touching = true;
            continue;
        }
        if (packed >> kPackedKindShift == SINGLE && !sink.open) {
            for (unsigned byte = 0; byte < 3; ++byte) sink.out[byte] = uint8_t(packed >> 8 * byte);
            sink.out += packed >> kPackedLengthShift & 3;
            sink.ends[sink.count++] = uint32_t(sink.out - sink.text);
            *sink.out++ = ' ';
            sink.touching = true;
            spans_.push_back(here);
            continue;
        }
        const size_t known = sink.count;
        const bool continues = sink.open;
        const uint32_t length = uint32_t(sink.out - sink.text);
        fold_odd(sink, uint32_t(text[i]));
        for (size_t word = known; word < sink.count; ++word) {
            Span span = here;
            if (continues && word == known) {
                span.start = current.start;
                if (sink.ends[word] == length) span.end = current.end;
            }
            spans_.push_back(span);
        }
        if (sink.open) {
            const bool same = continues && sink.count == known;
            current = Span{same ? current.start : here.start, here.end};
        } else if (sink.touching && sink.count == known && !spans_.empty()) {
            spans_.back().end = here.end;  // a mark that joined the single before it
        }
    }
    if (sink.open) {
        spans_.push_back(current);
        sink.ends[sink.count++] = uint32_t(sink.out - sink.text);
    }
    uint32_t from = 0;
    for (size_t i = 0; i < spans_.size() && !full(); ++i) {
        const char* word = reinterpret_cast<const char*>(sink.text) + from;
        folded_word(text, std::string_view(word, sink.ends[i] - from), spans_[i]);
        from = sink.ends[i] + 1;
    }
}

template <class Char>
void NumeralReader::folded_word(const Char* text, std::string_view folded, Span span) {
    if (has_digit(folded)) return split(text, folded, span.start, span.end);
    const NumberWord* known = numbers_.find(folded);
    const Char first = text[span.start];
    if (known == nullptr || (known->capital && !(first >= 'A' && first <= 'Z')))
        return word(folded, span.end);
    numeral(text, Kind::SPELLED, known->value, span.start, span.end);
}

// A word with digits, cut where digits meet letters; only its two ends can touch a neighbour.
template <class Char>
void NumeralReader::split(const Char* text, std::string_view whole, size_t start, size_t end) {
    for (size_t from = 0; from < whole.size() && !full();) {
        const bool digits = is_digit(uint8_t(whole[from]));
        size_t to = from + 1;
        while (to < whole.size() && is_digit(uint8_t(whole[to])) == digits) ++to;
        const std::string_view part = whole.substr(from, to - from);
        if (digits)
            numeral(text, Kind::FIGURE, part, start, end);
        else
            word(part, end);
        from = to;
    }
}

template <class Char>
void NumeralReader::numeral(const Char* text, Kind kind, std::string_view value, size_t start,
                            size_t end) {
    if (open_ && grows(text, kind, value, start)) {
        end_ = end;
        return;
    }
    if (open_) close(masked());
    if (full()) return;
    context_ = before_hash<Char>();
    value_.assign(value);
    open_ = true;
    spelled_ = kind == Kind::SPELLED;
    group_ = !spelled_ && value.size() <= 3 && value[0] != '0';
    tens_ = spelled_ && value.size() == 2 && is_digit(uint8_t(value[0])) && value[1] == '0';
    end_ = end;
    before_.raw = nullptr;
    before_.folded = "#";
}

template <class Char>
bool NumeralReader::grows(const Char* text, Kind kind, std::string_view value, size_t start) {
    if (spelled_ != (kind == Kind::SPELLED)) return false;
    const size_t length = start > end_ ? start - end_ : 0;
    if (length > 3) return false;
    uint32_t gap[3] = {0, 0, 0};
    for (size_t i = 0; i < length; ++i) gap[i] = uint32_t(text[end_ + i]);
    return spelled_ ? grows_spelled(gap, length, value) : grows_figure(gap, length, value);
}

bool NumeralReader::grows_figure(const uint32_t* gap, size_t length, std::string_view digits) {
    if (group_ && length == 1 && is_group(gap[0]) && digits.size() == 3) {
        value_ += digits;
    } else if (length == 0 || (length == 1 && is_point(gap[0])) || is_sign(gap, length)) {
        value_ += '.';
        value_ += digits;
        group_ = false;
    } else {
        return false;
    }
    return true;
}

bool NumeralReader::grows_spelled(const uint32_t* gap, size_t length, std::string_view value) {
    const bool unit = value.size() == 1, touches = length == 0;
    if (tens_ && unit && value != "0" && (touches || (length == 1 && gap[0] == '-'))) {
        value_.back() = value[0];
    } else if (touches && value == "10" && value_.size() == 1) {
        value_ += '0';
    } else if (touches && unit && is_digit(uint8_t(value_[0]))) {
        value_ += value;
    } else {
        return false;
    }
    tens_ = value == "10";
    return true;
}

template <class Char>
void NumeralReader::raw_word(const Char* text, size_t start, size_t end) {
    before_.raw = text + start;
    before_.size = end - start;
    before_.hash = hash_;
    if (open_) close(before_hash<Char>());
    end_ = end;
}

void NumeralReader::word(std::string_view folded, size_t end) {
    before_.raw = nullptr;
    before_.folded.assign(folded);
    if (open_) close(hashed(folded));
    end_ = end;
}

template <class Char>
uint64_t NumeralReader::before_hash() {
    if (before_.raw == nullptr) return before_.folded.empty() ? 0 : hashed(before_.folded);
    if (before_.hash != nullptr) return *before_.hash;
    const Char* letters = static_cast<const Char*>(before_.raw);
    return hashed(folded(letters, 0, before_.size, neighbour_));
}

void NumeralReader::close(uint64_t after) {
    const uint64_t context = fmix64(context_ + after * kPhi);
    profile_.entries[profile_.count++] =
        uint32_t(context & 0xFFFF) | uint32_t(hashed(value_) & 0xFFFF) << 16;
    open_ = false;
}

}  // namespace nearcopy
