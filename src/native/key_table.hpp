// A hash table from 64-bit keys to positions, 8 bytes an entry.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hashes.hpp"
#include "scans.hpp"
#include "zeroed.hpp"

namespace nearcopy {

inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");  // or GCC finds that callers have no effect and drops the calls
}

// n rows of keys: row i is [starts[i], starts[i + 1]).
struct KeyRows {
    const uint64_t* keys;
    const uint64_t* starts;
    size_t n;

    size_t start(size_t i) const { return starts[i]; }
    size_t total() const { return start(n); }

    // The end of a batch of rows from `begin`: a single row, or more with at most `max_keys` keys.
    size_t end_of_batch(size_t begin, size_t max_keys) const {
        const size_t last = std::min(n, begin + max_keys);
        size_t end = begin + 1;
        while (end < last && start(end + 1) - start(begin) <= max_keys) ++end;
        return end;
    }
};

// A table entry: 36 bits of a mixed key (its tag) above the 28 low bits of a position. Never zero.
namespace entry {

constexpr unsigned kPositionBits = 28;
constexpr uint64_t kPositionMask = (uint64_t{1} << kPositionBits) - 1;

// The bits of a mixed key after the 8 that choose its shard.
inline uint64_t tag(uint64_t mixed) {
    const uint64_t bits = mixed << 8 & ~kPositionMask;
    return bits ? bits : kPositionMask + 1;
}

inline uint64_t tag_of(uint64_t entry) { return entry & ~kPositionMask; }

inline bool same_tag(uint64_t a, uint64_t b) { return (a ^ b) <= kPositionMask; }

inline uint64_t make(uint64_t tag, uint64_t position) { return tag | (position & kPositionMask); }

// The position whose low 28 bits are stored; `base` is at most the position, by less than 2^28.
inline uint32_t position(uint64_t entry, uint32_t base) {
    return base + static_cast<uint32_t>((entry - base) & kPositionMask);
}

}  // namespace entry

// Distinct entries in ascending order, with gaps to grow into.
//
// The slots are lines of 8 (64 bytes: a cache line), filled from the left. An entry's home
// line is in proportion to its tag; overflow goes to the next lines. So a search
// from the home line ends at a line with room or with a greater entry: after about two lines, even
// when 95 % of the slots are taken. An insert moves the entries up to the next free slot.
class SortedLines {
public:
    static constexpr size_t kWidth = 8;
    static constexpr size_t kSpare = 4;

    SortedLines() = default;

    SortedLines(const std::vector<uint64_t>& ascending, size_t homes, size_t spare)
        : homes_(homes), size_(ascending.size()) {
        for (spare_ = spare; !fill(ascending); spare_ *= 2) continue;
    }

    // The capacity of `homes` lines at a load of 95 %, and the lines needed for `entries` entries.
    static size_t room(size_t homes) { return homes * kWidth * 95 / 100; }
    static size_t homes_for(size_t entries) { return entries * 100 / (95 * kWidth) + 1; }

    size_t homes() const { return homes_; }
    size_t spare() const { return spare_; }
    size_t size() const { return size_; }
    size_t nbytes() const { return slots() * sizeof(uint64_t); }

    const uint64_t* home(uint64_t entry) const {
        return slots_.get() + ((entry >> entry::kPositionBits) * homes_ >> 36) * kWidth;
    }

    // Copies the entries with the tag, plus up to 8 more words; returns the number of entries.
    size_t copy(uint64_t tag, uint64_t* entries) const {
        return scans().tagged(home(tag), tag, entry::kPositionMask, entries);
    }

    template <class Use>
    void for_each(Use use) const {
        for (size_t s = 0; s < slots(); ++s)
            if (slots_.get()[s]) use(slots_.get()[s]);
    }

    // The slot of the entry, or the slot to insert it at.
    uint64_t* place(uint64_t entry) {
        uint64_t* slot = const_cast<uint64_t*>(home(entry));
        while (slot[kWidth - 1] && slot[kWidth - 1] < entry) slot += kWidth;
        return slot + taken_below(slot, entry);
    }

    // The number of entries around `place` that have the tag.
    size_t around(const uint64_t* place, uint64_t tag) const {
        const uint64_t *from = place, *to = place;
        while (from > slots_.get() && entry::same_tag(from[-1], tag)) --from;
        while (entry::same_tag(*to, tag)) ++to;
        return static_cast<size_t>(to - from);
    }

    // False when the last lines are full: rebuild with more spare lines.
    bool insert(uint64_t* place, uint64_t entry) {
        uint64_t* free = slots_.get() + (place - slots_.get()) / kWidth * kWidth;
        while (free[kWidth - 1]) free += kWidth;
        free += taken(free);
        if (free + 1 == slots_.get() + slots()) return false;
        std::memmove(place + 1, place, static_cast<size_t>(free - place) * sizeof(uint64_t));
        *place = entry;
        ++size_;
        return true;
    }

private:
    size_t slots() const { return (homes_ + spare_) * kWidth; }

    static size_t taken(const uint64_t* line) {
        size_t taken = 0;
        for (size_t s = 0; s < kWidth; ++s) taken += line[s] != 0;
        return taken;
    }

    // How many entries of a line are under the limit; minus one, an empty slot's 0 is the greatest.
    static size_t taken_below(const uint64_t* line, uint64_t limit) {
        size_t below = 0;
        for (size_t s = 0; s < kWidth; ++s) below += line[s] - 1 < limit - 1;
        return below;
    }

    // The last slot stays free, so that every search ends.
    bool fill(const std::vector<uint64_t>& ascending) {
        slots_ = Zeroed(slots());
        uint64_t* next = slots_.get();
        for (uint64_t entry : ascending) {
            next = std::max(next, const_cast<uint64_t*>(home(entry)));
            if (next + 1 == slots_.get() + slots()) return false;
            *next++ = entry;
        }
        return true;
    }

    Zeroed slots_;
    size_t homes_ = 0;  // lines that are the home of some tag
    size_t spare_ = 0;  // lines after them
    size_t size_ = 0;
};

// A shard of the keys: their entries, and the lists of hot tags.
//
// A long run of a single tag slows down its neighbours. So only the first kHot entries of a tag
// are in the lines; the remaining positions are in the hot list of the tag.
class KeyShard {
public:
    void prefetch_lines(uint64_t tag) const {
        if (!lines_.homes()) return;
        const uint64_t* home = lines_.home(tag);
        prefetch(home);
        prefetch(home + SortedLines::kWidth);
    }

    void reserve(size_t more) {
        const size_t wanted = lines_.size() + more, homes = lines_.homes();
        if (wanted > SortedLines::room(homes))
            lay_out(all(), std::max(SortedLines::homes_for(wanted), homes + homes / 20));
    }

    // Frees memory reserved for entries that went to a hot list or were duplicates.
    void shrink_to_fit() {
        const size_t wanted = SortedLines::homes_for(lines_.size());
        if (lines_.homes() > wanted + wanted / 8 + 2) lay_out(all(), wanted);
    }

    void insert(uint64_t entry, uint32_t base) {
        reserve(1);
        uint64_t* place = lines_.place(entry);
        if (*place == entry) return;
        if (lines_.around(place, entry) >= kHot) return insert_hot(entry, base);
        if (lines_.insert(place, entry)) return;
        lay_out(all(), lines_.homes(), 2 * lines_.spare());
        insert(entry, base);
    }

    // A batch of entries; the positions of a tag must ascend.
    void insert(uint64_t* entries, size_t n, std::vector<uint64_t>& scratch, uint32_t base) {
        sort(entries, n, scratch);
        if (n < lines_.size() / 16) {  // a merge would cost more than single inserts
            for (size_t i = 0; i < n; ++i) insert(entries[i], base);
            return;
        }
        std::vector<uint64_t> existing = all(), merged(existing.size() + n);
        std::merge(existing.begin(), existing.end(), entries, entries + n, merged.begin());
        divert(merged, base);
        const size_t wanted = SortedLines::homes_for(merged.size());
        lay_out(merged, std::max(wanted, lines_.homes()));
    }

    // Calls use(position) for every position in the lines; returns the hot list of the tag, if any.
    template <class Use>
    const std::vector<uint32_t>* for_each(uint64_t tag, uint32_t base, Use use) const {
        if (!lines_.homes()) return nullptr;
        uint64_t entries[kHot + SortedLines::kWidth];
        const size_t n = lines_.copy(tag, entries);
        for (size_t i = 0; i < n; ++i) use(entry::position(entries[i], base));
        if (n < kHot) return nullptr;
        const auto list = hot_.find(tag);
        return list == hot_.end() ? nullptr : &list->second;
    }

    // Calls use(entry, position) for all entries, those of hot tags last.
    template <class Use>
    void for_all(uint32_t base, Use use) const {
        lines_.for_each([&](uint64_t e) { use(e, entry::position(e, base)); });
        for (const auto& [tag, positions] : hot_)
            for (uint32_t position : positions) use(tag, position);
    }

    template <class Keep>
    void sweep(uint32_t base, Keep& keep) {
        std::vector<uint64_t> kept;
        lines_.for_each([&](uint64_t e) {
            if (keep(entry::position(e, base))) kept.push_back(e);
        });
        const auto in_lines = static_cast<ptrdiff_t>(kept.size());
        for (const auto& [tag, positions] : hot_)
            for (uint32_t position : positions)
                if (keep(position)) kept.push_back(entry::make(tag, position));
        std::sort(kept.begin() + in_lines, kept.end());
        std::inplace_merge(kept.begin(), kept.begin() + in_lines, kept.end());
        KeyShard swept;
        swept.divert(kept, base);
        if (!kept.empty()) swept.lay_out(kept, SortedLines::homes_for(kept.size()));
        *this = std::move(swept);
    }

    size_t nbytes() const {
        size_t total = lines_.nbytes() + hot_.bucket_count() * sizeof(void*);
        for (const auto& list : hot_)
            total += sizeof(list) + 2 * sizeof(void*) + list.second.capacity() * sizeof(uint32_t);
        return total;
    }

private:
    static constexpr size_t kHot = 32;

    std::vector<uint64_t> all() const {
        std::vector<uint64_t> entries;
        entries.reserve(lines_.size());
        lines_.for_each([&](uint64_t e) { entries.push_back(e); });
        return entries;
    }

    void lay_out(const std::vector<uint64_t>& ascending, size_t homes,
                 size_t spare = SortedLines::kSpare) {
        lines_ = SortedLines(ascending, homes, spare);
    }

    void insert_hot(uint64_t e, uint32_t base) {
        std::vector<uint32_t>& list = hot_[entry::tag_of(e)];
        const uint32_t position = entry::position(e, base);
        if (list.empty() || list.back() != position) list.push_back(position);
    }

    // Drops duplicates, and moves the entries of a tag beyond kHot to its hot list.
    void divert(std::vector<uint64_t>& ascending, uint32_t base) {
        size_t kept = 0, run = 0;
        uint64_t last = 0;
        for (uint64_t e : ascending) {
            if (e == last) continue;
            run = entry::same_tag(e, last) ? run + 1 : 1;
            last = e;
            if (run > kHot)
                insert_hot(e, base);
            else
                ascending[kept++] = e;
        }
        ascending.resize(kept);
    }

    // Sorts by the leading 11 bits in one pass, as tags are spread evenly, then within buckets.
    static void sort(uint64_t* entries, size_t n, std::vector<uint64_t>& scratch) {
        constexpr size_t kParts = 2048;
        if (n < kParts / 4) return std::sort(entries, entries + n);
        uint32_t ends[kParts + 1] = {};
        auto part = [](uint64_t e) { return e >> 53; };
        for (size_t i = 0; i < n; ++i) ++ends[part(entries[i]) + 1];
        for (size_t p = 1; p <= kParts; ++p) ends[p] += ends[p - 1];
        scratch.assign(entries, entries + n);
        for (uint64_t e : scratch) entries[ends[part(e)]++] = e;
        for (size_t p = 0, begin = 0; p < kParts; begin = ends[p++])
            if (ends[p] - begin > 1) std::sort(entries + begin, entries + ends[p]);
    }

    SortedLines lines_;
    std::unordered_map<uint64_t, std::vector<uint32_t>> hot_;  // by tag
};

// Positions indexed by keys: 8 bytes an entry, and at most an eighth more.
//
// A key is mixed; its top 8 bits choose a shard, the next 36 are its tag. Two keys collide with
// a probability of 2^-44; no entry is missed. `base`, throughout, is at most the lowest
// position in the table, and less than 2^28 below the highest.
class KeyTable {
public:
    static constexpr size_t kShards = 256;
    static constexpr size_t kBulk = size_t{1} << 15;  // keys worth sorting by shard first

    // Room for `entries` more, if they spread evenly: the mean and three standard deviations.
    void reserve(size_t entries) {
        const double mean = static_cast<double>(entries) / kShards;
        const auto share = static_cast<size_t>(mean + 3 * std::sqrt(mean)) + 1;
        for (KeyShard& shard : shards_) shard.reserve(share);
    }

    void shrink_to_fit() {
        for (KeyShard& shard : shards_) shard.shrink_to_fit();
    }

    // Indexes row i at position first + i; a key repeated in a row is indexed once.
    void insert(const KeyRows& rows, uint32_t first, uint32_t base) {
        if (rows.total() < kBulk) return insert_rows(rows, first, base);
        SortedByShard sorted;
        std::vector<uint64_t> scratch;
        for (size_t begin = 0, end; begin < rows.n; begin = end) {
            end = rows.end_of_batch(begin, std::max(kBatch, rows.total() / 8));
            sorted.sort(rows, begin, end, first + begin);
            for (size_t s = 0; s < kShards; ++s)
                shards_[s].insert(sorted.begin(s), sorted.size(s), scratch, base);
        }
    }

    // Mixes the keys and prefetches their lines.
    void mix(const uint64_t* keys, size_t n, std::vector<uint64_t>& mixed) const {
        mixed.assign(keys, keys + n);
        for (uint64_t& key : mixed) {
            key = fmix64(key);
            shards_[key >> 56].prefetch_lines(entry::tag(key));
        }
    }

    // The positions under a mixed key for which keep(position) holds, unordered; false, and only
    // some of them, if they are more than `most`.
    template <class Keep>
    bool copy(uint64_t mixed, uint32_t base, size_t most, Keep keep,
              std::vector<uint32_t>& positions) const {
        positions.clear();
        const auto take = [&](uint32_t position) {
            if (keep(position)) positions.push_back(position);
        };
        const auto* hot = shards_[mixed >> 56].for_each(entry::tag(mixed), base, take);
        for (size_t i = 0; hot && i < hot->size() && positions.size() <= most; ++i)
            take((*hot)[i]);
        return positions.size() <= most;
    }

    // Calls use(entry, position) for all entries of a shard, in no order.
    template <class Use>
    void for_each(size_t shard, uint32_t base, Use use) const {
        shards_[shard].for_all(base, use);
    }

    // Rebuilds a shard with only the positions for which keep(position) holds.
    template <class Keep>
    void sweep_shard(size_t s, uint32_t base, Keep keep) {
        shards_[s].sweep(base, keep);
    }

    size_t nbytes() const {
        size_t total = sizeof(*this);
        for (const KeyShard& shard : shards_) total += shard.nbytes();
        return total;
    }

private:
    // The entries of a batch of rows, grouped by shard, so that a shard stays in cache.
    class SortedByShard {
    public:
        // Row begin + i as if at position first + i.
        void sort(const KeyRows& rows, size_t begin, size_t end, size_t first) {
            size_t next[kShards] = {};
            for (size_t k = rows.start(begin); k < rows.start(end); ++k)
                ++next[fmix64(rows.keys[k]) >> 56];
            for (size_t s = 0; s < kShards; ++s) starts_[s + 1] = starts_[s] + next[s];
            std::copy(starts_, starts_ + kShards, next);
            entries_.resize(starts_[kShards]);
            for (size_t i = begin; i < end; ++i)
                for (size_t k = rows.start(i); k < rows.start(i + 1); ++k) {
                    const uint64_t mixed = fmix64(rows.keys[k]);
                    entries_[next[mixed >> 56]++] =
                        entry::make(entry::tag(mixed), first + i - begin);
                }
        }

        uint64_t* begin(size_t shard) { return entries_.data() + starts_[shard]; }
        size_t size(size_t shard) const { return starts_[shard + 1] - starts_[shard]; }

    private:
        size_t starts_[kShards + 1] = {};
        std::vector<uint64_t> entries_;
    };

    static constexpr size_t kBatch = size_t{1} << 20;  // keys sorted by shard at a time, or more

    void insert_rows(const KeyRows& rows, uint32_t first, uint32_t base) {
        std::vector<uint64_t> mixed;
        for (size_t i = 0; i < rows.n; ++i) {
            mix(rows.keys + rows.start(i), rows.start(i + 1) - rows.start(i), mixed);
            for (uint64_t key : mixed)
                shards_[key >> 56].insert(entry::make(entry::tag(key), first + i), base);
        }
    }

    KeyShard shards_[kShards];
};

}  // namespace nearcopy
