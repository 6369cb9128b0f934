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
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hashes.hpp"
#include "scans.hpp"

namespace nearcopy {

constexpr size_t kLanes = 128;  // of a MinHash signature
constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;

inline uint64_t rotate_left(uint64_t x, unsigned by) { return by ? x << by | x >> (64 - by) : x; }

inline void prefetch(const void* address) { __builtin_prefetch(address); }

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
// each level several times the size of the next, one run a level.
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
    static constexpr size_t kFresh = 512;   // scanning these costs about what a run costs
    static constexpr size_t kRatio = 8;     // of a level to the next
    static constexpr size_t kGroup = 8;     // wanted entries in a group of a run
    static constexpr size_t kPiece = 1024;  // entries scanned at a time
    static constexpr uint32_t kAhead = 160;  // entries fetched ahead
    // Above it the groups hold most of the index anyway: all positions stay "fresh".
    static constexpr unsigned kMaxIndexedDistance = 10;

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
        for (size_t i = begin; i < end; ++i) ++t.directory[t.group(turned(fingerprint(i), block)) + 2];
        for (size_t g = 2; g < t.directory.size(); ++g) t.directory[g] += t.directory[g - 1];
        t.fronts.reset(new uint32_t[end - begin]);
        t.positions.reset(new uint32_t[end - begin]);
        for (size_t i = begin; i < end; ++i) {
            const uint64_t word = turned(fingerprint(i), block);
            const uint32_t slot = t.directory[t.group(word) + 1]++;  // ends as the next group's start
            t.fronts[slot] = static_cast<uint32_t>(word);
            t.positions[slot] = static_cast<uint32_t>(i);
        }
        return t;
    }

    void search(const Run& run, Group& group) const {
        uint32_t from[Group::kQueries], to[Group::kQueries];
        for (unsigned b = 0; b < blocks_.size(); ++b) {
            const Table& t = run.tables[b];
            for (size_t i = 0; i < group.size; ++i)
                prefetch(&t.directory[t.group(turned(group.queries[i], b))]);
            for (size_t i = 0; i < group.size; ++i) {
                const uint64_t g = t.group(turned(group.queries[i], b));
                from[i] = t.directory[g];
                to[i] = t.directory[g + 1];
                for (uint32_t e = from[i]; e < std::min(to[i], from[i] + kAhead); e += 16)
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

inline void sort_distinct(std::vector<uint32_t>& positions) {
    if (positions.size() < 2) return;
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
    const uint64_t* row(size_t i) const { return keys + start(i); }
    size_t length(size_t i) const { return start(i + 1) - start(i); }
    size_t total() const { return start(n); }
};

// Positions filed under keys, 8 bytes an entry.
//
// A key is mixed; its top 8 bits choose a shard, the next 36 bits (its tag) are stored beside the
// 28 low bits of the position. A shard is lines of 8 entries, filled from the left; a tag's home
// line is in proportion to the tag, what does not fit goes to the next line, and a search ends at
// a line with room. So two keys are taken for one with a chance of 2^-44, and no entry is missed.
//
// A key with more than kHot entries would make its run of lines long for itself and for all its
// neighbours: the rest of its positions go to a list of their own.
class KeyTable {
public:
    static constexpr unsigned kPositionBits = 28;
    static constexpr uint64_t kPositionMask = (uint64_t{1} << kPositionBits) - 1;

    // Files row i under position first + i; the same key twice in a row is filed once.
    void insert(const KeyRows& rows, uint32_t first) {
        if (rows.total() < kBulk) return insert_rows(rows, first);
        reserve(rows.total());
        insert_bulk(rows, first);
        for (Shard& shard : shards_) shard.give_back();
    }

    // Room for `entries` more, if they spread evenly: the mean and three standard deviations.
    void reserve(size_t entries) {
        const double mean = static_cast<double>(entries) / kShards;
        const auto share = static_cast<size_t>(mean + 3 * std::sqrt(mean)) + 1;
        for (Shard& shard : shards_) shard.reserve(shard.entries + share);
    }

    static uint64_t mix(uint64_t key) { return fmix64(key); }

    void prefetch_line(uint64_t mixed) const {
        const Shard& shard = shards_[mixed >> 56];
        if (shard.size) prefetch(&shard.lines[shard.home(tag(mixed))]);
    }

    // Calls use(position) for each position under the key; `base` is at most the lowest of them.
    template <class Use>
    void each(uint64_t mixed, uint32_t base, Use use) const {
        shards_[mixed >> 56].each(tag(mixed), base, use);
    }

    // Files anew only what keep(position) wants, shard by shard.
    template <class Keep>
    void sweep(uint32_t base, Keep keep) {
        for (Shard& shard : shards_) shard.sweep(base, keep);
    }

    size_t nbytes() const {
        size_t total = sizeof(*this);
        for (const Shard& shard : shards_) total += shard.nbytes();
        return total;
    }

private:
    static constexpr size_t kShards = 256;
    static constexpr size_t kSlots = 8;            // 64 bytes: a line of cache
    static constexpr unsigned kHot = 32;           // entries of one tag kept in the lines
    static constexpr size_t kBulk = size_t{1} << 15;   // entries worth sorting by shard first
    static constexpr size_t kBatch = size_t{1} << 20;  // entries sorted by shard at a time

    struct alignas(64) Line {
        uint64_t slots[kSlots];
    };

    struct Shard {
        std::unique_ptr<Line[]> lines;
        size_t size = 0;     // lines
        size_t entries = 0;  // in the lines
        std::unordered_map<uint64_t, std::vector<uint32_t>> hot;  // by tag

        // At most 95 % full, so that some line has room and searches end.
        static size_t room(size_t lines) { return lines * kSlots * 95 / 100; }
        static size_t lines_for(size_t entries) { return entries * 100 / (95 * kSlots) + 1; }

        size_t home(uint64_t tag) const { return (tag >> kPositionBits) * size >> 36; }
        size_t after(size_t line) const { return line + 1 == size ? 0 : line + 1; }

        void reserve(size_t wanted) {
            if (wanted > room(size)) resize(std::max(lines_for(wanted), size + size / 16));
        }

        // After a bulk insert of which much went to the hot lists or was filed already.
        void give_back() {
            if (size > lines_for(entries) + lines_for(entries) / 8 + 2) resize(lines_for(entries));
        }

        void resize(size_t wanted) {
            std::unique_ptr<Line[]> old(new Line[wanted]());
            old.swap(lines);
            const size_t old_size = std::exchange(size, wanted);
            for (size_t l = 0; l < old_size; ++l)
                for (uint64_t entry : old[l].slots)
                    if (entry) place(entry);
        }

        void place(uint64_t entry) {
            size_t l = home(entry);
            while (lines[l].slots[kSlots - 1]) l = after(l);
            for (uint64_t& slot : lines[l].slots) {
                if (slot) continue;
                slot = entry;
                return;
            }
        }

        void insert(uint64_t tag, uint32_t position) {
            reserve(entries + 1);
            const uint64_t entry = tag | (position & kPositionMask);
            unsigned same = 0;
            for (size_t l = home(tag);; l = after(l)) {
                for (uint64_t& slot : lines[l].slots) {
                    if (slot == 0) {
                        slot = entry;
                        ++entries;
                        return;
                    }
                    if ((slot ^ tag) > kPositionMask) continue;
                    if (slot == entry) return;
                    if (++same == kHot) return insert_hot(tag, position);
                }
            }
        }

        void insert_hot(uint64_t tag, uint32_t position) {
            std::vector<uint32_t>& list = hot[tag];
            if (list.empty() || list.back() != position) list.push_back(position);
        }

        template <class Use>
        void each(uint64_t tag, uint32_t base, Use& use) const {
            if (!size) return;
            unsigned same = 0;
            for (size_t l = home(tag);; l = after(l)) {
                const Line& line = lines[l];
                unsigned matches = 0;
                for (unsigned s = 0; s < kSlots; ++s)
                    matches |= unsigned{(line.slots[s] ^ tag) <= kPositionMask} << s;
                for (; matches; matches &= matches - 1, ++same)
                    use(position(line.slots[__builtin_ctz(matches)], base));
                if (!line.slots[kSlots - 1]) break;
            }
            if (same < kHot) return;
            const auto list = hot.find(tag);
            if (list == hot.end()) return;
            for (uint32_t position : list->second) use(position);
        }

        template <class Keep>
        void sweep(uint32_t base, Keep& keep) {
            Shard swept;
            swept.reserve(count_kept(base, keep));
            for (size_t l = 0; l < size; ++l)
                for (uint64_t entry : lines[l].slots)
                    if (entry && keep(position(entry, base)))
                        swept.insert(entry & ~kPositionMask, position(entry, base));
            for (const auto& [tag, positions] : hot)
                for (uint32_t position : positions)
                    if (keep(position)) swept.insert(tag, position);
            *this = std::move(swept);
        }

        template <class Keep>
        size_t count_kept(uint32_t base, Keep& keep) const {
            size_t kept = 0;
            for (size_t l = 0; l < size; ++l)
                for (uint64_t entry : lines[l].slots) kept += entry && keep(position(entry, base));
            return kept;
        }

        size_t nbytes() const {
            size_t total = size * sizeof(Line) + hot.bucket_count() * sizeof(void*);
            for (const auto& list : hot)
                total += sizeof(list) + 2 * sizeof(void*) + list.second.capacity() * 4;
            return total;
        }
    };

    static uint32_t position(uint64_t entry, uint32_t base) {
        return base + static_cast<uint32_t>((entry - base) & kPositionMask);
    }

    // 36 bits of the key above 28 zeros; never all zero, for a zero entry is an empty slot.
    static uint64_t tag(uint64_t mixed) {
        const uint64_t bits = mixed << 8 & ~kPositionMask;
        return bits ? bits : kPositionMask + 1;
    }

    void insert_rows(const KeyRows& rows, uint32_t first) {
        std::vector<uint64_t> mixed;
        for (size_t i = 0; i < rows.n; ++i) {
            mixed.assign(rows.row(i), rows.row(i) + rows.length(i));
            for (uint64_t& key : mixed) prefetch_line(key = mix(key));
            for (uint64_t key : mixed)
                shards_[key >> 56].insert(tag(key), static_cast<uint32_t>(first + i));
        }
    }

    void insert_bulk(const KeyRows& rows, uint32_t first) {
        std::vector<uint64_t> entries;
        for (size_t begin = 0, end; begin < rows.n; begin = end) {
            for (end = begin + 1; end < rows.n && rows.start(end + 1) - rows.start(begin) <= kBatch;)
                ++end;
            insert_batch(rows, begin, end, first, entries);
        }
    }

    // Sorts the entries of rows [begin, end) by shard, so that each shard stays in cache its turn.
    void insert_batch(const KeyRows& rows, size_t begin, size_t end, uint32_t first,
                      std::vector<uint64_t>& entries) {
        size_t ends[kShards + 1] = {};
        for (size_t k = rows.start(begin); k < rows.start(end); ++k)
            ++ends[(mix(rows.keys[k]) >> 56) + 1];
        for (size_t s = 1; s <= kShards; ++s) ends[s] += ends[s - 1];
        entries.resize(ends[kShards]);
        for (size_t i = begin; i < end; ++i)
            for (size_t k = rows.start(i); k < rows.start(i + 1); ++k) {
                const uint64_t mixed = mix(rows.keys[k]);
                entries[ends[mixed >> 56]++] = tag(mixed) | ((first + i) & kPositionMask);
            }
        for (size_t s = 0, e = 0; s < kShards; ++s)
            for (; e < ends[s]; ++e)
                shards_[s].insert(entries[e] & ~kPositionMask, position(entries[e], first));
    }

    Shard shards_[kShards];
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
            table_.insert(rows, first);
        } catch (...) {  // out of memory half-way: none of them is in
            for (size_t i = 0; i < rows.n; ++i) times_.remove(first + i);
            throw;
        }
        return first;
    }

    Found<uint8_t> find(const KeyRows& rows, unsigned threads) const {
        return answered<uint8_t>(
            rows.n, threads, [&](size_t begin, size_t end, Found<uint8_t>& found) {
                std::vector<uint32_t> candidates;
                prefetch_row(rows, begin, end);
                for (size_t i = begin; i < end; ++i) {
                    prefetch_row(rows, i + 1, end);
                    candidates.clear();
                    for (size_t k = 0; k < rows.length(i); ++k)
                        collect(rows.row(i)[k], candidates);
                    sort_distinct(candidates);
                    for (uint32_t position : candidates)
                        if (times_.alive(position)) found.positions.push_back(position);
                    found.end_query();
                }
            });
    }

    // How many live articles are filed under each key.
    std::vector<uint32_t> counts(const uint64_t* keys, size_t n) const {
        std::vector<uint32_t> live(n);
        for (size_t i = 0; i < n; ++i)
            table_.each(KeyTable::mix(keys[i]), base_,
                        [&](uint32_t position) { live[i] += times_.alive(position); });
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

    size_t nbytes() const { return sizeof(*this) - sizeof(table_) + table_.nbytes() + times_.nbytes(); }

private:
    void prefetch_row(const KeyRows& rows, size_t i, size_t end) const {
        if (i >= end) return;
        for (size_t k = 0; k < rows.length(i); ++k)
            table_.prefetch_line(KeyTable::mix(rows.row(i)[k]));
    }

    void collect(uint64_t key, std::vector<uint32_t>& candidates) const {
        table_.each(KeyTable::mix(key), base_, [&](uint32_t position) {
            if (candidates.empty() || candidates.back() != position) candidates.push_back(position);
        });
    }

    void make_room(size_t n) {
        if (n > std::numeric_limits<uint32_t>::max() - positions())
            throw std::overflow_error("all 2^32 positions are used: start a new index");
        if (positions() + n - base_ > KeyTable::kPositionMask) sweep();
        if (positions() + n - base_ > KeyTable::kPositionMask)
            throw std::overflow_error(
                "the oldest live article is 2^28 positions back: remove or expire it, or start a "
                "new index");
    }

    void sweep_if_worth_it() {
        if (4 * (filed_ - size()) > filed_) sweep();
    }

    void sweep() {
        table_.sweep(base_, [&](uint32_t position) { return times_.alive(position); });
        base_ = static_cast<uint32_t>(times_.lowest());
        filed_ = size();
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
        if (n > KeyTable::kPositionMask - size())
            throw std::overflow_error("a SignatureIndex holds at most 2^28 - 1 signatures");
        const auto first = static_cast<uint32_t>(size());
        if (n >= kBatch) table_.reserve(n * bands_);
        std::vector<uint64_t> keys(std::min(n, kBatch) * bands_);
        for (size_t at = 0, step; at < n; at += step) {
            step = std::min(kBatch, n - at);
            for (size_t i = 0; i < step; ++i)
                band_keys(signatures + (at + i) * kLanes, bands_, rows_, &keys[i * bands_]);
            signatures_.append(signatures + at * kLanes, step);
            table_.insert({keys.data(), step, bands_}, static_cast<uint32_t>(first + at));
        }
        return first;
    }

    // Those that share a band and at least the share `threshold` of the lanes, best first.
    Found<float> find(const uint32_t* queries, size_t n, double threshold, unsigned threads) const {
        const auto wanted = static_cast<int64_t>(std::ceil(threshold * kLanes - 1e-9));
        return answered<float>(n, threads, [&](size_t begin, size_t end, Found<float>& found) {
            std::vector<uint64_t> keys(bands_), next(bands_);
            std::vector<uint32_t> candidates;
            std::vector<uint64_t> matches;  // lanes that differ << 32 | position
            if (begin < end) look_ahead(queries + begin * kLanes, next);
            for (size_t i = begin; i < end; ++i) {
                keys.swap(next);
                if (i + 1 < end) look_ahead(queries + (i + 1) * kLanes, next);
                collect(keys, candidates);
                verify(queries + i * kLanes, candidates, wanted, matches);
                report(matches, found);
            }
        });
    }

    size_t nbytes() const {
        return sizeof(*this) - sizeof(table_) + table_.nbytes() + signatures_.nbytes();
    }

private:
    static constexpr size_t kBatch = 8192;  // signatures whose keys are held at a time

    void look_ahead(const uint32_t* query, std::vector<uint64_t>& keys) const {
        band_keys(query, bands_, rows_, keys.data());
        for (uint64_t& key : keys) table_.prefetch_line(key = KeyTable::mix(key));
    }

    void collect(const std::vector<uint64_t>& mixed, std::vector<uint32_t>& candidates) const {
        candidates.clear();
        for (uint64_t key : mixed)
            table_.each(key, 0, [&](uint32_t position) {
                if (candidates.empty() || candidates.back() != position)
                    candidates.push_back(position);
            });
        sort_distinct(candidates);
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
