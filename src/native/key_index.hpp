// Articles by key, forgotten one by one or by age.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "answers.hpp"
#include "key_table.hpp"

namespace nearcopy {

// When each position was published, and which are still live.
class Lifetimes {
public:
    static constexpr int64_t kDead = std::numeric_limits<int64_t>::min();

    size_t size() const { return size_; }
    size_t live() const { return live_; }

    void append(const int64_t* times, size_t n) {
        while (chunks_.size() * kRows < size_ + n) chunks_.push_back(std::make_unique<Chunk>());
        for (size_t i = 0; i < n; ++i, ++size_, ++live_) {
            Chunk& chunk = *chunks_[size_ / kRows];
            chunk.times[size_ % kRows] = times[i];
            chunk.earliest = std::min(chunk.earliest, times[i]);
            ++chunk.live;
        }
    }

    bool alive(size_t position) const {
        const Chunk* chunk = chunks_[position / kRows].get();
        return chunk && chunk->times[position % kRows] != kDead;
    }

    void remove(size_t position) {
        if (alive(position)) kill(position / kRows, position % kRows);
    }

    // Drops what is older than `before`; how many that was.
    size_t expire(int64_t before) {
        const size_t were_live = live_;
        for (size_t c = 0; c < chunks_.size(); ++c)
            if (chunks_[c] && chunks_[c]->earliest < before) expire_chunk(c, before);
        return were_live - live_;
    }

    // The lowest position that may be live.
    size_t lowest() const {
        for (size_t c = 0; c < chunks_.size(); ++c)
            if (chunks_[c] && chunks_[c]->live) return c * kRows;
        return size_;
    }

    size_t nbytes() const {
        size_t total = chunks_.capacity() * sizeof(chunks_[0]);
        for (const auto& chunk : chunks_) total += chunk ? sizeof(Chunk) : 0;
        return total;
    }

private:
    static constexpr size_t kRows = 4096;

    struct Chunk {
        int64_t earliest = std::numeric_limits<int64_t>::max();  // of the live, or before them
        size_t live = 0;
        int64_t times[kRows];
    };

    void expire_chunk(size_t c, int64_t before) {
        const size_t filled = std::min(kRows, size_ - c * kRows);
        int64_t earliest = std::numeric_limits<int64_t>::max();
        for (size_t i = 0; i < filled && chunks_[c]; ++i) {
            const int64_t time = chunks_[c]->times[i];
            if (time == kDead) continue;
            if (time >= before)
                earliest = std::min(earliest, time);
            else
                kill(c, i);
        }
        if (chunks_[c]) chunks_[c]->earliest = earliest;
    }

    // A full chunk with no one left is given back.
    void kill(size_t c, size_t i) {
        chunks_[c]->times[i] = kDead;
        --live_;
        if (--chunks_[c]->live == 0 && (c + 1) * kRows <= size_) chunks_[c].reset();
    }

    std::vector<std::unique_ptr<Chunk>> chunks_;
    size_t size_ = 0;
    size_t live_ = 0;
};

// What positions are worth, added up one by one.
class Tally {
public:
    void clear() {
        for (uint32_t place : taken_) slots_[place] = {};
        taken_.clear();
    }

    void add(uint32_t position, uint64_t worth) {
        if (2 * (taken_.size() + 1) > slots_.size()) grow();
        const size_t place = place_of(position);
        if (slots_[place].worth == 0) {
            slots_[place].position = position;
            taken_.push_back(static_cast<uint32_t>(place));
        }
        slots_[place].worth += worth;
    }

    // Appends those worth at least so much, ascending.
    void give(uint64_t least, Found<uint64_t>& found) {
        enough_.clear();
        for (uint32_t place : taken_)
            if (slots_[place].worth >= least) enough_.push_back(slots_[place]);
        std::sort(enough_.begin(), enough_.end(),
                  [](const Slot& a, const Slot& b) { return a.position < b.position; });
        for (const Slot& slot : enough_) {
            found.positions.push_back(slot.position);
            found.scores.push_back(slot.worth);
        }
    }

private:
    struct Slot {
        uint64_t worth = 0;  // of an empty one
        uint32_t position = 0;
    };

    size_t place_of(uint32_t position) const {
        const size_t mask = slots_.size() - 1;
        size_t place = position * 0x9E3779B1u >> 4 & mask;
        while (slots_[place].worth && slots_[place].position != position)
            place = (place + 1) & mask;
        return place;
    }

    void grow() {
        std::vector<Slot> old(std::max<size_t>(1024, 2 * slots_.size()));
        old.swap(slots_);
        for (uint32_t& place : taken_) {
            const Slot& slot = old[place];
            place = static_cast<uint32_t>(place_of(slot.position));
            slots_[place] = slot;
        }
    }

    std::vector<Slot> slots_;      // a power of two, at most half taken
    std::vector<uint32_t> taken_;  // places
    std::vector<Slot> enough_;
};

// Articles filed under any number of keys, forgotten one by one or by age.
//
// Removal marks a position dead; when a quarter of the filed positions are dead their entries are
// swept out, with each further removal some shards in proportion to it, so that nobody waits long
// for one that removes a few of very many. A position is never reused; a table entry holds its low
// 28 bits, so the newest may be at most 2^28 ahead of the oldest still live.
class KeyIndex {
public:
    size_t size() const { return times_.live(); }
    size_t positions() const { return times_.size(); }

    uint32_t insert(const KeyRows& rows, const int64_t* times) {
        make_room(rows.n);
        const auto first = static_cast<uint32_t>(positions());
        times_.append(times, rows.n);
        filed_ += rows.n;
        try {
            const bool bulk = rows.total() >= KeyTable::kBulk;
            if (bulk) table_.reserve(rows.total());
            table_.insert(rows, first, base_);
            if (bulk) table_.give_back();
        } catch (...) {  // out of memory half-way: none of them is in
            for (size_t i = 0; i < rows.n; ++i) times_.remove(first + i);
            throw;
        }
        return first;
    }

    Found<uint8_t> find(const KeyRows& rows, unsigned threads) const {
        return answered<uint8_t>(
            rows.n, threads, [&](size_t from, size_t to, Found<uint8_t>& found) {
                KeyLookup lookup(table_, base_);
                std::vector<uint32_t> positions;
                for (size_t begin = from, end; begin < to; begin = end) {
                    end = std::min(to, rows.end_of_batch(begin, KeyLookup::kBatch));
                    lookup.look_up(rows, begin, end);
                    for (size_t i = begin; i < end; ++i) {
                        lookup.row(i - begin, positions);
                        for (uint32_t position : positions)
                            if (times_.alive(position)) found.positions.push_back(position);
                        found.end_query();
                    }
                }
            });
    }

    // The live articles that share keys with a row which are worth at least `least` together. A key
    // that more than its `most` articles have is worth nothing.
    Found<uint64_t> weigh(const KeyRows& rows, const uint64_t* worth, const uint32_t* most,
                          uint64_t least, unsigned threads) const {
        const auto alive = [&](uint32_t position) { return times_.alive(position); };
        return answered<uint64_t>(
            rows.n, threads, [&](size_t from, size_t to, Found<uint64_t>& found) {
                Tally tally;
                std::vector<uint64_t> mixed;
                std::vector<uint32_t> positions;
                for (size_t i = from; i < to; ++i) {
                    const size_t start = rows.start(i);
                    table_.mix(rows.keys + start, rows.start(i + 1) - start, mixed);
                    tally.clear();
                    for (size_t k = 0; k < mixed.size(); ++k)
                        if (worth[start + k] &&
                            table_.copy(mixed[k], base_, most[start + k], alive, positions))
                            for (uint32_t position : positions)
                                tally.add(position, worth[start + k]);
                    tally.give(least, found);
                    found.end_query();
                }
            });
    }

    // How many live articles are filed under each key, counted up to `most`.
    std::vector<uint32_t> counts(const uint64_t* keys, size_t n, uint32_t most) const {
        std::vector<uint32_t> live(n);
        const auto alive = [&](uint32_t position) { return times_.alive(position); };
        for (size_t i = 0; i < n; ++i) live[i] = table_.count(keys[i], base_, most, alive);
        return live;
    }

    void remove(const uint32_t* positions, size_t n) {
        const size_t were_live = size();
        for (size_t i = 0; i < n; ++i) times_.remove(positions[i]);
        sweep_if_worth_it(were_live - size());
        give_back_now_and_then(were_live - size());
    }

    size_t expire(int64_t before) {
        const size_t dropped = times_.expire(before);
        sweep_if_worth_it(dropped);
        give_back_now_and_then(dropped);
        return dropped;
    }

    size_t nbytes() const {
        return sizeof(*this) - sizeof(table_) + table_.nbytes() + times_.nbytes();
    }

private:
    static constexpr size_t kTrim = 2000;  // removals after which memory is given back

    void make_room(size_t n) {
        if (n > std::numeric_limits<uint32_t>::max() - positions())
            throw std::overflow_error("all 2^32 positions are used: start a new index");
        if (positions() + n - base_ > entry::kPositionMask) sweep();
        if (positions() + n - base_ > entry::kPositionMask)
            throw std::overflow_error(
                "the oldest live article is 2^28 positions back: remove or expire it, or start a "
                "new index");
    }

    // All is swept by the time that another quarter has been removed.
    void sweep_if_worth_it(size_t removed) {
        if (!sweeping() && 4 * (filed_ - size()) > filed_) begin_sweep();
        if (sweeping()) sweep_shards(KeyTable::kShards * 4 * removed / filed_ + 1);
    }

    void sweep() {
        begin_sweep();
        sweep_shards(KeyTable::kShards);
    }

    bool sweeping() const { return swept_ < KeyTable::kShards; }

    // What is dead now is in no shard at the end; what dies meanwhile may be.
    void begin_sweep() {
        swept_ = 0;
        dead_ = filed_ - size();
        lowest_ = static_cast<uint32_t>(times_.lowest());
    }

    void sweep_shards(size_t count) {
        const auto alive = [&](uint32_t position) { return times_.alive(position); };
        for (; count && sweeping(); --count, ++swept_) table_.sweep_shard(swept_, base_, alive);
        if (sweeping()) return;
        base_ = lowest_;
        filed_ -= dead_;
    }

    // A little at a time: the system takes a second for what a million articles leave behind.
    void give_back_now_and_then(size_t removed) {
        if ((removed_ += removed) < kTrim) return;
        removed_ = 0;
        give_back_to_system();
    }

    // glibc keeps the holes that what was removed leaves among others; elsewhere free is enough.
    static void give_back_to_system() {
#if defined(__GLIBC__)
        malloc_trim(0);
#endif
    }

    KeyTable table_;
    Lifetimes times_;
    uint32_t base_ = 0;   // at most the lowest position in the table
    size_t filed_ = 0;    // positions in the table, dead ones too
    size_t removed_ = 0;  // since memory was last given back
    // Of the sweep under way, if any: shards done, and what there was when it began.
    size_t swept_ = KeyTable::kShards;
    size_t dead_ = 0;
    uint32_t lowest_ = 0;
};

}  // namespace nearcopy
