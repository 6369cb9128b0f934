// MinHash signatures by overlap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "hashes.hpp"
#include "key_table.hpp"
#include "lanes.hpp"
#include "scans.hpp"

namespace nearcopy {

// The key of each band of a signature: a fold over its rows, started from the band's number.
inline void band_keys(const uint32_t* signature, size_t bands, size_t rows, uint64_t* keys) {
    for (size_t b = 0; b < bands; ++b) {
        uint64_t h = fmix64(b + kGolden);
        for (size_t r = 0; r < rows; ++r) h = fmix64(h ^ signature[b * rows + r]) * kGolden;
        keys[b] = h;
    }
}

// MinHash signatures found through their bands and verified lane by lane.
class SignatureIndex {
public:
    SignatureIndex(size_t bands, size_t rows) : bands_(bands), rows_(rows) {
        if (!bands || !rows || bands * rows > kSlots)
            throw std::invalid_argument("bands * rows is not in 1..128");
    }

    size_t size() const { return signatures_.size(); }

    uint32_t insert(const uint32_t* signatures, size_t n) {
        if (n > entry::kPositionMask - size())
            throw std::overflow_error("a SignatureIndex holds at most 2^28 - 1 signatures");
        const auto first = static_cast<uint32_t>(size());
        const bool bulk = n * bands_ >= KeyTable::kBulk;
        if (bulk) table_.reserve(n * bands_);
        const size_t batch = std::max(kBatch, n / 8);
        std::vector<uint64_t> keys;
        for (size_t at = 0, step; at < n; at += step) {
            step = std::min(batch, n - at);
            keys_of(signatures + at * kSlots, step, keys);
            signatures_.append(signatures + at * kSlots, step);
            table_.insert({keys.data(), step, bands_}, static_cast<uint32_t>(first + at), 0);
        }
        if (bulk) table_.give_back();
        return first;
    }

    // Those that share a band and at least the share `threshold` of the lanes, best first.
    Found<float> find(const uint32_t* queries, size_t n, double threshold, unsigned threads) const {
        const auto wanted = static_cast<int64_t>(std::ceil(threshold * kSlots - 1e-9));
        return answered<float>(n, threads, [&](size_t from, size_t to, Found<float>& found) {
            KeyLookup lookup(table_, 0);
            std::vector<uint64_t> keys;
            for (size_t at = from, step; at < to; at += step) {
                step = std::min(kBatch, to - at);
                keys_of(queries + at * kSlots, step, keys);
                lookup.look_up({keys.data(), step, bands_}, 0, step);
                verify(queries + at * kSlots, step, lookup, wanted, found);
            }
        });
    }

    size_t nbytes() const {
        return sizeof(*this) - sizeof(table_) + table_.nbytes() + signatures_.nbytes();
    }

private:
    static constexpr size_t kBatch = 32768;  // signatures whose keys are held at a time

    void keys_of(const uint32_t* signatures, size_t n, std::vector<uint64_t>& keys) const {
        keys.resize(n * bands_);
        for (size_t i = 0; i < n; ++i)
            band_keys(signatures + i * kSlots, bands_, rows_, &keys[i * bands_]);
    }

    // The candidates' signatures of a row are on their way while the row before is verified.
    void verify(const uint32_t* queries, size_t n, const KeyLookup& lookup, int64_t wanted,
                Found<float>& found) const {
        std::vector<uint32_t> candidates, next;
        std::vector<uint64_t> matches;  // lanes that differ << 32 | position
        for (size_t i = 0; i <= n; ++i) {
            if (i < n) look_ahead(lookup, i, next);
            if (i > 0) {
                verify(queries + (i - 1) * kSlots, candidates, wanted, matches);
                report(matches, found);
            }
            candidates.swap(next);
        }
    }

    void look_ahead(const KeyLookup& lookup, size_t row, std::vector<uint32_t>& candidates) const {
        lookup.row(row, candidates);
        for (size_t c = 0; c < std::min<size_t>(candidates.size(), 8); ++c)
            for (size_t lane = 0; lane < kSlots; lane += 16)
                prefetch(signatures_.row(candidates[c]) + lane);
    }

    void verify(const uint32_t* query, const std::vector<uint32_t>& candidates, int64_t wanted,
                std::vector<uint64_t>& matches) const {
        matches.clear();
        for (uint32_t position : candidates) {
            const unsigned equal = scans().equal_lanes(query, signatures_.row(position), kSlots);
            if (equal >= wanted) matches.push_back(uint64_t{kSlots - equal} << 32 | position);
        }
        std::sort(matches.begin(), matches.end());
    }

    static void report(const std::vector<uint64_t>& matches, Found<float>& found) {
        for (uint64_t match : matches) {
            found.positions.push_back(static_cast<uint32_t>(match));
            found.scores.push_back(static_cast<float>(kSlots - (match >> 32)) / kSlots);
        }
        found.end_query();
    }

    size_t bands_, rows_;
    KeyTable table_;
    Chunks<uint32_t, kSlots, 10> signatures_;
};

}  // namespace nearcopy
