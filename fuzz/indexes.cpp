// libFuzzer target: the indexes in memory, driven by a stream of operations and held against lists
// that are searched from end to end.
//
// The first byte chooses the index, the next its settings; then each operation is a byte and its
// operands. Many values are made from few bytes (`Numbers`), so that short inputs fill indexes.
#include <unordered_map>

#include "hamming_index.hpp"
#include "harness.hpp"
#include "key_index.hpp"
#include "signature_index.hpp"

namespace fuzz {
namespace {

using namespace nearcopy;

constexpr size_t MOST = 10000;                     // articles in an index
constexpr size_t MOST_COMPARED = size_t(1) << 17;  // fingerprints or signatures in one search

// A handful of values usually, seldom so many that runs, chunks and batches are filled.
size_t read_count(Input& input) {
    const size_t count = input.byte();
    return count < 250 ? count % 40 : count < 255 ? (count - 249) * 300 : 7000;
}

template <class T>
std::vector<T> distinct(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <class Score>
void check_shape(const Found<Score>& found, size_t queries, bool scored) {
    MUST(found.starts.size() == queries + 1 && found.starts.front() == 0);
    MUST(std::is_sorted(found.starts.begin(), found.starts.end()));
    MUST(found.starts.back() == found.positions.size());
    MUST(found.scores.size() == (scored ? found.positions.size() : 0));
}

// What query i found, as pairs that compare.
template <class Score>
std::vector<std::pair<uint32_t, Score>> answer(const Found<Score>& found, size_t i) {
    std::vector<std::pair<uint32_t, Score>> pairs;
    for (uint64_t at = found.starts[i]; at < found.starts[i + 1]; ++at)
        pairs.emplace_back(found.positions[at], found.scores[at]);
    return pairs;
}

// --- Fingerprints by Hamming distance ----------------------------------------------------------

class HammingTrial {
public:
    explicit HammingTrial(Input& input)
        : input_(input), distance_(input.below(16)), index_(distance_), centre_(input.four()) {}

    void step() {
        const unsigned operation = input_.byte();
        if (operation % 4 == 0) return find();
        if (operation % 4 == 1) centre_ = fmix64(centre_ ^ operation);
        insert(operation);
    }

private:
    // Fingerprints around the centre: a few bits off, in one place or all over.
    std::vector<uint64_t> around(size_t count, unsigned how) {
        Numbers numbers(input_.two());
        std::vector<uint64_t> out;
        for (size_t i = 0; i < count; ++i) {
            uint64_t value = how % 8 == 7 ? numbers.next() : centre_;
            for (size_t flips = numbers.below(distance_ + 3); flips > 0; --flips)
                value ^= uint64_t(1) << numbers.below(how % 8 < 4 ? 64 : 8 << how % 4);
            out.push_back(value);
        }
        return out;
    }

    void insert(unsigned how) {
        const size_t room = MOST - all_.size();
        const auto values = around(std::min(read_count(input_), room), how / 4);
        index_.insert(values.data(), values.size());
        all_.insert(all_.end(), values.begin(), values.end());
        MUST(index_.size() == all_.size() && index_.nbytes() >= 8 * all_.size());
    }

    void find() {
        const unsigned how = input_.byte(), threads = 1 + (how % 16 == 15) * 2;
        const size_t count = std::min(read_count(input_), MOST_COMPARED / (all_.size() + 1));
        const auto queries = around(count, how);
        std::vector<std::vector<std::pair<uint32_t, uint8_t>>> wanted;
        for (uint64_t query : queries) wanted.push_back(expected(query));
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            const Found<uint8_t> found = index_.find(queries.data(), count, threads);
            check_shape(found, count, true);
            for (size_t i = 0; i < count; ++i) MUST(answer(found, i) == wanted[i]);
        }
    }

    std::vector<std::pair<uint32_t, uint8_t>> expected(uint64_t query) const {
        std::vector<std::pair<uint32_t, uint8_t>> near;
        for (size_t i = 0; i < all_.size(); ++i) {
            const int distance = __builtin_popcountll(all_[i] ^ query);
            if (unsigned(distance) <= distance_) near.emplace_back(uint32_t(i), uint8_t(distance));
        }
        std::stable_sort(near.begin(), near.end(),
                         [](auto& a, auto& b) { return a.second < b.second; });
        return near;
    }

    Input& input_;
    unsigned distance_;
    HammingIndex index_;
    uint64_t centre_;
    std::vector<uint64_t> all_;
};

// --- Articles by key ---------------------------------------------------------------------------

// What of a mixed key the table can tell apart: 8 bits of the shard and 36 of the tag, never 0.
uint64_t told_apart(uint64_t key) {
    const uint64_t kept = fmix64(key) >> 20;
    return kept << 28 >> 28 == 0 ? kept | 1 : kept;
}

// The key that is mixed to this value: fmix64 backwards.
uint64_t unmixed(uint64_t value) {
    value = (value ^ value >> 33) * 0x9CB4B2F8129337DBu;
    value = (value ^ value >> 33) * 0x4F74430C22A54005u;
    return value ^ value >> 33;
}

class KeyTrial {
public:
    explicit KeyTrial(Input& input) : input_(input), spread_(input.byte()) {}

    void step() {
        const unsigned operation = input_.byte();
        switch (operation % 8) {
            case 0: case 1: case 2: return insert(operation / 8);
            case 3: case 4: return find(operation / 8);
            case 5: return remove();
            case 6: return expire();
            default: return counts(operation / 8);
        }
    }

private:
    struct Article {
        int64_t time;
        bool live;
    };

    struct Rows {
        std::vector<uint64_t> keys, starts;
        size_t width;
        bool ragged;

        size_t n() const { return starts.size() - 1; }
        KeyRows rows() const { return {keys.data(), n(), width, ragged ? starts.data() : nullptr}; }
        std::vector<uint64_t> of(size_t i) const {
            std::vector<uint64_t> out;
            for (size_t k = starts[i]; k < starts[i + 1]; ++k) out.push_back(told_apart(keys[k]));
            return distinct(std::move(out));
        }
    };

    // Keys out of a few hundred: in one shard or all, far apart or next to each other.
    uint64_t key(Numbers& numbers, unsigned how) const {
        const uint64_t number = numbers.below(how % 4 == 0 ? 3 : how % 4 == 1 ? 40 : 4000);
        const uint64_t shard = spread_ & 1 ? number % 256 : spread_ & 2 ? 255 : 0;
        const uint64_t tag = spread_ & 4 ? number : spread_ & 8 ? ~number : fmix64(number);
        const uint64_t below_tag = spread_ & 16 ? numbers.below(2) : 0;  // what is not stored
        return unmixed(shard << 56 | tag << 28 >> 8 | below_tag);
    }

    Rows rows(size_t count, unsigned how) {
        Numbers numbers(input_.two());
        Rows rows{{}, {0}, (how / 4) % 6, (how & 16) != 0};
        for (size_t i = 0; i < count; ++i) {
            const size_t width = rows.ragged ? numbers.below(rows.width + 2) : rows.width;
            for (size_t k = 0; k < width; ++k) rows.keys.push_back(key(numbers, how));
            rows.starts.push_back(rows.keys.size());
        }
        return rows;
    }

    void insert(unsigned how) {
        const Rows made = rows(std::min(read_count(input_), MOST - articles_.size()), how);
        Numbers numbers(input_.byte());
        std::vector<int64_t> times;
        for (size_t i = 0; i < made.n(); ++i)
            times.push_back(int64_t(numbers.below(64)) - 32 + int64_t(articles_.size() / 512));
        MUST(index_.insert(made.rows(), times.data()) == articles_.size());
        for (size_t i = 0; i < made.n(); ++i) {
            const auto position = uint32_t(articles_.size());
            articles_.push_back({times[i], true});
            for (uint64_t k : made.of(i)) filed_[k].push_back(position);
        }
        check_sizes();
    }

    void find(unsigned how) {
        const Rows made = rows(std::min<size_t>(read_count(input_), 300), how);
        Found<uint8_t> wanted;
        for (size_t i = 0; i < made.n(); ++i) {
            std::vector<uint32_t> live;
            for (uint64_t k : made.of(i))
                for (uint32_t position : live_under(k)) live.push_back(position);
            for (uint32_t position : distinct(std::move(live))) wanted.positions.push_back(position);
            wanted.end_query();
        }
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            const Found<uint8_t> found = index_.find(made.rows(), 1 + (how == 31) * 2);
            check_shape(found, made.n(), false);
            MUST(found.starts == wanted.starts && found.positions == wanted.positions);
        }
    }

    void counts(unsigned how) {
        const Rows made = rows(8, how);
        std::vector<uint32_t> wanted;
        for (uint64_t key : made.keys)
            wanted.push_back(uint32_t(live_under(told_apart(key)).size()));
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            MUST(index_.counts(made.keys.data(), made.keys.size()) == wanted);
        }
    }

    void remove() {
        const size_t count = read_count(input_);
        Numbers numbers(input_.two());
        std::vector<uint32_t> gone;
        for (size_t i = 0; i < count && !articles_.empty(); ++i)
            gone.push_back(uint32_t(numbers.below(articles_.size())));
        index_.remove(gone.data(), gone.size());
        for (uint32_t position : gone) articles_[position].live = false;
        check_sizes();
    }

    void expire() {
        const int64_t before = int64_t(input_.byte()) - 64;
        size_t old = 0;
        for (Article& article : articles_) {
            if (!article.live || article.time >= before) continue;
            article.live = false;
            ++old;
        }
        MUST(index_.expire(before) == old);
        check_sizes();
    }

    std::vector<uint32_t> live_under(uint64_t kept) const {
        std::vector<uint32_t> live;
        const auto found = filed_.find(kept);
        if (found == filed_.end()) return live;
        for (uint32_t position : found->second)
            if (articles_[position].live) live.push_back(position);
        return live;
    }

    void check_sizes() const {
        size_t live = 0;
        for (const Article& article : articles_) live += article.live;
        MUST(index_.size() == live && index_.positions() == articles_.size());
        MUST(index_.nbytes() > 0);
    }

    Input& input_;
    unsigned spread_;
    KeyIndex index_;
    std::vector<Article> articles_;
    std::unordered_map<uint64_t, std::vector<uint32_t>> filed_;
};

// --- Signatures by overlap ---------------------------------------------------------------------

class SignatureTrial {
public:
    explicit SignatureTrial(Input& input)
        : input_(input), bands_(1 + input.below(128)), rows_(1 + input.byte() % (128 / bands_)),
          index_(bands_, rows_) {}

    void step() {
        const unsigned operation = input_.byte();
        operation % 2 ? insert(operation / 2) : find(operation / 2);
    }

private:
    using Signature = std::vector<uint32_t>;

    // `count` signatures end to end: one of sixteen, with some lanes changed.
    Signature around(size_t count, unsigned how) {
        Numbers numbers(input_.two());
        Signature out;
        for (size_t i = 0; i < count; ++i) {
            const uint64_t family = numbers.below(how % 4 == 0 ? 1 : 16);
            const size_t begin = out.size();
            for (uint64_t lane = 0; lane < kSlots; ++lane)
                out.push_back(uint32_t(fmix64(family * kSlots + lane) >> (how & 4 ? 62 : 32)));
            for (size_t changes = numbers.below(how & 8 ? 129 : 8); changes > 0; --changes)
                out[begin + numbers.below(kSlots)] = uint32_t(numbers.next() >> (how & 4 ? 62 : 32));
        }
        return out;
    }

    void insert(unsigned how) {
        const Signature made = around(std::min(read_count(input_), 1100 - size()), how);
        MUST(index_.insert(made.data(), made.size() / kSlots) == size());
        for (size_t i = 0; i < made.size(); i += kSlots) append_keys(&made[i], keys_);
        all_.insert(all_.end(), made.begin(), made.end());
        MUST(index_.size() == size() && index_.nbytes() >= 4 * all_.size());
    }

    void find(unsigned how) {
        const double threshold = input_.byte() / 255.0;
        const size_t most = MOST_COMPARED / kSlots / (size() + 1) + 1;
        const size_t count = std::min({read_count(input_), most, size_t(16)});
        const Signature queries = around(count, how);
        std::vector<std::vector<std::pair<uint32_t, float>>> wanted;
        for (size_t i = 0; i < count; ++i)
            wanted.push_back(expected(&queries[i * kSlots], threshold));
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            const auto found = index_.find(queries.data(), count, threshold, 1 + (how == 63) * 2);
            check_shape(found, count, true);
            for (size_t i = 0; i < count; ++i) MUST(answer(found, i) == wanted[i]);
        }
    }

    std::vector<std::pair<uint32_t, float>> expected(const uint32_t* query, double threshold) const {
        std::vector<uint64_t> keys;
        append_keys(query, keys);
        std::vector<std::pair<uint32_t, float>> alike;
        for (size_t position = 0; position < size(); ++position) {
            unsigned equal = 0, bands = 0;
            for (size_t b = 0; b < bands_; ++b) bands += keys[b] == keys_[position * bands_ + b];
            for (size_t i = 0; i < kSlots; ++i) equal += query[i] == all_[position * kSlots + i];
            if (bands > 0 && equal + 1e-9 >= threshold * kSlots)
                alike.emplace_back(uint32_t(position), float(equal) / 128);
        }
        std::stable_sort(alike.begin(), alike.end(),
                         [](auto& a, auto& b) { return a.second > b.second; });
        return alike;
    }

    void append_keys(const uint32_t* signature, std::vector<uint64_t>& keys) const {
        std::vector<uint64_t> bands(bands_);
        band_keys(signature, bands_, rows_, bands.data());
        for (uint64_t key : bands) keys.push_back(told_apart(key));
    }

    size_t size() const { return all_.size() / kSlots; }

    Input& input_;
    size_t bands_, rows_;
    SignatureIndex index_;
    Signature all_;
    std::vector<uint64_t> keys_;  // what the table can tell apart of each band's
};

template <class Trial>
void run(Input& input) {
    Trial trial(input);
    for (unsigned steps = 0; input.left() > 0 && steps < 32; ++steps) trial.step();
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Input input(data, size);
    switch (input.byte() % 3) {
        case 0: fuzz::run<fuzz::HammingTrial>(input); break;
        case 1: fuzz::run<fuzz::KeyTrial>(input); break;
        default: fuzz::run<fuzz::SignatureTrial>(input); break;
    }
    return 0;
}
