// libFuzzer target: the key index, driven by a stream of insert, find, remove, export and attach.
//
// The first byte spreads the keys; then each operation is a byte and its operands. Many values are
// made from few bytes (`Numbers`), so that short inputs fill the index.
#include "key_index.hpp"

#include <algorithm>
#include <list>
#include <vector>

#include "harness.hpp"
#include "hashes.hpp"

namespace fuzz {

using namespace nearcopy;

constexpr size_t MAX_ARTICLES = 10000;

// The key that fmix64 maps to this value.
inline uint64_t unmix(uint64_t value) {
    value = (value ^ value >> 33) * 0x9CB4B2F8129337DBu;
    value = (value ^ value >> 33) * 0x4F74430C22A54005u;
    return value ^ value >> 33;
}

// A handful of values usually, rarely so many that lines and shards are filled.
inline size_t read_count(Input& input) {
    const size_t count = input.byte();
    return count < 250 ? count % 40 : count < 255 ? (count - 249) * 300 : 7000;
}

struct Rows {
    std::vector<uint64_t> keys, starts{0};

    size_t n() const { return starts.size() - 1; }
    KeyRows view() const { return {keys.data(), starts.data(), n()}; }
};

class Trial {
public:
    explicit Trial(Input& input) : input_(input), spread_(input.byte()) {}

    void step() {
        const unsigned operation = input_.byte();
        switch (operation % 8) {
            case 0:
            case 1:
            case 2:
                return insert(operation / 8);
            case 3:
            case 4:
            case 5:
                return find(operation / 8);
            case 6:
                return remove();
            default:
                return operation / 8 % 4 ? remove() : reattach();
        }
    }

private:
    struct Article {
        uint64_t key;
        bool has_key, live;
    };

    // One of a few hundred keys: in one shard or all, far apart or adjacent.
    uint64_t key(Numbers& numbers, unsigned choice) const {
        const uint64_t number = numbers.below(choice % 4 == 0 ? 3 : choice % 4 == 1 ? 40 : 4000);
        const uint64_t shard = spread_ & 1 ? number % 256 : spread_ & 2 ? 255 : 0;
        const uint64_t tag = spread_ & 4 ? number : spread_ & 8 ? ~number : fmix64(number);
        const uint64_t below_tag = spread_ & 16 ? numbers.below(2) : 0;  // bits that are not stored
        return unmix(shard << 56 | tag << 28 >> 8 | below_tag);
    }

    Rows read_rows(size_t count, unsigned choice) {
        Numbers numbers(input_.two());
        const size_t width = choice / 4 % 6;
        Rows rows;
        for (size_t i = 0; i < count; ++i) {
            const size_t keys = choice & 16 ? numbers.below(width + 2) : width;
            for (size_t k = 0; k < keys; ++k) rows.keys.push_back(key(numbers, choice));
            rows.starts.push_back(rows.keys.size());
        }
        return rows;
    }

    void insert(unsigned choice) {
        const Rows rows =
            read_rows(std::min(read_count(input_), MAX_ARTICLES - articles_.size()), choice);
        MUST(index_.insert(rows.view()) == articles_.size());
        for (size_t i = 0; i < rows.n(); ++i) {
            const bool has_key = rows.starts[i] < rows.starts[i + 1];
            articles_.push_back({has_key ? rows.keys[rows.starts[i]] : 0, has_key, true});
        }
        check_sizes();
    }

    void find(unsigned choice) {
        const Rows rows = read_rows(std::min<size_t>(read_count(input_), 100), choice);
        const uint64_t min_weight = input_.byte() % 8;
        std::vector<uint64_t> weights;
        std::vector<uint32_t> max_articles;
        for (size_t k = 0; k < rows.keys.size(); ++k) {
            weights.push_back(k % 4);
            max_articles.push_back(uint32_t(k % 5 ? 40 * (k % 3) : uint32_t(-1)));
        }
        use_level(0);
        const Matches first =
            index_.find(rows.view(), weights.data(), max_articles.data(), min_weight);
        check_matches(first, rows.n(), min_weight);
        for (unsigned level = 1; level < 3; ++level) {
            use_level(level);
            const Matches matches =
                index_.find(rows.view(), weights.data(), max_articles.data(), min_weight);
            MUST(matches.starts == first.starts && matches.positions == first.positions &&
                 matches.weights == first.weights);
        }
    }

    // Live positions, ascending for each query, of at least the minimum weight.
    void check_matches(const Matches& matches, size_t queries, uint64_t min_weight) const {
        MUST(matches.starts.size() == queries + 1 && matches.starts.front() == 0);
        MUST(matches.starts.back() == matches.positions.size());
        MUST(matches.weights.size() == matches.positions.size());
        for (size_t q = 0; q < queries; ++q)
            for (uint64_t at = matches.starts[q]; at < matches.starts[q + 1]; ++at) {
                MUST(articles_[matches.positions[at]].live);
                MUST(matches.weights[at] >= std::max<uint64_t>(1, min_weight));
                MUST(at == matches.starts[q] || matches.positions[at - 1] < matches.positions[at]);
            }
    }

    // Some of the articles, exported and attached once more behind the others.
    void reattach() {
        if (2 * articles_.size() > MAX_ARTICLES) return;
        const unsigned every = input_.byte() % 4 + 1;
        std::vector<uint8_t> keep(articles_.size());
        std::vector<Article> kept;
        for (size_t i = 0; i < keep.size(); i += every) {
            keep[i] = 1;
            kept.push_back(articles_[i]);
        }
        runs_.push_back(index_.export_run(keep.data()));
        const RunEntries& run = runs_.back();
        std::vector<uint64_t> sums;
        for (size_t e = 0; e < run.entries.size(); e += kChecked)
            sums.push_back(
                checksum(&run.entries[e], std::min(kChecked, run.entries.size() - e)));
        sums_.push_back(sums);
        const uint32_t first = index_.attach(
            run.starts.data(), run.starts.size() - 1, run.entries.data(), run.entries.size(),
            sums_.back().data(), uint32_t(kept.size()));
        MUST(first == articles_.size());
        std::vector<uint32_t> dead;  // they are in the run without keys
        for (size_t i = 0; i < kept.size(); ++i)
            if (!kept[i].live) dead.push_back(uint32_t(first + i));
        index_.remove(dead.data(), dead.size());
        articles_.insert(articles_.end(), kept.begin(), kept.end());
        check_sizes();
    }

    void remove() {
        const size_t count = read_count(input_);
        Numbers numbers(input_.two());
        std::vector<uint32_t> positions;
        for (size_t i = 0; i < count && !articles_.empty(); ++i)
            positions.push_back(uint32_t(numbers.below(articles_.size())));
        index_.remove(positions.data(), positions.size());
        for (uint32_t position : positions) articles_[position].live = false;
        check_sizes();
    }

    // Every article is found by its first key as long as it is live.
    void check_sizes() const {
        size_t live = 0;
        for (const Article& article : articles_) live += article.live;
        MUST(index_.size() == live && index_.positions() == articles_.size());
        const uint64_t starts[] = {0, 1}, weight = 1;
        const uint32_t max_articles = uint32_t(-1);
        for (size_t i = 0; i < articles_.size(); i += 1 + articles_.size() / 8) {
            if (!articles_[i].has_key) continue;
            const Matches matches =
                index_.find({&articles_[i].key, starts, 1}, &weight, &max_articles, 1);
            const bool is_found = std::binary_search(matches.positions.begin(),
                                                     matches.positions.end(), uint32_t(i));
            MUST(is_found == articles_[i].live);
        }
    }

    Input& input_;
    unsigned spread_;
    std::list<RunEntries> runs_;
    std::list<std::vector<uint64_t>> sums_;
    KeyIndex index_;
    std::vector<Article> articles_;
};

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Input input(data, size);
    fuzz::Trial trial(input);
    for (unsigned steps = 0; input.left() > 0 && steps < 32; ++steps) trial.step();
    return 0;
}
