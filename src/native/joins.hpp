// All pairs of sets whose Jaccard overlap reaches a bound: none missed, none other.
//
// A pair that is alike enough shares a feature early in both, once features are ordered rare first
// (prefix filter), its sizes are close (length filter), and enough is left of both after the first
// feature they share (position filter). What passes is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "set_ranks.hpp"

namespace nearcopy {

// How alike is enough. The share is a double, rounded once, as callers see it: 4 of 5 reach 0.8.
class Bound {
public:
    explicit Bound(double least) : least_(least) {}

    bool holds(uint64_t shared, uint64_t all) const {
        return double(shared) / double(all) >= least_;
    }
    // The fewest features that two sets must share, with `sum` features if counted apart.
    uint64_t shared(uint64_t sum) const;
    // The fewest features of a set that can be like one of `size`.
    uint64_t partner(uint64_t size) const;
    // The most features that two sets may have together where they share `shared`.
    uint64_t together(uint64_t shared) const;

private:
    double least_;
};

class SetJoin {
public:
    // Reads the sets once and keeps nothing of them. At most 2^32 - 2 sets, and features in each.
    SetJoin(const SetRows& sets, double min_overlap);

    struct Found {
        size_t next;                  // the first place that was not looked at
        std::vector<uint32_t> pairs;  // two places a pair
        std::vector<uint32_t> shared;
    };

    // The pairs of each place from `first` on with later ones, ascending, until there are `most`
    // or a few more: the memory taken is linear in the number of sets, the output may be quadratic.
    Found find(size_t first, size_t most, unsigned threads) const;

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
        std::vector<uint32_t> by;  // the last probe that met each group
        uint32_t probe = 0;
    };
    struct Asked {
        uint32_t group, place;  // only later places are searched
        std::vector<Match> matches;
    };

    uint32_t own(uint32_t group) const;
    size_t prefix(uint32_t group) const;
    void index();
    void probe(Asked& asked, Seen& seen) const;
    void meet(Asked& asked, size_t at, const Entry& entry) const;
    std::vector<Asked> answers(size_t from, size_t to, std::vector<Seen>& seen) const;
    void expand(uint32_t place, const std::vector<Match>& matches, std::vector<Match>& row,
                Found& found) const;

    Bound bound_;
    Groups groups_;
    Ranks ranks_;
    std::vector<uint32_t> below_;   // how many groups have fewer features than this
    std::vector<uint64_t> starts_;  // the entries of rank r are entries_[starts_[r]] and on
    std::vector<Entry> entries_;    // ascending by group, and so by size
};

}  // namespace nearcopy
