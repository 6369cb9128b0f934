// Indexes in memory: fingerprints by Hamming distance, articles by key, signatures by overlap.
//
// Every index numbers what it is given 0, 1, 2 ... in order of insertion: its position.
// Reading from several threads at once is safe; a writer needs the index to itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "hashes.hpp"
#include "scans.hpp"

namespace nearcopy {

constexpr size_t kLanes = 128;  // of a MinHash signature
constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;

inline uint64_t rotate_left(uint64_t x, unsigned by) { return by ? x << by | x >> (64 - by) : x; }

inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");  // or GCC finds that callers have no effect and drops the calls
}

// ---------------------------------------------------------------------------------------------
// Answers and threads

// The answers of many queries end to end: those of query i are [starts[i], starts[i + 1]).
template <class Score>
struct Found {
    std::vector<uint64_t> starts{0};
    std::vector<uint32_t> positions;
    std::vector<Score> scores;  // one a position, or none at all

    void end_query() { starts.push_back(positions.size()); }

    void append(const Found& next) {
        const uint64_t shift = positions.size();
        for (size_t i = 1; i < next.starts.size(); ++i) starts.push_back(shift + next.starts[i]);
        positions.insert(positions.end(), next.positions.begin(), next.positions.end());
        scores.insert(scores.end(), next.scores.begin(), next.scores.end());
    }
};

// Runs work(part, begin, end) over `threads` even parts of [0, n); the first exception is rethrown.
template <class Work>
void in_parts(size_t n, unsigned threads, Work work) {
    std::vector<std::exception_ptr> errors(threads);
    auto guarded = [&](unsigned part) {
        try {
            work(part, n * part / threads, n * (part + 1) / threads);
        } catch (...) {
            errors[part] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (unsigned part = 1; part < threads; ++part) {
        try {
            others.emplace_back(guarded, part);
        } catch (const std::system_error&) {
            guarded(part);  // no thread to be had: do its share here
        }
    }
    guarded(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

// The answers to n queries, answered by `answer(begin, end, found)` in up to `threads` threads.
template <class Score, class Answer>
Found<Score> answered(size_t n, unsigned threads, Answer answer) {
    threads = static_cast<unsigned>(std::clamp<size_t>(n, 1, threads));
    std::vector<Found<Score>> parts(threads);
    in_parts(n, threads, [&](unsigned part, size_t begin, size_t end) {
        parts[part].starts.reserve(end - begin + 1);
        answer(begin, end, parts[part]);
    });
    Found<Score> all = std::move(parts[0]);
    for (unsigned part = 1; part < threads; ++part) all.append(std::exchange(parts[part], {}));
    return all;
}

// Rows of Width values in chunks that never move: growing copies nothing, wastes under a chunk.
template <class T, size_t Width, unsigned ChunkBits>
class Chunks {
public:
    static constexpr size_t kRows = size_t{1} << ChunkBits;

    size_t size() const { return size_; }
    const T* row(size_t i) const { return chunks_[i >> ChunkBits].get() + (i % kRows) * Width; }

    // How many rows lie one after another from row i on.
    size_t run(size_t i) const { return std::min(kRows - i % kRows, size_ - i); }

    void append(const T* rows, size_t n) {
        for (size_t done = 0, step; done < n; done += step, size_ += step) {
            if (size_ == chunks_.size() * kRows)
                chunks_.push_back(std::unique_ptr<T[]>(new T[kRows * Width]));
            step = std::min(n - done, kRows - size_ % kRows);
            std::memcpy(const_cast<T*>(row(size_)), rows + done * Width,
                        step * Width * sizeof(T));
        }
    }

    size_t nbytes() const {
        return chunks_.size() * kRows * Width * sizeof(T) +
               chunks_.capacity() * sizeof(chunks_[0]);
    }

private:
    std::vector<std::unique_ptr<T[]>> chunks_;
    size_t size_ = 0;
};

// ---------------------------------------------------------------------------------------------
// Fingerprints by Hamming distance

// All fingerprints within `distance` bits of a query, none missed.
//
// The 64 bits are cut into distance + 1 blocks; two fingerprints within the distance agree in a
// block at least. A run indexes a range of positions by each block in turn: grouped by the
// leading bits of the block, an entry is its position and its "front", the 32 bits before the
// block (8 bytes). A query scans the fronts of its group; what passes is checked in full against
// the fingerprint, kept once (8 bytes). Together 8 * (distance + 2) bytes a fingerprint.
//
// The newest positions wait unindexed and are scanned. Runs are rebuilt from the fingerprints,
// each level several times the size of the next, one run a level. Above a distance of 7 nothing is
// indexed and all is scanned: the groups would be large, for real fingerprints much of the index.
class HammingIndex {
public:
    static constexpr unsigned kMaxDistance = 15;

    explicit HammingIndex(unsigned distance) : distance_(distance) {
        if (distance > kMaxDistance) throw std::invalid_argument("distance is over 15");
        const unsigned blocks = distance + 1;
        for (unsigned b = 0; b < blocks; ++b)
            blocks_.push_back({64 * b / blocks, 64 * (b + 1) / blocks - 64 * b / blocks});
    }

    size_t size() const { return fingerprints_.size(); }

    void insert(const uint64_t* fingerprints, size_t n) {
        if (n > std::numeric_limits<uint32_t>::max() - size())
            throw std::overflow_error("a HammingIndex holds at most 2^32 - 1 fingerprints");
        fingerprints_.append(fingerprints, n);
        if (size() - indexed() >= kFresh && distance_ <= kMaxIndexedDistance) index_fresh();
    }

    Found<uint8_t> find(const uint64_t* queries, size_t n, unsigned threads) const {
        return answered<uint8_t>(n, threads, [&](size_t begin, size_t end, Found<uint8_t>& found) {
            Group group;
            for (size_t at = begin; at < end; at += Group::kQueries) {
                group.queries = queries + at;
                group.size = std::min(Group::kQueries, end - at);
                for (const Run& run : runs_) search(run, group);
                scan_fresh(group);
                report(group, found);
            }
        });
    }

    size_t nbytes() const {
        size_t total = sizeof(*this) + blocks_.capacity() * sizeof(Block) +
                       runs_.capacity() * sizeof(Run) + fingerprints_.nbytes();
        for (const Run& run : runs_) total += run.nbytes();
        return total;
    }

private:
    static constexpr unsigned kMaxIndexedDistance = 7;
    static constexpr size_t kFresh = 512;   // scanning these costs about what a run costs
    static constexpr size_t kRatio = 8;     // of a level to the next
    static constexpr size_t kGroup = 8;     // wanted entries in a group of a run
    static constexpr size_t kPiece = 1024;  // entries scanned at a time
    static constexpr size_t kAhead = 160;   // entries of a group on their way

    struct Block {
        unsigned first;  // bits before it, from the most significant
        unsigned width;
    };

    // The entries of a run ordered by one block: group g is [directory[g], directory[g + 1]).
    struct Table {
        unsigned bits = 0;  // of the block, that number its group
        std::vector<uint32_t> directory;
        std::unique_ptr<uint32_t[]> fronts;
        std::unique_ptr<uint32_t[]> positions;

        uint64_t group(uint64_t turned) const { return turned >> (64 - bits); }
    };

    struct Run {
        size_t begin, end;
        std::vector<Table> tables;

        size_t size() const { return end - begin; }

        size_t nbytes() const {
            size_t total = tables.capacity() * sizeof(Table);
            for (const Table& table : tables)
                total += table.directory.capacity() * 4 + size() * 8;
            return total;
        }
    };

    // What passed a scan: an entry of a run's table, to be checked in full.
    struct Candidate {
        uint32_t query, block, slot, position;
    };

    // Queries answered together, so that one's memory is on its way while another is scanned.
    struct Group {
        static constexpr size_t kQueries = 32;

        const uint64_t* queries = nullptr;
        size_t size = 0;
        std::vector<Candidate> candidates;
        std::vector<uint64_t> matches[kQueries];  // distance << 32 | position

        void add(size_t i, unsigned distance, uint64_t position) {
            matches[i].push_back(uint64_t{distance} << 32 | position);
        }
    };

    uint64_t fingerprint(size_t position) const { return *fingerprints_.row(position); }

    // The fingerprint with the block first: its front is then the low half.
    uint64_t turned(uint64_t fingerprint, unsigned block) const {
        return rotate_left(fingerprint, blocks_[block].first);
    }

    size_t indexed() const { return runs_.empty() ? 0 : runs_.back().end; }

    static unsigned level(size_t size) {
        unsigned level = 0;
        for (size_t room = kFresh * kRatio; size > room; room *= kRatio) ++level;
        return level;
    }

    // Runs given up here are fresh again until the new one stands: nothing is lost to bad_alloc.
    void index_fresh() {
        size_t begin = indexed();
        const size_t end = size();
        while (!runs_.empty() && level(runs_.back().size()) <= level(end - begin)) {
            begin = runs_.back().begin;
            runs_.pop_back();
        }
        Run run{begin, end, {}};
        for (unsigned b = 0; b < blocks_.size(); ++b) run.tables.push_back(table(begin, end, b));
        runs_.push_back(std::move(run));
    }

    unsigned directory_bits(size_t entries, unsigned block) const {
        unsigned bits = 1;
        while (bits < blocks_[block].width && (kGroup << (bits + 1)) <= entries) ++bits;
        return bits;
    }

    // A counting sort of [begin, end) by the leading bits of a block.
    Table table(size_t begin, size_t end, unsigned block) const {
        Table t;
        t.bits = directory_bits(end - begin, block);
        t.directory.resize((size_t{1} << t.bits) + 2);
        for (size_t i = begin; i < end; ++i)
            ++t.directory[t.group(turned(fingerprint(i), block)) + 2];
        for (size_t g = 2; g < t.directory.size(); ++g) t.directory[g] += t.directory[g - 1];
        t.fronts.reset(new uint32_t[end - begin]);
        t.positions.reset(new uint32_t[end - begin]);
        for (size_t i = begin; i < end; ++i) {
            const uint64_t word = turned(fingerprint(i), block);
            const uint32_t slot = t.directory[t.group(word) + 1]++;  // in the end, the next's start
            t.fronts[slot] = static_cast<uint32_t>(word);
            t.positions[slot] = static_cast<uint32_t>(i);
        }
        return t;
    }

    void search(const Run& run, Group& group) const {
        size_t from[Group::kQueries], to[Group::kQueries];
        for (unsigned b = 0; b < blocks_.size(); ++b) {
            const Table& t = run.tables[b];
            for (size_t i = 0; i < group.size; ++i)
                prefetch(&t.directory[t.group(turned(group.queries[i], b))]);
            for (size_t i = 0; i < group.size; ++i) {
                const uint64_t g = t.group(turned(group.queries[i], b));
                from[i] = t.directory[g];
                to[i] = t.directory[g + 1];
                for (size_t e = from[i]; e < std::min(to[i], from[i] + kAhead); e += 16)
                    prefetch(&t.fronts[e]);
            }
            for (uint32_t i = 0; i < group.size; ++i) scan(run, b, from[i], to[i], i, group);
        }
        verify(run, group);
    }

    void scan(const Run& run, unsigned block, size_t from, size_t to, uint32_t query,
              Group& group) const {
        const Table& t = run.tables[block];
        const auto front = static_cast<uint32_t>(turned(group.queries[query], block));
        uint32_t hits[kPiece];
        for (; from < to; from += kPiece) {
            const size_t near = scans().near32(&t.fronts[from], std::min(kPiece, to - from), front,
                                               distance_, hits);
            for (size_t h = 0; h < near; ++h) {
                const auto slot = static_cast<uint32_t>(from + hits[h]);
                if (fronts_agree_before(run, block, t.fronts[slot] ^ front)) continue;
                prefetch(&t.positions[slot]);
                group.candidates.push_back({query, block, slot, 0});
            }
            if (group.candidates.size() > kPiece) verify(run, group);
        }
    }

    void verify(const Run& run, Group& group) const {
        for (Candidate& c : group.candidates) {
            c.position = run.tables[c.block].positions[c.slot];
            prefetch(fingerprints_.row(c.position));
        }
        for (const Candidate& c : group.candidates) {
            const uint64_t difference = fingerprint(c.position) ^ group.queries[c.query];
            const unsigned distance = popcount64(difference);
            if (distance <= distance_ && !agree_before(run, c.block, difference))
                group.add(c.query, distance, c.position);
        }
        group.candidates.clear();
    }

    // Whether an earlier block has found the pair already.
    bool agree_before(const Run& run, unsigned block, uint64_t difference) const {
        for (unsigned b = 0; b < block; ++b)
            if (run.tables[b].group(turned(difference, b)) == 0) return true;
        return false;
    }

    // The same, as far as the fronts tell: bits they do not hold count as different.
    bool fronts_agree_before(const Run& run, unsigned block, uint32_t difference) const {
        const uint64_t known = ~uint64_t{0xFFFFFFFF} | difference;
        return agree_before(run, block, rotate_left(known, (64 - blocks_[block].first) % 64));
    }

    void scan_fresh(Group& group) const {
        uint32_t hits[kPiece];
        for (size_t at = indexed(), step; at < size(); at += step) {
            step = std::min(kPiece, fingerprints_.run(at));
            const uint64_t* values = fingerprints_.row(at);
            for (size_t i = 0; i < group.size; ++i) {
                const uint64_t query = group.queries[i];
                const size_t near = scans().near64(values, step, query, distance_, hits);
                for (size_t h = 0; h < near; ++h)
                    group.add(i, popcount64(values[hits[h]] ^ query), at + hits[h]);
            }
        }
    }

    static void report(Group& group, Found<uint8_t>& found) {
        for (size_t i = 0; i < group.size; ++i) {
            std::sort(group.matches[i].begin(), group.matches[i].end());
            for (uint64_t match : group.matches[i]) {
                found.positions.push_back(static_cast<uint32_t>(match));
                found.scores.push_back(static_cast<uint8_t>(match >> 32));
            }
            group.matches[i].clear();
            found.end_query();
        }
    }

    unsigned distance_;
    std::vector<Block> blocks_;
    Chunks<uint64_t, 1, 13> fingerprints_;
    std::vector<Run> runs_;  // oldest and largest first
};

// ---------------------------------------------------------------------------------------------
// Articles by key

// Few positions many times over is what a copy of an article gives: drop those repeats first.
inline void sort_distinct(std::vector<uint32_t>& positions) {
    constexpr size_t kFew = 16;
    size_t kept = 0, seen = 0;
    for (; seen < positions.size() && kept < kFew; ++seen) {
        const uint32_t position = positions[seen];
        const auto end = positions.begin() + static_cast<ptrdiff_t>(kept);
        if (std::find(positions.begin(), end, position) == end) positions[kept++] = position;
    }
    positions.erase(positions.begin() + static_cast<ptrdiff_t>(kept),
                    positions.begin() + static_cast<ptrdiff_t>(seen));
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

// n rows of keys, each `width` long or, given starts, [starts[i], starts[i + 1]).
struct KeyRows {
    const uint64_t* keys;
    size_t n;
    size_t width;
    const uint64_t* starts = nullptr;

    size_t start(size_t i) const { return starts ? starts[i] : i * width; }
    size_t total() const { return start(n); }

    // Where a batch of rows from `begin` ends: after one row, or more of at most `max_keys` keys.
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

// The position of which 28 bits are kept, `base` being at most it, by less than 2^28.
inline uint32_t position(uint64_t entry, uint32_t base) {
    return base + static_cast<uint32_t>((entry - base) & kPositionMask);
}

}  // namespace entry

// Distinct entries in ascending order, with gaps to grow into.
//
// The slots are lines of 8 (64 bytes: a line of cache), each filled from the left. An entry's home
// line is in proportion to its tag; what does not fit goes on into the next lines. So a search
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

    // How many entries some lines hold when 95 % full, and how many lines that takes.
    static size_t room(size_t homes) { return homes * kWidth * 95 / 100; }
    static size_t homes_for(size_t entries) { return entries * 100 / (95 * kWidth) + 1; }

    size_t homes() const { return homes_; }
    size_t spare() const { return spare_; }
    size_t size() const { return size_; }
    size_t nbytes() const { return slots() * sizeof(uint64_t); }

    const uint64_t* home(uint64_t entry) const {
        return slots_.get() + ((entry >> entry::kPositionBits) * homes_ >> 36) * kWidth;
    }

    // Copies the entries with the tag, and up to 7 more words; how many they are.
    size_t copy(uint64_t tag, uint64_t* found) const {
        return scans().tagged(home(tag), tag, entry::kPositionMask, found);
    }

    template <class Use>
    void each(Use use) const {
        for (size_t s = 0; s < slots(); ++s)
            if (slots_[s]) use(slots_[s]);
    }

    // Where the entry is, or would go.
    uint64_t* place(uint64_t entry) {
        uint64_t* slot = const_cast<uint64_t*>(home(entry));
        while (slot[kWidth - 1] && slot[kWidth - 1] < entry) slot += kWidth;
        return slot + taken_below(slot, entry);
    }

    // How many entries around their place have the tag.
    size_t around(const uint64_t* place, uint64_t tag) const {
        const uint64_t *from = place, *to = place;
        while (from > slots_.get() && entry::same_tag(from[-1], tag)) --from;
        while (entry::same_tag(*to, tag)) ++to;
        return static_cast<size_t>(to - from);
    }

    // False when the last lines are full: they are to be laid out anew, with more to spare.
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
    struct Delete {
        void operator()(uint64_t* slots) const {
            ::operator delete[](slots, std::align_val_t{64});
        }
    };

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
        const size_t bytes = slots() * sizeof(uint64_t);
        slots_.reset(static_cast<uint64_t*>(::operator new[](bytes, std::align_val_t{64})));
        std::memset(slots_.get(), 0, bytes);
        uint64_t* next = slots_.get();
        for (uint64_t entry : ascending) {
            next = std::max(next, const_cast<uint64_t*>(home(entry)));
            if (next + 1 == slots_.get() + slots()) return false;
            *next++ = entry;
        }
        return true;
    }

    std::unique_ptr<uint64_t[], Delete> slots_;
    size_t homes_ = 0;  // lines that are the home of some tag
    size_t spare_ = 0;  // lines after them
    size_t size_ = 0;
};

// A part of the keys: their entries, and the positions of those with very many.
//
// A tag's run of lines is in the way of its neighbours. So only the first kHot entries of a tag
// are in the lines, the rest of its positions in a list of their own.
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

    // Frees what was reserved for entries that went to a hot list or were filed already.
    void give_back() {
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

    // Many at once; those of one tag with their positions ascending.
    void insert(uint64_t* entries, size_t n, std::vector<uint64_t>& scratch, uint32_t base) {
        sort(entries, n, scratch);
        if (n < lines_.size() / 16) {  // moving all would cost more than making room for each
            for (size_t i = 0; i < n; ++i) insert(entries[i], base);
            return;
        }
        std::vector<uint64_t> mine = all(), merged(mine.size() + n);
        std::merge(mine.begin(), mine.end(), entries, entries + n, merged.begin());
        divert(merged, base);
        const size_t wanted = SortedLines::homes_for(merged.size());
        lay_out(merged, std::max(wanted, lines_.homes()));
    }

    // Calls use(position) for each position in the lines; the list of the others, if any.
    template <class Use>
    const std::vector<uint32_t>* each(uint64_t tag, uint32_t base, Use use) const {
        if (!lines_.homes()) return nullptr;
        uint64_t entries[kHot + SortedLines::kWidth];
        const size_t n = lines_.copy(tag, entries);
        for (size_t i = 0; i < n; ++i) use(entry::position(entries[i], base));
        if (n < kHot) return nullptr;
        const auto list = hot_.find(tag);
        return list == hot_.end() ? nullptr : &list->second;
    }

    template <class Keep>
    void sweep(uint32_t base, Keep& keep) {
        std::vector<uint64_t> kept;
        lines_.each([&](uint64_t e) {
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
        lines_.each([&](uint64_t e) { entries.push_back(e); });
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

    // Drops repeats, and moves what a tag has over kHot to its hot list.
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

    // Ascending: by the leading 11 bits in one pass, for tags spread evenly, then within them.
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

// Positions filed under keys, 8 bytes an entry and at most an eighth more.
//
// A key is mixed; its top 8 bits choose a shard, the next 36 are its tag. Two keys are taken for
// one with a chance of 2^-44; no entry is missed. `base`, throughout, is at most the lowest
// position in the table, and less than 2^28 below the highest.
class KeyTable {
public:
    static constexpr size_t kShards = 256;
    static constexpr size_t kBulk = size_t{1} << 15;  // keys worth sorting by shard first

    const KeyShard& shard(size_t s) const { return shards_[s]; }

    // Room for `entries` more, if they spread evenly: the mean and three standard deviations.
    void reserve(size_t entries) {
        const double mean = static_cast<double>(entries) / kShards;
        const auto share = static_cast<size_t>(mean + 3 * std::sqrt(mean)) + 1;
        for (KeyShard& shard : shards_) shard.reserve(share);
    }

    void give_back() {
        for (KeyShard& shard : shards_) shard.give_back();
    }

    // Files row i under position first + i; the same key twice in a row is filed once.
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

    // How many of the positions under a key count(position) counts.
    template <class Counts>
    uint32_t count(uint64_t key, uint32_t base, Counts counts) const {
        const uint64_t mixed = fmix64(key);
        uint32_t total = 0;
        auto add = [&](uint32_t position) { total += counts(position); };
        const auto* others = shards_[mixed >> 56].each(entry::tag(mixed), base, add);
        if (others) std::for_each(others->begin(), others->end(), add);
        return total;
    }

    // Files anew only what keep(position) wants, shard by shard.
    template <class Keep>
    void sweep(uint32_t base, Keep keep) {
        for (KeyShard& shard : shards_) shard.sweep(base, keep);
    }

    size_t nbytes() const {
        size_t total = sizeof(*this);
        for (const KeyShard& shard : shards_) total += shard.nbytes();
        return total;
    }

    // The entries of some rows, shard by shard, so that each shard stays in cache its turn.
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

private:
    static constexpr size_t kBatch = size_t{1} << 20;  // keys sorted by shard at a time, or more

    void insert_rows(const KeyRows& rows, uint32_t first, uint32_t base) {
        std::vector<uint64_t> mixed;
        for (size_t i = 0; i < rows.n; ++i) {
            mixed.assign(rows.keys + rows.start(i), rows.keys + rows.start(i + 1));
            for (uint64_t& key : mixed) {
                key = fmix64(key);
                shards_[key >> 56].prefetch_lines(entry::tag(key));
            }
            for (uint64_t key : mixed)
                shards_[key >> 56].insert(entry::make(entry::tag(key), first + i), base);
        }
    }

    KeyShard shards_[kShards];
};

// The distinct positions under many rows of keys, looked up shard by shard.
class KeyLookup {
public:
    static constexpr size_t kBatch = size_t{1} << 20;  // keys looked up at a time

    KeyLookup(const KeyTable& table, uint32_t base) : table_(table), base_(base) {}

    void look_up(const KeyRows& rows, size_t begin, size_t end) {
        hits_.clear();
        hot_.clear();
        if (rows.start(end) - rows.start(begin) < kFew)
            look_up_few(rows, begin, end);
        else
            look_up_sorted(rows, begin, end);
        group(end - begin);
    }

    // Those of the row begin + i, ascending.
    void row(size_t i, std::vector<uint32_t>& positions) const {
        positions.assign(grouped_.begin() + static_cast<ptrdiff_t>(starts_[i]),
                         grouped_.begin() + static_cast<ptrdiff_t>(starts_[i + 1]));
        const auto after = [](size_t row, const Hot& hot) { return row < hot.row; };
        for (auto hot = std::upper_bound(hot_.begin(), hot_.end(), i, after);
             hot != hot_.begin() && (--hot)->row == i;)
            positions.insert(positions.end(), hot->list->begin(), hot->list->end());
        sort_distinct(positions);
    }

private:
    static constexpr size_t kAhead = 24;  // keys whose lines are on their way
    static constexpr size_t kFew = 512;   // keys not worth sorting

    struct Hot {
        size_t row;
        const std::vector<uint32_t>* list;
    };

    void look_up_few(const KeyRows& rows, size_t begin, size_t end) {
        uint64_t mixed[kFew], *next = mixed;
        for (size_t k = rows.start(begin); k < rows.start(end); ++k) {
            *next = fmix64(rows.keys[k]);
            table_.shard(*next >> 56).prefetch_lines(entry::tag(*next));
            ++next;
        }
        next = mixed;
        for (size_t i = begin; i < end; ++i)
            for (size_t k = rows.start(i); k < rows.start(i + 1); ++k, ++next)
                take(table_.shard(*next >> 56), entry::tag(*next), i - begin);
    }

    void look_up_sorted(const KeyRows& rows, size_t begin, size_t end) {
        sorted_.sort(rows, begin, end, 0);
        for (size_t s = 0; s < KeyTable::kShards; ++s) {
            const KeyShard& shard = table_.shard(s);
            const uint64_t* entries = sorted_.begin(s);
            const size_t n = sorted_.size(s);
            for (size_t i = 0; i < std::min(kAhead, n); ++i) shard.prefetch_lines(entries[i]);
            for (size_t i = 0; i < n; ++i) {
                if (i + kAhead < n) shard.prefetch_lines(entries[i + kAhead]);
                take(shard, entry::tag_of(entries[i]), entries[i] & entry::kPositionMask);
            }
        }
    }

    void take(const KeyShard& shard, uint64_t tag, uint64_t row) {
        const auto* others = shard.each(tag, base_, [&](uint32_t position) {
            hits_.push_back(row << 32 | position);
        });
        if (others) hot_.push_back({row, others});
    }

    void group(size_t rows) {
        starts_.assign(rows + 2, 0);
        for (uint64_t hit : hits_) ++starts_[(hit >> 32) + 2];
        for (size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
        grouped_.resize(hits_.size());
        for (uint64_t hit : hits_)  // leaves at [i + 1] the end of row i
            grouped_[starts_[(hit >> 32) + 1]++] = static_cast<uint32_t>(hit);
        std::stable_sort(hot_.begin(), hot_.end(),
                         [](const Hot& a, const Hot& b) { return a.row < b.row; });
    }

    const KeyTable& table_;
    uint32_t base_;
    KeyTable::SortedByShard sorted_;
    std::vector<uint64_t> hits_;  // row << 32 | position
    std::vector<Hot> hot_;        // lists too long to copy for all rows at once
    std::vector<size_t> starts_;
    std::vector<uint32_t> grouped_;
};

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

// Articles filed under any number of keys, forgotten one by one or by age.
//
// Removal marks a position dead; when a quarter of the filed positions are dead their entries are
// swept out. A position is never reused; a table entry holds its low 28 bits, so the newest may be
// at most 2^28 ahead of the oldest still live.
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

    // How many live articles are filed under each key.
    std::vector<uint32_t> counts(const uint64_t* keys, size_t n) const {
        std::vector<uint32_t> live(n);
        const auto alive = [&](uint32_t position) { return times_.alive(position); };
        for (size_t i = 0; i < n; ++i) live[i] = table_.count(keys[i], base_, alive);
        return live;
    }

    void remove(const uint32_t* positions, size_t n) {
        for (size_t i = 0; i < n; ++i) times_.remove(positions[i]);
        sweep_if_worth_it();
    }

    size_t expire(int64_t before) {
        const size_t dropped = times_.expire(before);
        sweep_if_worth_it();
        return dropped;
    }

    size_t nbytes() const {
        return sizeof(*this) - sizeof(table_) + table_.nbytes() + times_.nbytes();
    }

private:
    static constexpr size_t kTrim = size_t{1} << 20;  // bytes worth giving back to the system

    void make_room(size_t n) {
        if (n > std::numeric_limits<uint32_t>::max() - positions())
            throw std::overflow_error("all 2^32 positions are used: start a new index");
        if (positions() + n - base_ > entry::kPositionMask) sweep();
        if (positions() + n - base_ > entry::kPositionMask)
            throw std::overflow_error(
                "the oldest live article is 2^28 positions back: remove or expire it, or start a "
                "new index");
    }

    void sweep_if_worth_it() {
        if (4 * (filed_ - size()) > filed_) sweep();
    }

    void sweep() {
        const size_t before = table_.nbytes();
        table_.sweep(base_, [&](uint32_t position) { return times_.alive(position); });
        base_ = static_cast<uint32_t>(times_.lowest());
        filed_ = size();
        if (before > table_.nbytes() + kTrim) give_back_to_system();
    }

    // glibc keeps the holes that tables leave among others; elsewhere free is enough.
    static void give_back_to_system() {
#if defined(__GLIBC__)
        malloc_trim(0);
#endif
    }

    KeyTable table_;
    Lifetimes times_;
    uint32_t base_ = 0;  // at most the lowest position in the table
    size_t filed_ = 0;   // positions in the table, dead ones too
};

// ---------------------------------------------------------------------------------------------
// Signatures by overlap

// The key of each band of a signature: a fold over its rows, started from the band's number.
inline void band_keys(const uint32_t* signature, size_t bands, size_t rows, uint64_t* keys) {
    for (size_t b = 0; b < bands; ++b) {
        uint64_t h = fmix64(b + kGoldenRatio);
        for (size_t r = 0; r < rows; ++r) h = fmix64(h ^ signature[b * rows + r]) * kGoldenRatio;
        keys[b] = h;
    }
}

// MinHash signatures found through their bands and verified lane by lane.
class SignatureIndex {
public:
    SignatureIndex(size_t bands, size_t rows) : bands_(bands), rows_(rows) {
        if (!bands || !rows || bands * rows > kLanes)
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
            keys_of(signatures + at * kLanes, step, keys);
            signatures_.append(signatures + at * kLanes, step);
            table_.insert({keys.data(), step, bands_}, static_cast<uint32_t>(first + at), 0);
        }
        if (bulk) table_.give_back();
        return first;
    }

    // Those that share a band and at least the share `threshold` of the lanes, best first.
    Found<float> find(const uint32_t* queries, size_t n, double threshold, unsigned threads) const {
        const auto wanted = static_cast<int64_t>(std::ceil(threshold * kLanes - 1e-9));
        return answered<float>(n, threads, [&](size_t from, size_t to, Found<float>& found) {
            KeyLookup lookup(table_, 0);
            std::vector<uint64_t> keys;
            for (size_t at = from, step; at < to; at += step) {
                step = std::min(kBatch, to - at);
                keys_of(queries + at * kLanes, step, keys);
                lookup.look_up({keys.data(), step, bands_}, 0, step);
                verify(queries + at * kLanes, step, lookup, wanted, found);
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
            band_keys(signatures + i * kLanes, bands_, rows_, &keys[i * bands_]);
    }

    // The candidates' signatures of a row are on their way while the row before is verified.
    void verify(const uint32_t* queries, size_t n, const KeyLookup& lookup, int64_t wanted,
                Found<float>& found) const {
        std::vector<uint32_t> candidates, next;
        std::vector<uint64_t> matches;  // lanes that differ << 32 | position
        for (size_t i = 0; i <= n; ++i) {
            if (i < n) look_ahead(lookup, i, next);
            if (i > 0) {
                verify(queries + (i - 1) * kLanes, candidates, wanted, matches);
                report(matches, found);
            }
            candidates.swap(next);
        }
    }

    void look_ahead(const KeyLookup& lookup, size_t row, std::vector<uint32_t>& candidates) const {
        lookup.row(row, candidates);
        for (size_t c = 0; c < std::min<size_t>(candidates.size(), 8); ++c)
            for (size_t lane = 0; lane < kLanes; lane += 16)
                prefetch(signatures_.row(candidates[c]) + lane);
    }

    void verify(const uint32_t* query, const std::vector<uint32_t>& candidates, int64_t wanted,
                std::vector<uint64_t>& matches) const {
        matches.clear();
        for (uint32_t position : candidates) {
            const unsigned equal = scans().equal_lanes(query, signatures_.row(position), kLanes);
            if (equal >= wanted) matches.push_back(uint64_t{kLanes - equal} << 32 | position);
        }
        std::sort(matches.begin(), matches.end());
    }

    static void report(const std::vector<uint64_t>& matches, Found<float>& found) {
        for (uint64_t match : matches) {
            found.positions.push_back(static_cast<uint32_t>(match));
            found.scores.push_back(static_cast<float>(kLanes - (match >> 32)) / kLanes);
        }
        found.end_query();
    }

    size_t bands_, rows_;
    KeyTable table_;
    Chunks<uint32_t, kLanes, 10> signatures_;
};

}  // namespace nearcopy
