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

constexpr size_t kMostCount = 16;
constexpr uint32_t kCountWeights[kMostCount + 1] = {0,  10, 17, 24, 30, 36, 42, 47, 53,
                                                    58, 63, 68, 73, 78, 83, 87, 92};
constexpr uint32_t kTitleWeight = 30;
constexpr uint64_t kTitle = 1, kHalf = 2, kFlags = 4;
constexpr uint64_t kOnce = kFlags;                     // the count is above the flags
constexpr uint64_t kCounted = kOnce * kMostCount * 2 - 1;  // the bits of both
constexpr size_t kLeastSlots = 256;
constexpr size_t kMostSteps = 8;  // probe steps per term before the hashes are too clustered
constexpr uint8_t kArticle[4] = {0xD8, 0xA7, 0xD9, 0x84};
constexpr uint64_t kFiveHigh = 0x8080808080;

// The last byte of a term's entry, by its count and flags.
struct WeightBytes {
    uint8_t byte[kCounted + 1] = {};

    constexpr WeightBytes() {
        for (size_t of = 0; of <= kMostCount * kOnce + kFlags - 1; ++of) {
            const uint32_t titled = kCountWeights[of / kOnce] + (of & kTitle ? kTitleWeight : 0);
            const uint32_t weight = of & kHalf ? titled / 2 : titled;
            byte[of] = uint8_t(weight | (of & kTitle ? kOfTitle : 0));
        }
    }
};
constexpr WeightBytes kWeightBytes;

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

// The number of bytes of the first `most` letters.
size_t first_letters(const uint8_t* word, size_t size, size_t most) {
    size_t at = 0;
    for (size_t letters = 0; at < size; ++at)
        if ((word[at] & 0xC0) != 0x80 && letters++ == most) break;
    return at;
}

// Whether the word is a single character from Thai on, but no Korean syllable.
bool is_unspaced(const uint8_t* word, size_t size) {
    if (word[0] < 0xE0 || size != (word[0] < 0xF0 ? 3u : 4u)) return false;
    if (size == 4) return true;
    const uint32_t point = (word[0] & 15u) << 12 | (word[1] & 63u) << 6 | (word[2] & 63u);
    return point >= 0x0E00 && !(point >= 0xAC00 && point < 0xD7A4);
}

// Sorts by hash: few terms share an upper byte.
void sort_kept(const uint64_t* kept, size_t count, uint64_t* sorted) {
    uint8_t places[256] = {};
    for (size_t i = 0; i < count; ++i) ++places[kept[i] >> 32];
    uint8_t sum = 0;
    for (uint8_t& place : places) sum = uint8_t(sum + std::exchange(place, sum));
    for (size_t i = 0; i < count; ++i) sorted[places[kept[i] >> 32]++] = kept[i];
    for (size_t i = 1; i < count; ++i)
        for (size_t at = i; at > 0 && sorted[at - 1] > sorted[at]; --at)
            std::swap(sorted[at - 1], sorted[at]);
}

}  // namespace

// --- Weights ----------------------------------------------------------------------------------

TermWeights::TermWeights(const std::vector<std::pair<uint32_t, uint32_t>>& known, uint32_t unknown)
    : unknown_(unknown) {
    size_t size = 4;
    while (size < known.size()) size *= 2;
    buckets_.resize(size);
    mask_ = size - 1;
    for (const auto& [term, weight] : known) insert(term, weight);
}

// Of two terms with equal hashes, the lower weight is used.
void TermWeights::insert(uint32_t term, uint32_t weight) {
    for (size_t at = term & mask_;; at = (at + 1) & mask_) {
        Bucket& bucket = buckets_[at];
        for (size_t i = 0; i < kPlaces; ++i) {
            if (bucket.weight[i] != 0 && bucket.term[i] != term) continue;
            if (bucket.weight[i] != 0) weight = std::min(weight, bucket.weight[i]);
            bucket.term[i] = term;
            bucket.weight[i] = weight;
            return;
        }
    }
}

uint32_t profile_hash(const uint8_t* term, size_t size) { return uint32_t(murmur3_64(term, size)); }

// --- Profiles ---------------------------------------------------------------------------------

void Profiler::profile(const TextView& title, const TextView& source, Profile& out) {
    const TextView plain = plain_.of(source, tables_.entities);
    std::vector<Lines>& lines = lines_.of(plain, characters_.read(plain));
    text_.fold(plain, Hash::MURMUR3, lines);
    profile(title, text_, lines, out);
}

void Profiler::profile(const TextView& title, const Words& words, const std::vector<Lines>& lines,
                       Profile& out) {
    title_.fold(title, Hash::MURMUR3);
    count_ = 0;
    add_text(title_, kTitle);
    if (lines.empty())
        add_text(words, 0);
    else
        add_lines(words, lines);
    if (!count_terms()) sort_terms();
    weigh();
    write(out);
}

void Profiler::add_text(const Words& words, uint64_t flags) {
    single_ = nullptr;
    add_terms(words, {}, {words.count(), words.bytes() + 1}, flags);
}

// A run of characters goes on in the next line that is read.
void Profiler::add_lines(const Words& words, const std::vector<Lines>& lines) {
    single_ = nullptr;
    Place from;
    for (const Lines& group : lines) {
        const Place to{group.words, group.bytes};
        if (group.read) add_terms(words, from, to, 0);
        from = to;
    }
}

// The words are separated by a space, with a space after the last. Their ASCII characters are
// digits and lowercase letters: all else ends a word. Where 64 bytes hold only letters, the hashed
// prefixes are the terms.
void Profiler::add_terms(const Words& words, Place from, Place to, uint64_t flags) {
    const size_t size = to.bytes - from.bytes, count = to.words - from.words;
    terms_.reserve(count_ + 2 * count);
    const uint8_t* folded = words.text() + from.bytes;
    const uint64_t* hash = words.hashes() + from.words;
    const uint64_t* prefix = words.prefixes() + from.words;
    const uint64_t* last = hash + count;
    const CharacterBits* bits = characters_.read(TextView{folded, size, 1, false});
    size_t start = 0;
    bool numbered = false, lettered = true;  // of the word that is open
    for (size_t base = 0; base < size && hash < last; base += kBlock, ++bits) {
        const uint64_t odd = bits->digit | bits->non_ascii, spaces = ~(bits->small | odd);
        if (lettered && odd == 0) {
            const size_t ended = std::min<size_t>(bit_count(spaces), size_t(last - hash));
            if (ended == 0) continue;
            add_prefixes(prefix, ended, flags);
            start = base + kBlock - leading_zeros(spaces);
            hash += ended;
            prefix += ended;
            continue;
        }
        for (uint64_t marks = spaces | bits->digit; marks != 0 && hash < last; marks &= marks - 1) {
            const size_t end = base + lowest_bit(marks);
            if (folded[end] != ' ') {
                numbered = true;
                continue;
            }
            if (numbered)
                single_ = nullptr;
            else
                add_word(folded + start, end - start, *hash, *prefix, flags);
            numbered = false;
            start = end + 1;
            ++hash;
            ++prefix;
        }
        lettered = start > base ? (odd >> (start - base - 1) >> 1) == 0 : lettered && odd == 0;
    }
}

void Profiler::add_prefixes(const uint64_t* prefixes, size_t count, uint64_t flags) {
    uint64_t* terms = terms_.data() + count_;
    for (size_t i = 0; i < count; ++i) terms[i] = prefixes[i] << 32 | flags;
    count_ += count;
    single_ = nullptr;
}

// Words of up to five bytes are terms themselves, with the word's hash. The hash of the first five
// bytes is the term where these are ASCII letters.
void Profiler::add_word(const uint8_t* word, size_t size, uint64_t hash, uint64_t prefix,
                        uint64_t flags) {
    if (size <= kPrefix && is_unspaced(word, size)) {
        add(hash, flags | kHalf);
        if (single_ != nullptr) {
            uint8_t both[16];
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
    if ((load64(word) & kFiveHigh) == 0) return add(prefix, flags);
    if (std::memcmp(word, kArticle, 4) == 0 && first_letters(word, size, 4) < size)
        word += 4, size -= 4;
    add(profile_hash(word, first_letters(word, size, kPrefix)), flags);
}

// Merges equal terms and counts them, up to kMostCount. False where the hashes are so clustered
// that probing would take long: no text may make this slow.
bool Profiler::count_terms() {
    size_t size = kLeastSlots;
    while (size < 2 * count_) size *= 2;
    uint64_t* slots = slots_.reserve(size);
    std::memset(slots, 0, size * sizeof(uint64_t));
    uint32_t* places = places_.reserve(count_ + 1);
    uint64_t* terms = terms_.data();
    size_t distinct = 0, steps = 0;
    for (size_t i = 0; i < count_; ++i) {
        size_t place = terms[i] >> 32 & (size - 1);
        uint64_t known = slots[place];
        // A single test, rarely true: whether a term is new cannot be predicted.
        while (((known ^ terms[i]) >> 32 & (0 - uint64_t(known != 0))) != 0) {
            if (++steps > kMostSteps * count_) return false;
            place = (place + 1) & (size - 1);
            known = slots[place];
        }
        weights_.prefetch(uint32_t(terms[i] >> 32));
        places[distinct] = uint32_t(place);
        distinct += known == 0;
        slots[place] = (known | terms[i]) + (kOnce & ~(known / kMostCount));
    }
    for (size_t i = 0; i < distinct; ++i) terms[i] = slots[places[i]];
    count_ = distinct;
    return true;
}

// The same by sorting.
void Profiler::sort_terms() {
    uint64_t* terms = terms_.data();
    std::sort(terms, terms + count_);
    size_t distinct = 0;
    for (size_t i = 0; i < count_; ++i) {
        const bool again = distinct > 0 && (terms[distinct - 1] ^ terms[i]) >> 32 == 0;
        const uint64_t known = again ? terms[distinct - 1] : 0;
        distinct += !again;
        terms[distinct - 1] = (known | terms[i]) + (kOnce & ~(known / kMostCount));
    }
    count_ = distinct;
}

// Replaces every term by score << 40 | ~hash << 8 | weight and title, so that the order of these
// numbers is the rank of the terms.
void Profiler::weigh() {
    uint64_t* terms = terms_.data();
    for (size_t i = 0; i < count_; ++i) {
        const uint32_t hash = uint32_t(terms[i] >> 32);
        const uint64_t weight_byte = kWeightBytes.byte[terms[i] & kCounted];
        const uint64_t score = (weight_byte & (kOfTitle - 1)) * weights_.of(hash);
        terms[i] = score << 40 | uint64_t(~hash) << 8 | weight_byte;
    }
}

// The lowest rank that is kept: a histogram of scores, then a selection within its last bin.
uint64_t Profiler::least_kept() {
    if (count_ <= kMostTerms) return 0;
    constexpr unsigned kStep = 40 + 9;
    uint32_t steps[256] = {};
    const uint64_t* terms = terms_.data();
    auto step = [](uint64_t term) { return std::min<uint64_t>(term >> kStep, 255); };
    for (size_t i = 0; i < count_; ++i) ++steps[step(terms[i])];
    size_t above = 0, at = 255;
    for (; above + steps[at] < kMostTerms; --at) above += steps[at];
    uint64_t* level = level_.reserve(count_);
    uint64_t* end =
        std::copy_if(terms, terms + count_, level, [&](uint64_t term) { return step(term) == at; });
    uint64_t* least = level + (kMostTerms - above - 1);
    std::nth_element(level, least, end, std::greater<>());
    return *least;
}

void Profiler::write(Profile& out) {
    const uint64_t least = least_kept();
    const uint64_t* terms = terms_.data();
    uint64_t kept[kMostTerms + 1], sorted[kMostTerms];  // hash << 8 | weight and title
    size_t count = 0;
    for (size_t i = 0; i < count_; ++i) {
        kept[count] = (terms[i] ^ 0xFFFFFFFF00) & 0xFFFFFFFFFF;
        count += terms[i] >= least;
    }
    sort_kept(kept, count, sorted);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t hash = uint32_t(sorted[i] >> 8);
        std::memcpy(out.bytes + i * kProfileEntry, &hash, 4);
        out.bytes[i * kProfileEntry + 4] = uint8_t(sorted[i]);
    }
    out.size = count * kProfileEntry;
}

// --- Two profiles -----------------------------------------------------------------------------

bool is_profile_size(size_t size) {
    return size % kProfileEntry == 0 && size <= kMostTerms * kProfileEntry;
}

namespace {

struct Weighted {
    uint32_t hash[kMostTerms], value[kMostTerms], titled[kMostTerms];
    size_t count, low = 0;  // of all terms, of those in the lower half of the hashes
    uint64_t square = 0, sum = 0, title = 0;

    Weighted(const TermWeights& weights, const uint8_t* bytes, size_t size)
        : count(size / kProfileEntry) {
        for (size_t i = 0; i < count; ++i, bytes += kProfileEntry) {
            hash[i] = load32(bytes);
            value[i] = uint32_t(bytes[4] & (kOfTitle - 1)) * weights.of(hash[i]);
            titled[i] = value[i] & (0 - uint32_t(bytes[4] >= kOfTitle));
        }
        for (size_t i = 0; i < count; ++i) {
            square += uint64_t(value[i]) * value[i];
            sum += value[i];
            title += titled[i];
            low += 1 - (hash[i] >> 31);
        }
    }

    bool ascends() const {
        uint32_t falls = 0;
        for (size_t i = 1; i < count; ++i) falls |= uint32_t(hash[i - 1] >= hash[i]);
        return falls == 0;
    }
};

// Sums over the terms that both profiles hold.
struct Shared {
    uint64_t product = 0, a = 0, b = 0, a_title = 0, b_title = 0;
};

// A stepwise merge of two ranges of terms that sums over the shared terms.
class Merge {
public:
    Merge(const Weighted& a, size_t i, size_t a_end, const Weighted& b, size_t j, size_t b_end)
        : a_(a), b_(b), i_(i), j_(j), a_end_(a_end), b_end_(b_end) {}

    bool goes_on() const { return (i_ < a_end_) & (j_ < b_end_); }

    void step(Shared& sum) {
        const uint32_t x = a_.hash[i_], y = b_.hash[j_];
        const uint64_t same = 0 - uint64_t(x == y);
        const uint64_t ours = a_.value[i_] & same, theirs = b_.value[j_] & same;
        sum.product += ours * theirs;
        sum.a += ours;
        sum.b += theirs;
        sum.a_title += a_.titled[i_] & same;
        sum.b_title += b_.titled[j_] & same;
        i_ += x <= y;
        j_ += y <= x;
    }

private:
    const Weighted &a_, &b_;
    size_t i_, j_;
    const size_t a_end_, b_end_;
};

// Every step depends on the step before: two interleaved merges take hardly longer than one.
Shared shared(const Weighted& a, const Weighted& b) {
    Merge low(a, 0, a.low, b, 0, b.low), high(a, a.low, a.count, b, b.low, b.count);
    Shared sum;
    while (low.goes_on() & high.goes_on()) {
        low.step(sum);
        high.step(sum);
    }
    while (low.goes_on()) low.step(sum);
    while (high.goes_on()) high.step(sum);
    return sum;
}

}  // namespace

void term_keys(const TermWeights& weights, const uint8_t* profile, size_t size, size_t most,
               uint32_t rare, uint32_t least, std::vector<uint64_t>& keys) {
    uint64_t ranked[kMostTerms + 1];  // rare << 63 | value << 32 | ~hash
    size_t count = 0;
    for (size_t at = 0; at < size; at += kProfileEntry) {
        const uint32_t hash = load32(profile + at), rarity = weights.of(hash);
        const uint64_t value = uint64_t(profile[at + 4] & (kOfTitle - 1)) * rarity;
        ranked[count] = uint64_t(rarity >= rare) << 63 | value << 32 | uint32_t(~hash);
        count += rarity >= least;
    }
    most = std::min(most, count);
    std::nth_element(ranked, ranked + most, ranked + count, std::greater<>());
    const size_t first = keys.size();
    for (size_t i = 0; i < most; ++i) keys.push_back(uint32_t(~ranked[i]));
    std::sort(keys.begin() + ptrdiff_t(first), keys.end());
}

namespace {

double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : double(part) / double(whole);
}

}  // namespace

ProfileMeasures profile_measures(const TermWeights& weights, const uint8_t* a, size_t a_size,
                                 const uint8_t* b, size_t b_size) {
    const Weighted left(weights, a, a_size), right(weights, b, b_size);
    if (!left.ascends() || !right.ascends()) return {-1, -1, -1, -1};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (left.square == 0 || right.square == 0) return {none, none, none, none};
    const Shared both = shared(left, right);
    const double norms = std::sqrt(double(left.square) * double(right.square));
    const double ours = share(both.a, left.sum), theirs = share(both.b, right.sum);
    return {std::min(1.0, double(both.product) / norms),
            std::fmax(share(both.a_title, left.title), share(both.b_title, right.title)),
            std::max(ours, theirs), std::min(ours, theirs)};
}

}  // namespace nearcopy
