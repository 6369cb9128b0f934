// All pairs of sets whose Jaccard similarity reaches a threshold: an exact join.
//
// The sets of a matching pair share a feature in their prefixes, with features ordered rare first
// (prefix filter), are of similar size (length filter), and have enough features left after the
// first shared feature (position filter). The overlap of the remaining candidates is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "set_ranks.hpp"

namespace nearcopy {

// The Jaccard threshold. The ratio is a double, rounded once, as callers see it: 4 of 5 reach 0.8.
class Bound {
public:
    explicit Bound(double least) : least_(least) {}

    bool holds(uint64_t shared, uint64_t all) const {
        return double(shared) / double(all) >= least_;
    }
    // The minimum overlap of two sets whose sizes add up to `sum`.
    uint64_t shared(uint64_t sum) const;
    // The minimum size of a set that can match a set of `size` features.
    uint64_t partner(uint64_t size) const;
    // The maximum size of the union of two matching sets that share `shared` features.
    uint64_t together(uint64_t shared) const;

private:
    double least_;
};

class SetJoin {
public:
    // Reads the sets once and keeps no reference. At most 2^32 - 2 sets, and features per set.
    SetJoin(const SetRows& sets, double min_overlap);

    struct PairBatch {
        size_t next;                  // the first place not yet searched
        std::vector<uint32_t> pairs;  // two places per pair
        std::vector<uint32_t> shared;
    };

    // The pairs of every place from `first` on with later places, ascending, until there are `most`
    // or a few more: the memory taken is linear in the number of sets, the output may be quadratic.
    PairBatch find(size_t first, size_t most, unsigned threads) const;

    size_t size() const { return groups_.of.size(); }
    size_t nbytes() const;

private:
    struct Entry {
        uint32_t group, position;  // of the feature in the group, rare first
    };
    struct Match {
        uint32_t group, shared;
    };
    struct Seen {
        std::vector<uint32_t> by;  // by group, the last probe that met it
        uint32_t probe = 0;
    };
    struct Query {
        uint32_t group, place;  // only later places are searched
        std::vector<Match> matches;
    };

    uint32_t own(uint32_t group) const;
    size_t prefix(uint32_t group) const;
    void index();
    void probe(Query& query, Seen& seen) const;
    void verify(Query& query, size_t at, const Entry& entry) const;
    std::vector<Query> probe_all(size_t from, size_t to, std::vector<Seen>& seen) const;
    void expand(uint32_t place, const std::vector<Match>& matches, std::vector<Match>& row,
                PairBatch& batch) const;

    Bound bound_;
    Groups groups_;
    Ranks ranks_;
    std::vector<uint32_t> below_;   // by size, the number of groups with fewer features
    std::vector<uint64_t> starts_;  // the entries of rank r are entries_[starts_[r]] and on
    std::vector<Entry> entries_;    // ascending by group, and so by size
};

}  // namespace nearcopy
