// A run: the articles of an earlier key index, immutable, usually mapped from a file.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hashes.hpp"
#include "key_table.hpp"
#include "lanes.hpp"

namespace nearcopy {

// Raised where a run is not what was written.
struct DamagedRun : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr size_t kChecked = 4096;  // words with one checksum

// Any change of one word changes it; of several, but for a chance of 2^-64.
inline uint64_t checksum(const uint64_t* words, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += fmix64(words[i] ^ (i + 1) * kGolden);
    return sum;
}

// The entries of a run, ascending by shard, and where each bucket starts among them. A bucket is a
// part of a shard: the entries with the same leading bits of the tag.
struct RunEntries {
    static constexpr unsigned kShardBits = 8;
    static constexpr unsigned kMaxBits = 30;
    static constexpr size_t kWidth = 8;  // entries of a bucket, about

    std::vector<uint32_t> starts;
    std::vector<uint64_t> entries;

    static size_t bucket(size_t shard, uint64_t entry, unsigned bits) {
        const unsigned tag_bits = bits - kShardBits;
        return shard << tag_bits | (tag_bits ? entry >> (64 - tag_bits) : 0);
    }

    // `ends` are the ends of the shards.
    void find_buckets(const std::vector<size_t>& ends) {
        unsigned bits = kShardBits;
        while (bits < kMaxBits && (kWidth << bits) < entries.size()) ++bits;
        starts.assign((size_t{1} << bits) + 1, 0);
        for (size_t shard = 0, e = 0; shard < ends.size(); ++shard)
            for (; e < ends[shard]; ++e) ++starts[bucket(shard, entries[e], bits) + 1];
        for (size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
    }
};

// What is read of it is checked: nothing that a file may hold is taken for granted.
class KeyRun {
public:
    // `checksums`, if any, are those of each kChecked entries, checked where they are first read.
    // Of n + 1 starts, n must be a power of two and at least 256.
    KeyRun(const uint32_t* starts, size_t buckets, const uint64_t* entries, size_t n,
           const uint64_t* checksums, uint32_t articles, uint32_t first)
        : starts_(starts), entries_(entries), n_(n), checksums_(checksums), articles_(articles),
          first_(first) {
        while ((size_t{1} << bits_) < buckets) ++bits_;
        if (checksums) checked_.reset(new std::atomic<bool>[n / kChecked + 1]());
    }

    uint32_t first() const { return first_; }
    bool contains(uint32_t position) const { return position - first_ < articles_; }

    void prefetch_start(uint64_t mixed) const { prefetch(starts_ + bucket(mixed)); }

    void prefetch_entries(uint64_t mixed) const {
        prefetch(entries_ + std::min<size_t>(starts_[bucket(mixed)], n_));
    }

    // Appends the positions under a mixed key for which keep(position) holds; false, and only some
    // of them, if there are then more than `most`.
    template <class Keep>
    bool copy(uint64_t mixed, size_t most, Keep keep, std::vector<uint32_t>& positions) const {
        const uint64_t tag = entry::tag(mixed);
        const size_t b = bucket(mixed);
        const auto [begin, end] = range(starts_[b], starts_[b + 1]);
        const uint64_t* e = end - begin > 32 ? std::lower_bound(begin, end, tag) : begin;
        while (e < end && *e < tag) ++e;
        for (; e < end && entry::same_tag(*e, tag) && positions.size() <= most; ++e) {
            const uint32_t position = position_of(*e);
            if (keep(position)) positions.push_back(position);
        }
        return positions.size() <= most;
    }

    // Calls use(entry, position) for all entries of a shard, ascending.
    template <class Use>
    void for_each(size_t shard, Use use) const {
        const unsigned tag_bits = bits_ - RunEntries::kShardBits;
        const auto [begin, end] = range(starts_[shard << tag_bits], starts_[(shard + 1) << tag_bits]);
        for (const uint64_t* e = begin; e < end; ++e) use(*e, position_of(*e));
    }

private:
    size_t bucket(uint64_t mixed) const {
        return RunEntries::bucket(mixed >> 56, entry::tag(mixed), bits_);
    }

    uint32_t position_of(uint64_t e) const {
        const auto place = static_cast<uint32_t>(e & entry::kPositionMask);
        if (place >= articles_) throw DamagedRun("a run has an entry of no article");
        return first_ + place;
    }

    std::pair<const uint64_t*, const uint64_t*> range(size_t begin, size_t end) const {
        if (begin > end || end > n_) throw DamagedRun("a run has a bucket beyond its entries");
        if (checksums_ && begin < end)
            for (size_t block = begin / kChecked; block <= (end - 1) / kChecked; ++block)
                check(block);
        return {entries_ + begin, entries_ + end};
    }

    void check(size_t block) const {
        if (checked_[block].load(std::memory_order_relaxed)) return;
        const size_t begin = block * kChecked;
        if (checksum(entries_ + begin, std::min(kChecked, n_ - begin)) != checksums_[block])
            throw DamagedRun("the entries of a run do not have their checksum");
        checked_[block].store(true, std::memory_order_relaxed);
    }

    const uint32_t* starts_;
    const uint64_t* entries_;
    size_t n_;
    const uint64_t* checksums_;
    uint32_t articles_;
    uint32_t first_;  // the position of its first article
    unsigned bits_ = RunEntries::kShardBits;
    std::unique_ptr<std::atomic<bool>[]> checked_;  // by block
};

}  // namespace nearcopy
