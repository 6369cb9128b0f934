// An inverted index from 64-bit keys to articles, with removal.
//
// Articles are numbered 0, 1, 2 ... in insertion order: their positions. Concurrent reads are safe;
// a writer needs exclusive access.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "key_run.hpp"
#include "key_table.hpp"

namespace nearcopy {

// The matches of many queries, concatenated: those of query i are [starts[i], starts[i + 1]).
struct Matches {
    std::vector<uint64_t> starts{0};
    std::vector<uint32_t> positions;
    std::vector<uint64_t> weights;  // total weight of the shared keys, by match

    void end_query() { starts.push_back(positions.size()); }
};

// A bitmap of the positions that have not been removed.
class LivePositions {
public:
    size_t size() const { return size_; }
    size_t live() const { return live_; }
    bool alive(size_t position) const { return bits_[position / 64] >> position % 64 & 1; }

    void append(size_t n) {
        bits_.resize((size_ + n + 63) / 64);
        for (; n; --n, ++size_, ++live_) bits_[size_ / 64] |= uint64_t{1} << size_ % 64;
    }

    // Whether it was alive.
    bool remove(size_t position) {
        if (!alive(position)) return false;
        bits_[position / 64] &= ~(uint64_t{1} << position % 64);
        --live_;
        return true;
    }

    // A lower bound of the live positions, less than 64 below the first.
    size_t lowest() const {
        for (size_t word = 0; word < bits_.size(); ++word)
            if (bits_[word]) return 64 * word;
        return size_;
    }

    size_t nbytes() const { return bits_.capacity() * sizeof(uint64_t); }

private:
    std::vector<uint64_t> bits_;
    size_t size_ = 0;
    size_t live_ = 0;
};

// A hash map from positions to the total weight of the keys they share with a query.
class WeightCounter {
public:
    void clear() {
        for (uint32_t place : used_) slots_[place] = {};
        used_.clear();
    }

    void add(uint32_t position, uint64_t weight) {
        if (2 * (used_.size() + 1) > slots_.size()) grow();
        const size_t place = place_of(position);
        if (slots_[place].weight == 0) {
            slots_[place].position = position;
            used_.push_back(static_cast<uint32_t>(place));
        }
        slots_[place].weight += weight;
    }

    // Appends the positions with at least this weight, ascending.
    void append_to(Matches& matches, uint64_t min_weight) {
        selected_.clear();
        for (uint32_t place : used_)
            if (slots_[place].weight >= min_weight) selected_.push_back(slots_[place]);
        std::sort(selected_.begin(), selected_.end(),
                  [](const Slot& a, const Slot& b) { return a.position < b.position; });
        for (const Slot& slot : selected_) {
            matches.positions.push_back(slot.position);
            matches.weights.push_back(slot.weight);
        }
    }

private:
    struct Slot {
        uint64_t weight = 0;  // 0 marks an empty slot
        uint32_t position = 0;
    };

    size_t place_of(uint32_t position) const {
        const size_t mask = slots_.size() - 1;
        size_t place = position * 0x9E3779B1u >> 4 & mask;
        while (slots_[place].weight && slots_[place].position != position)
            place = (place + 1) & mask;
        return place;
    }

    void grow() {
        std::vector<Slot> old(std::max<size_t>(1024, 2 * slots_.size()));
        old.swap(slots_);
        for (uint32_t& place : used_) {
            const Slot& slot = old[place];
            place = static_cast<uint32_t>(place_of(slot.position));
            slots_[place] = slot;
        }
    }

    std::vector<Slot> slots_;     // a power of two, at most half used
    std::vector<uint32_t> used_;  // places of the slots in use
    std::vector<Slot> selected_;
};

// Articles indexed by any number of keys: those inserted, in a table, and those of attached runs.
//
// Removal marks a position dead; once a quarter of the indexed positions are dead, their entries
// are swept out. Each further removal sweeps a proportional number of shards, so that removing a
// few of very many articles never takes long. A position is never reused; a table entry holds its
// low 28 bits, so the newest may be at most 2^28 ahead of the oldest live position.
class KeyIndex {
public:
    size_t size() const { return live_.live(); }
    size_t positions() const { return live_.size(); }

    // Returns the position of the first row.
    uint32_t insert(const KeyRows& rows) {
        make_room(rows.n);
        const auto first = static_cast<uint32_t>(positions());
        live_.append(rows.n);
        indexed_ += rows.n;
        in_table_ += rows.n;
        try {
            const bool bulk = rows.total() >= KeyTable::kBulk;
            if (bulk) table_.reserve(rows.total());
            table_.insert(rows, first, base_);
            if (bulk) table_.shrink_to_fit();
        } catch (...) {  // out of memory: roll back all rows
            for (size_t i = 0; i < rows.n; ++i) in_table_ -= live_.remove(first + i);
            throw;
        }
        return first;
    }

    // Returns the position of the first article of the run. Its arrays must outlive the index.
    uint32_t attach(const uint32_t* starts, size_t buckets, const uint64_t* entries, size_t n,
                    const uint64_t* checksums, uint32_t articles) {
        make_room(articles);
        const auto first = static_cast<uint32_t>(positions());
        runs_.emplace_back(starts, buckets, entries, n, checksums, articles, first);
        live_.append(articles);
        return first;
    }

    // A run of the live articles with `keep`, in the same order, as if there were no others.
    RunEntries export_run(const uint8_t* keep) const {
        std::vector<uint32_t> places(positions());
        uint32_t count = 0;
        for (size_t i = 0; i < positions(); ++i) {
            places[i] = count;
            count += keep[i] != 0;
        }
        if (count > entry::kPositionMask)
            throw std::overflow_error("a run holds 2^28 articles: keep fewer");
        RunEntries run;
        std::vector<size_t> ends;
        for (size_t shard = 0; shard < KeyTable::kShards; ++shard) {
            const auto begin = static_cast<ptrdiff_t>(run.entries.size());
            const auto take = [&](uint64_t e, uint32_t position) {
                if (keep[position] && live_.alive(position))
                    run.entries.push_back(entry::make(entry::tag_of(e), places[position]));
            };
            auto merge = [&, middle = begin]() mutable {
                const auto first = run.entries.begin() + middle;
                if (!std::is_sorted(first, run.entries.end())) std::sort(first, run.entries.end());
                std::inplace_merge(run.entries.begin() + begin, first, run.entries.end());
                middle = static_cast<ptrdiff_t>(run.entries.size());
            };
            for (const KeyRun& attached : runs_) {
                attached.for_each(shard, take);
                merge();
            }
            table_.for_each(shard, base_, take);
            merge();
            ends.push_back(run.entries.size());
        }
        if (run.entries.size() > std::numeric_limits<uint32_t>::max())
            throw std::overflow_error("a run holds 2^32 keys: keep fewer articles");
        run.find_buckets(ends);
        return run;
    }

    // The live articles whose keys shared with a row have at least `min_weight` in total. A key
    // of more than its `max_articles` articles is ignored.
    Matches find(const KeyRows& rows, const uint64_t* weights, const uint32_t* max_articles,
                 uint64_t min_weight) const {
        const auto alive = [&](uint32_t position) { return live_.alive(position); };
        Matches matches;
        matches.starts.reserve(rows.n + 1);
        WeightCounter counter;
        std::vector<uint64_t> mixed;
        std::vector<uint32_t> positions;
        for (size_t i = 0; i < rows.n; ++i) {
            const size_t start = rows.start(i);
            table_.mix(rows.keys + start, rows.start(i + 1) - start, mixed);
            for (const KeyRun& run : runs_)
                for (uint64_t key : mixed) run.prefetch_start(key);
            for (const KeyRun& run : runs_)
                for (uint64_t key : mixed) run.prefetch_entries(key);
            counter.clear();
            for (size_t k = 0; k < mixed.size(); ++k)
                if (weights[start + k] && copy(mixed[k], max_articles[start + k], alive, positions))
                    for (uint32_t position : positions) counter.add(position, weights[start + k]);
            counter.append_to(matches, min_weight);
            matches.end_query();
        }
        return matches;
    }

    void remove(const uint32_t* positions, size_t n) {
        size_t removed = 0;
        for (size_t i = 0; i < n; ++i)
            if (live_.remove(positions[i]) && !is_attached(positions[i])) ++removed;
        in_table_ -= removed;
        if (removed) sweep_if_due(removed);
        trim_if_due(removed);
    }

    // All memory held, without the arrays of attached runs.
    size_t nbytes() const {
        return sizeof(*this) - sizeof(table_) + table_.nbytes() + live_.nbytes();
    }

private:
    static constexpr size_t kTrim = 2000;  // removals between two calls of malloc_trim

    template <class Alive>
    bool copy(uint64_t mixed, size_t most, Alive alive, std::vector<uint32_t>& positions) const {
        bool complete = table_.copy(mixed, base_, most, alive, positions);
        for (size_t r = 0; complete && r < runs_.size(); ++r)
            complete = runs_[r].copy(mixed, most, alive, positions);
        return complete;
    }

    bool is_attached(uint32_t position) const {
        for (const KeyRun& run : runs_)
            if (run.contains(position)) return true;
        return false;
    }

    void make_room(size_t n) {
        if (n > std::numeric_limits<uint32_t>::max() - positions())
            throw std::overflow_error("all 2^32 positions are used: start a new index");
        if (positions() + n - base_ > entry::kPositionMask) sweep();
        if (positions() + n - base_ > entry::kPositionMask)
            throw std::overflow_error(
                "the oldest live article is 2^28 positions back: remove it, or start a new index");
    }

    // The sweep is complete by the time that another quarter has been removed.
    void sweep_if_due(size_t removed) {
        if (!sweeping() && 4 * (indexed_ - in_table_) > indexed_) begin_sweep();
        if (sweeping()) sweep_shards(KeyTable::kShards * 4 * removed / indexed_ + 1);
    }

    void sweep() {
        begin_sweep();
        sweep_shards(KeyTable::kShards);
    }

    bool sweeping() const { return swept_ < KeyTable::kShards; }

    // Positions dead at this point are in no shard at the end; those removed meanwhile may be.
    void begin_sweep() {
        swept_ = 0;
        dead_ = indexed_ - in_table_;
        lowest_ = static_cast<uint32_t>(live_.lowest());
    }

    void sweep_shards(size_t count) {
        const auto alive = [&](uint32_t position) { return live_.alive(position); };
        for (; count && sweeping(); --count, ++swept_) table_.sweep_shard(swept_, base_, alive);
        if (sweeping()) return;
        base_ = lowest_;
        indexed_ -= dead_;
    }

    // In small steps: trimming takes a second after a million removals.
    void trim_if_due(size_t removed) {
        if ((removed_ += removed) < kTrim) return;
        removed_ = 0;
        trim();
    }

    // glibc keeps freed memory between live blocks; other allocators need no call.
    static void trim() {
#if defined(__GLIBC__)
        malloc_trim(0);
#endif
    }

    KeyTable table_;
    LivePositions live_;
    uint32_t base_ = 0;   // at most the lowest position in the table
    size_t indexed_ = 0;  // positions in the table, dead ones included
    size_t in_table_ = 0;  // the live ones
    std::vector<KeyRun> runs_;
    size_t removed_ = 0;  // since the last trim
    // Of the current sweep, if any: shards done, and the state when it began.
    size_t swept_ = KeyTable::kShards;
    size_t dead_ = 0;
    uint32_t lowest_ = 0;
};

}  // namespace nearcopy
