// Fingerprints by Hamming distance.
#pragma once

#include "hamming_index.hpp"
#include "trial.hpp"

namespace fuzz {

using namespace nearcopy;

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

}  // namespace fuzz
