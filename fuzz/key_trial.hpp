// Articles by key: filed, found, removed, expired.
#pragma once

#include <map>
#include <unordered_map>

#include "key_index.hpp"
#include "trial.hpp"

namespace fuzz {

using namespace nearcopy;

// The key that is mixed to this value: fmix64 backwards.
inline uint64_t unmixed(uint64_t value) {
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
            case 0:
            case 1:
            case 2:
                return insert(operation / 8);
            case 3:
            case 4:
                return find(operation / 8);
            case 5:
                return remove();
            case 6:
                return expire();
            default:
                return operation & 8 ? weigh(operation / 8) : counts(operation / 8);
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
            for (uint32_t position : distinct(std::move(live)))
                wanted.positions.push_back(position);
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
        const uint32_t most = how & 1 ? uint32_t(-1) : how;
        std::vector<uint32_t> wanted;
        for (uint64_t key : made.keys)
            wanted.push_back(std::min(most, uint32_t(live_under(told_apart(key)).size())));
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            MUST(index_.counts(made.keys.data(), made.keys.size(), most) == wanted);
        }
    }

    void weigh(unsigned how) {
        const Rows made = rows(std::min<size_t>(read_count(input_), 100), how);
        const uint64_t least = input_.byte() % 8;
        std::vector<uint64_t> worth;
        std::vector<uint32_t> most;
        for (size_t k = 0; k < made.keys.size(); ++k) {
            worth.push_back(k % 4);
            most.push_back(uint32_t(k % 5 ? 40 * (k % 3) : uint32_t(-1)));
        }
        Found<uint64_t> wanted;
        for (size_t i = 0; i < made.n(); ++i) {
            std::map<uint32_t, uint64_t> total;
            for (size_t k = made.starts[i]; k < made.starts[i + 1]; ++k) {
                const std::vector<uint32_t> live = live_under(told_apart(made.keys[k]));
                if (live.size() > most[k]) continue;
                for (uint32_t position : live) total[position] += worth[k];
            }
            for (const auto& [position, value] : total) {
                if (value == 0 || value < least) continue;
                wanted.positions.push_back(position);
                wanted.scores.push_back(value);
            }
            wanted.end_query();
        }
        const KeyRows ragged{made.keys.data(), made.n(), 0, made.starts.data()};
        const Found<uint64_t> found =
            index_.weigh(ragged, worth.data(), most.data(), least, 1 + (how == 31) * 2);
        MUST(found.starts == wanted.starts && found.positions == wanted.positions &&
             found.scores == wanted.scores);
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

}  // namespace fuzz
