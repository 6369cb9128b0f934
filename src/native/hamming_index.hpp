// Fingerprints by Hamming distance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "scans.hpp"

namespace nearcopy {

inline uint64_t rotate_left(uint64_t x, unsigned by) { return by ? x << by | x >> (64 - by) : x; }

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
            for (const Table& table : tables) total += table.directory.capacity() * 4 + size() * 8;
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

}  // namespace nearcopy
