#include "profiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "hashes.hpp"
#include "masks.hpp"

namespace nearcopy {

namespace {

constexpr size_t kPrefix = 5;
constexpr size_t kMostCount = 16;
constexpr uint32_t kCountWeights[kMostCount + 1] = {0,   20,  35,  48,  61,  72,  84,  95, 106,
                                                    116, 126, 136, 146, 156, 165, 175, 184};
constexpr uint32_t kTitleWeight = 60;
constexpr uint64_t kTitle = 1, kHalf = 2;
constexpr uint8_t kArticle[4] = {0xD8, 0xA7, 0xD9, 0x84};
constexpr uint64_t kFiveHigh = 0x8080808080;

uint64_t load64(const uint8_t* data) {
    uint64_t value;
    std::memcpy(&value, data, 8);
    return value;
}

uint32_t load32(const uint8_t* data) {
    uint32_t value;
    std::memcpy(&value, data, 4);
    return value;
}

// How many bytes the first `most` letters have.
size_t first_letters(const uint8_t* word, size_t size, size_t most) {
    size_t at = 0;
    for (size_t letters = 0; at < size; ++at)
        if ((word[at] & 0xC0) != 0x80 && letters++ == most) break;
    return at;
}

// Whether the word is one character from Thai on, no Korean syllable.
bool is_unspaced(const uint8_t* word, size_t size) {
    if (word[0] < 0xE0 || size != (word[0] < 0xF0 ? 3u : 4u)) return false;
    if (size == 4) return true;
    const uint32_t point = (word[0] & 15u) << 12 | (word[1] & 63u) << 6 | (word[2] & 63u);
    return point >= 0x0E00 && !(point >= 0xAC00 && point < 0xD7A4);
}

}  // namespace

// --- Weights ----------------------------------------------------------------------------------

TermWeights::TermWeights(const std::vector<std::pair<uint32_t, uint32_t>>& known,
                         uint32_t unknown)
    : unknown_(unknown) {
    size_t size = 16;
    while (size < 2 * known.size()) size *= 2;
    slots_.assign(size, Slot{});
    mask_ = size - 1;
    for (const auto& [term, weight] : known) {
        size_t at = term & mask_;
        while (slots_[at].weight != 0 && slots_[at].term != term) at = (at + 1) & mask_;
        Slot& slot = slots_[at];
        slot = {term, slot.weight == 0 ? weight : std::min(slot.weight, weight)};
    }
}

uint32_t profile_hash(const uint8_t* term, size_t size) {
    return uint32_t(murmur3_64(term, size));
}

// --- Profiles ---------------------------------------------------------------------------------

void Profiler::profile(const TextView& title, const TextView& text, Profile& out) {
    count_ = 0;
    add_terms(title, kTitle);
    add_terms(text, 0);
    sort_terms();
    weigh();
    select(out);
}

// The words stand one space apart, and a space behind the last: what ends them is found 64 bytes
// at a time.
void Profiler::add_terms(const TextView& text, uint64_t flags) {
    words_.fold(text, Hash::MURMUR3);
    terms_.reserve(count_ + 2 * words_.count());
    single_ = nullptr;
    if (words_.count() == 0) return;
    const uint8_t* folded = words_.text();
    const uint64_t* hashes = words_.hashes();
    const size_t size = words_.bytes() + 1;
    uint8_t spare[kBlock];
    size_t start = 0, left = words_.count();
    bool numbered = false;  // the word begun in the block before holds a digit
    for (size_t base = 0; base < size && left > 0; base += kBlock) {
        const uint8_t* block = block_at(folded, base, size, spare);
        uint64_t digits = passing(block, [](uint8_t c) { return uint8_t(c - '0') < 10; });
        uint64_t spaces = passing(block, [](uint8_t c) { return c == ' '; });
        for (; spaces != 0 && left > 0; spaces &= spaces - 1, --left, ++hashes) {
            const uint64_t below = (spaces & (0 - spaces)) - 1;
            const size_t end = base + lowest_bit(spaces);
            if (!numbered && (digits & below) == 0)
                add_word(folded + start, end - start, *hashes, flags);
            else
                single_ = nullptr;
            numbered = false;
            digits &= ~below;
            start = end + 1;
        }
        numbered |= digits != 0;
    }
}

// Words of up to five bytes are terms as they are; their hash is there.
void Profiler::add_word(const uint8_t* word, size_t size, uint64_t hash, uint64_t flags) {
    if (size <= kPrefix && is_unspaced(word, size)) {
        add(hash, flags | kHalf);
        if (single_ != nullptr) {
            uint8_t both[8];
            std::memcpy(both, single_, single_size_);
            std::memcpy(both + single_size_, word, size);
            add(profile_hash(both, single_size_ + size), flags);
        }
        single_ = word;
        single_size_ = size;
        return;
    }
    single_ = nullptr;
    if (size <= kPrefix) return add(hash, flags);
    if ((load64(word) & kFiveHigh) == 0) return add(profile_hash(word, kPrefix), flags);
    if (std::memcmp(word, kArticle, 4) == 0 && first_letters(word, size, 4) < size)
        word += 4, size -= 4;
    add(profile_hash(word, first_letters(word, size, kPrefix)), flags);
}

// By the upper half, byte by byte: linear whatever the hashes are, so that no text is slow.
void Profiler::sort_terms() {
    uint32_t counts[4][256] = {};
    const uint64_t* terms = terms_.data();
    for (size_t i = 0; i < count_; ++i)
        for (size_t byte = 0; byte < 4; ++byte) ++counts[byte][terms[i] >> (32 + 8 * byte) & 255];
    sorted_.reserve(count_);
    uint64_t *from = terms_.data(), *to = sorted_.data();
    for (size_t byte = 0; byte < 4; ++byte, std::swap(from, to)) {
        uint32_t sum = 0;
        for (uint32_t& count : counts[byte]) sum += std::exchange(count, sum);
        for (size_t i = 0; i < count_; ++i)
            to[counts[byte][from[i] >> (32 + 8 * byte) & 255]++] = from[i];
    }
}

// In place of equal terms one, ascending: score << 40 | ~hash << 8 | weight, so that the order of
// these numbers is the order in which terms are kept.
void Profiler::weigh() {
    uint64_t* terms = terms_.data();
    size_t made = 0;
    for (size_t at = 0; at < count_;) {
        const size_t from = at;
        const uint64_t hash = terms[at] >> 32;
        uint64_t flags = 0;
        for (; at < count_ && terms[at] >> 32 == hash; ++at) flags |= terms[at];
        uint64_t weight = kCountWeights[std::min(at - from, kMostCount)];
        if (flags & kTitle) weight += kTitleWeight;
        if (flags & kHalf) weight /= 2;
        const uint64_t score = weight * weights_.of(uint32_t(hash));
        terms[made++] = score << 40 | (~hash & 0xFFFFFFFF) << 8 | weight;
    }
    count_ = made;
}

void Profiler::select(Profile& out) {
    const uint64_t* terms = terms_.data();
    uint64_t least = 0;
    if (count_ > kMostTerms) {
        uint64_t* ranked = sorted_.data();
        std::copy(terms, terms + count_, ranked);
        std::nth_element(ranked, ranked + kMostTerms - 1, ranked + count_, std::greater<>());
        least = ranked[kMostTerms - 1];
    }
    uint8_t* to = out.bytes;
    for (size_t i = 0; i < count_; ++i) {
        if (terms[i] < least) continue;
        const uint32_t hash = ~uint32_t(terms[i] >> 8);
        std::memcpy(to, &hash, 4);
        to[4] = uint8_t(terms[i]);
        to += kProfileEntry;
    }
    out.size = size_t(to - out.bytes);
}

// --- Cosines ----------------------------------------------------------------------------------

bool is_profile(const uint8_t* bytes, size_t size) {
    if (size % kProfileEntry != 0 || size > kMostTerms * kProfileEntry) return false;
    bool ascends = true;
    for (size_t at = kProfileEntry; at < size; at += kProfileEntry)
        ascends &= load32(bytes + at - kProfileEntry) < load32(bytes + at);
    return ascends;
}

namespace {

struct Weighted {
    uint32_t hash[kMostTerms];
    int64_t value[kMostTerms];
    size_t count;
    int64_t square = 0;

    Weighted(const TermWeights& weights, const uint8_t* bytes, size_t size)
        : count(size / kProfileEntry) {
        for (size_t i = 0; i < count; ++i, bytes += kProfileEntry) {
            hash[i] = load32(bytes);
            value[i] = int64_t(bytes[4]) * weights.of(hash[i]);
            square += value[i] * value[i];
        }
    }
};

}  // namespace

double profile_cosine(const TermWeights& weights, const uint8_t* a, size_t a_size,
                      const uint8_t* b, size_t b_size) {
    const Weighted left(weights, a, a_size), right(weights, b, b_size);
    if (left.square == 0 || right.square == 0) return std::numeric_limits<double>::quiet_NaN();
    int64_t product = 0;
    for (size_t i = 0, j = 0; i < left.count && j < right.count;) {
        const uint32_t x = left.hash[i], y = right.hash[j];
        const int64_t both = left.value[i] * right.value[j];
        product += both & -int64_t(x == y);
        i += x <= y;
        j += y <= x;
    }
    const double norms = std::sqrt(double(left.square) * double(right.square));
    return std::min(1.0, double(product) / norms);
}

}  // namespace nearcopy
