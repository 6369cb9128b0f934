#include "titles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "hashes.hpp"

namespace nearcopy {

namespace {

constexpr size_t kMaxWords = 64;
constexpr size_t kMaxLetters = 48;
constexpr size_t kLeastAlike = 5;
constexpr int64_t kSame = 100, kBeginsAlike = 80, kSpeltAlike = 80;
constexpr uint32_t kUnspacedShare = 70;
constexpr size_t kKeyTerms = 5;
constexpr size_t kFrontTerms = 3;
constexpr uint32_t kKeySeed = 0x717E;
constexpr uint32_t kAlef = 0x0627, kLam = 0x0644;

enum WordKind { WORD_KIND, LETTER_KIND, UNSPACED_KIND };

bool is_unspaced(uint32_t point) { return point >= 0x0E00 && !(point >= 0xAC00 && point < 0xD7A4); }

bool is_digit(uint32_t point) { return point >= '0' && point <= '9'; }

struct Letters {
    const uint32_t* data;
    size_t size;

    bool ends(const char* with) const {
        size_t length = std::strlen(with);
        if (size < length) return false;
        for (size_t i = 0; i < length; ++i)
            if (data[size - length + i] != uint32_t(with[i])) return false;
        return true;
    }
    bool operator<(const Letters& other) const {
        return std::lexicographical_compare(data, data + size, other.data, other.data + other.size);
    }
};

// --- Stems ------------------------------------------------------------------------------------

size_t without_e(const uint32_t* word, size_t size) {
    return size > 3 && word[size - 1] == 'e' ? size - 1 : size;
}

size_t undoubled(const uint32_t* word, size_t size) {
    if (size > 3 && word[size - 1] == word[size - 2]) {
        uint32_t last = word[size - 1];
        if (last != 0 && last < 128 && std::strchr("bdfgmnprt", int(last)) != nullptr)
            return size - 1;
    }
    return without_e(word, size);
}

// The stem of a word, in place of the word.
Letters stem(uint32_t* word, size_t size) {
    Letters whole{word, size};
    if (size > 4 && word[0] == kAlef && word[1] == kLam) return {word + 2, size - 2};
    if (size > 4 && (whole.ends("ies") || whole.ends("ied"))) {
        word[size - 3] = 'y';
        return {word, size - 2};
    }
    if (size > 3 && whole.ends("s") && !whole.ends("ss") && !whole.ends("us") && !whole.ends("is"))
        return {word, without_e(word, size - 1)};
    if (size > 4 && whole.ends("ed") && !whole.ends("eed"))
        return {word, undoubled(word, size - 2)};
    if (size > 5 && whole.ends("ing")) return {word, undoubled(word, size - 3)};
    return {word, without_e(word, size)};
}

// --- Terms ------------------------------------------------------------------------------------

struct Term {
    uint64_t hash;
    Letters letters;
    int64_t weight;
    int64_t count;
};

// The distinct terms of a title. A term is represented by its 64-bit hash.
class Terms {
public:
    Terms(const TitleWeights& weights, const TextView& title) : weights_(weights) {
        if (title.kind == 1)
            read(static_cast<const uint8_t*>(title.data), title.size);
        else if (title.kind == 2)
            read(static_cast<const uint16_t*>(title.data), title.size);
        else
            read(static_cast<const uint32_t*>(title.data), title.size);
        cut_into_terms();
    }
    Terms(const Terms&) = delete;
    Terms& operator=(const Terms&) = delete;

    Term* begin() { return terms_; }
    Term* end() { return terms_ + count_; }
    size_t size() const { return count_; }
    Term* front_end() { return terms_ + front_; }

    int64_t square() const {
        int64_t sum = 0;
        for (size_t i = 0; i < count_; ++i)
            sum += terms_[i].count * terms_[i].weight * terms_[i].weight;
        return sum;
    }

private:
    // Reads the first kMaxWords words, and their first kMaxLetters letters.
    template <class Char>
    void read(const Char* text, size_t size) {
        uint32_t* out = letters_;
        for (size_t at = 0; at < size && words_ < kMaxWords;) {
            if (text[at] == ' ') {
                ++at;
                continue;
            }
            uint32_t* start = out;
            for (; at < size && text[at] != ' '; ++at)
                if (size_t(out - start) < kMaxLetters) *out++ = uint32_t(text[at]);
            starts_[words_++] = start;
        }
        starts_[words_] = out;
    }

    size_t length(size_t word) const { return size_t(starts_[word + 1] - starts_[word]); }

    WordKind kind(size_t word) const {
        uint32_t first = *starts_[word];
        if (length(word) > 1 || is_digit(first)) return WORD_KIND;
        return is_unspaced(first) ? UNSPACED_KIND : LETTER_KIND;
    }

    void cut_into_terms() {
        WordKind before = LETTER_KIND;
        for (size_t from = 0, to; from < words_; from = to) {
            WordKind run_kind = kind(from);
            for (to = from + 1; to < words_ && kind(to) == run_kind;) ++to;
            add_run(run_kind, from, to, before);
            before = run_kind;
        }
    }

    // A run of words of the same kind. Single characters are adjacent.
    void add_run(WordKind run_kind, size_t from, size_t to, WordKind before) {
        if (run_kind == WORD_KIND) {
            for (size_t i = from; i < to; ++i) add(stem(starts_[i], length(i)));
        } else if (run_kind == LETTER_KIND) {
            from += before == WORD_KIND && *starts_[from] == 's';
            if (from < to) add({starts_[from], to - from});
        } else if (to - from == 1) {
            add({starts_[from], 1});
        } else {
            for (size_t i = from; i + 1 < to; ++i) add({starts_[i], 2});
        }
    }

    void add(Letters letters) {
        uint64_t hash = term_hash(letters.data, letters.size);
        Term* known = std::find_if(begin(), end(), [&](Term& term) { return term.hash == hash; });
        if (known != end()) {
            ++known->count;
        } else {
            uint32_t weight = weights_.of(hash);
            if (is_unspaced(letters.data[0])) weight = weight * kUnspacedShare / 100;
            terms_[count_++] = {hash, letters, int64_t(weight), 1};
        }
        if (added_++ < kFrontTerms) front_ = count_;
    }

    const TitleWeights& weights_;
    uint32_t letters_[kMaxWords * kMaxLetters];
    uint32_t* starts_[kMaxWords + 1];
    size_t words_ = 0;
    Term terms_[kMaxWords];
    size_t count_ = 0, added_ = 0, front_ = 0;  // distinct, in all, distinct among the first
};

// --- Alike ------------------------------------------------------------------------------------

bool one_edit(Letters x, Letters y) {
    if (x.size > y.size) std::swap(x, y);
    if (y.size - x.size > 1) return false;
    size_t at = 0;
    while (at < x.size && x.data[at] == y.data[at]) ++at;
    size_t skip = at + (x.size == y.size);
    return std::equal(x.data + std::min(skip, x.size), x.data + x.size, y.data + at + 1);
}

int64_t alike(const Letters& x, const Letters& y) {
    bool first = x.data[0] == y.data[0], last = x.data[x.size - 1] == y.data[y.size - 1];
    if (!first && !last) return 0;  // most pairs
    if (std::equal(x.data, x.data + kLeastAlike, y.data)) return kBeginsAlike;
    return one_edit(x, y) ? kSpeltAlike : 0;
}

bool can_be_alike(const Term& term) {
    const Letters& letters = term.letters;
    return term.count > 0 && letters.size >= kLeastAlike &&
           std::none_of(letters.data, letters.data + letters.size, is_digit);
}

struct AlikePair {
    int64_t product;
    Term *x, *y;

    bool operator<(const AlikePair& other) const {
        if (product != other.product) return product > other.product;
        Letters low = std::min(x->letters, y->letters), high = std::max(x->letters, y->letters);
        Letters low2 = std::min(other.x->letters, other.y->letters);
        Letters high2 = std::max(other.x->letters, other.y->letters);
        if (low < low2 || low2 < low) return low < low2;
        return high < high2;
    }
};

// The products of the equal terms, which are taken off the counts of both.
int64_t same_products(Terms& a, Terms& b) {
    int64_t sum = 0;
    for (Term& x : a) {
        Term* y = std::find_if(b.begin(), b.end(), [&](Term& y) { return y.hash == x.hash; });
        if (y == b.end()) continue;
        int64_t times = std::min(x.count, y->count);
        sum += times * x.weight * x.weight;
        x.count -= times;
        y->count -= times;
    }
    return kSame * sum;
}

size_t left_over(Terms& terms, Term** out) {
    size_t count = 0;
    for (Term& term : terms)
        if (can_be_alike(term)) out[count++] = &term;
    return count;
}

// The products of similar terms, heaviest pairs first; every occurrence is matched once.
int64_t alike_products(Terms& a, Terms& b) {
    Term *left[kMaxWords], *right[kMaxWords];
    size_t lefts = left_over(a, left), rights = left_over(b, right);
    AlikePair few[kMaxWords];
    std::vector<AlikePair> many;
    size_t count = 0;
    for (size_t i = 0; i < lefts; ++i) {
        for (size_t j = 0; j < rights; ++j) {
            int64_t share = alike(left[i]->letters, right[j]->letters);
            if (share == 0) continue;
            AlikePair pair{share * left[i]->weight * right[j]->weight, left[i], right[j]};
            if (count < kMaxWords)
                few[count++] = pair;
            else
                many.push_back(pair);
        }
    }
    AlikePair* pairs = few;
    if (!many.empty()) {
        many.insert(many.end(), few, few + count);
        pairs = many.data();
        count = many.size();
    }
    std::sort(pairs, pairs + count);
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        int64_t times = std::min(pairs[i].x->count, pairs[i].y->count);
        pairs[i].x->count -= times;
        pairs[i].y->count -= times;
        sum += times * pairs[i].product;
    }
    return sum;
}

// The weight of the first terms that are missing in the other title.
int64_t lacking(Terms& terms, Terms& other) {
    int64_t sum = 0;
    for (Term* x = terms.begin(); x != terms.front_end(); ++x)
        if (std::none_of(other.begin(), other.end(), [&](Term& y) { return y.hash == x->hash; }))
            sum += x->weight;
    return sum;
}

// --- Words ------------------------------------------------------------------------------------

template <class Char>
void hash_words(const Char* text, size_t size, std::vector<uint64_t>& out) {
    out.reserve(size / 4 + 1);
    for (size_t at = 0; at < size; ++at) {
        if (text[at] == ' ') continue;
        uint64_t hash = 0xCBF29CE484222325;
        for (; at < size && text[at] != ' '; ++at)
            hash = (hash ^ uint32_t(text[at])) * 0x9E3779B97F4A7C15, hash ^= hash >> 32;
        out.push_back(hash);
    }
}

std::vector<uint64_t> sorted_words(const TextView& title) {
    std::vector<uint64_t> out;
    if (title.kind == 1)
        hash_words(static_cast<const uint8_t*>(title.data), title.size, out);
    else if (title.kind == 2)
        hash_words(static_cast<const uint16_t*>(title.data), title.size, out);
    else
        hash_words(static_cast<const uint32_t*>(title.data), title.size, out);
    std::sort(out.begin(), out.end());
    return out;
}

size_t run_at(const std::vector<uint64_t>& words, size_t at) {
    size_t end = at;
    while (end < words.size() && words[end] == words[at]) ++end;
    return end - at;
}

// The dot product of the word counts.
double product(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    int64_t sum = 0;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        // Only a run that is passed is counted: every word is read once.
        size_t left = a[i] <= b[j] ? run_at(a, i) : 0, right = b[j] <= a[i] ? run_at(b, j) : 0;
        sum += int64_t(left) * int64_t(right);
        i += left;
        j += right;
    }
    return double(sum);
}

}  // namespace

// --- Weights ----------------------------------------------------------------------------------

TitleWeights::TitleWeights(const std::vector<std::pair<uint64_t, uint32_t>>& known,
                           uint32_t unknown)
    : unknown_(unknown) {
    size_t size = 16;
    while (size < 2 * known.size()) size *= 2;
    slots_.assign(size, 0);
    mask_ = size - 1;
    for (const auto& [term, weight] : known) {
        size_t at = term & mask_;
        while (slots_[at] != 0) at = (at + 1) & mask_;
        slots_[at] = (term & ~kWeightMask) | weight;
    }
}

uint32_t TitleWeights::of(uint64_t term) const {
    for (size_t at = term & mask_; slots_[at] != 0; at = (at + 1) & mask_)
        if (((slots_[at] ^ term) & ~kWeightMask) == 0) return uint32_t(slots_[at] & kWeightMask);
    return unknown_;
}

uint64_t term_hash(const uint32_t* letters, size_t size) {
    return murmur3_64(reinterpret_cast<const uint8_t*>(letters), size * sizeof(uint32_t), kKeySeed);
}

double title_cosine(const TitleWeights& weights, const TextView& a, const TextView& b) {
    Terms left(weights, a), right(weights, b);
    if (left.size() == 0 || right.size() == 0) return std::numeric_limits<double>::quiet_NaN();
    double norms = std::sqrt(double(left.square()) * double(right.square()));
    int64_t matched = same_products(left, right);
    matched += alike_products(left, right);
    return std::min(1.0, double(matched) / (double(kSame) * norms));
}

double title_front(const TitleWeights& weights, const TextView& a, const TextView& b) {
    Terms left(weights, a), right(weights, b);
    return double(std::min(lacking(left, right), lacking(right, left)));
}

double word_cosine(const TextView& a, const TextView& b) {
    std::vector<uint64_t> left = sorted_words(a), right = sorted_words(b);
    if (left.empty() || right.empty()) return std::numeric_limits<double>::quiet_NaN();
    double norms = std::sqrt(product(left, left) * product(right, right));
    return std::min(1.0, product(left, right) / norms);
}

void title_keys(const TitleWeights& weights, const TextView& title, std::vector<uint64_t>& keys) {
    Terms terms(weights, title);
    size_t count = std::min(terms.size(), kKeyTerms);
    std::partial_sort(
        terms.begin(), terms.begin() + count, terms.end(), [](const Term& x, const Term& y) {
            return std::make_tuple(-x.weight, x.hash) < std::make_tuple(-y.weight, y.hash);
        });
    const Term* heaviest = terms.begin();
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
            uint64_t both[2] = {std::min(heaviest[i].hash, heaviest[j].hash),
                                std::max(heaviest[i].hash, heaviest[j].hash)};
            keys.push_back(murmur3_64(reinterpret_cast<const uint8_t*>(both), 16, kKeySeed));
        }
    }
    for (size_t i = 0; i < count && count <= 2; ++i)
        keys.push_back(
            murmur3_64(reinterpret_cast<const uint8_t*>(&heaviest[i].hash), 8, kKeySeed));
}

}  // namespace nearcopy
