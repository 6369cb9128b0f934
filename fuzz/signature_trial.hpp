// Signatures by overlap.
#pragma once

#include "signature_index.hpp"
#include "trial.hpp"

namespace fuzz {

using namespace nearcopy;

class SignatureTrial {
public:
    explicit SignatureTrial(Input& input)
        : input_(input),
          bands_(1 + input.below(128)),
          rows_(1 + input.byte() % (128 / bands_)),
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
                out[begin + numbers.below(kSlots)] =
                    uint32_t(numbers.next() >> (how & 4 ? 62 : 32));
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

    std::vector<std::pair<uint32_t, float>> expected(const uint32_t* query,
                                                     double threshold) const {
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

}  // namespace fuzz
