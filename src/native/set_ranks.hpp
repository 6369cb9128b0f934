// Sets of features prepared for the join: equal sets grouped, features ranked rare first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearcopy {

// Prefix sums: turns counts at [i + 1] into start offsets at [i].
void accumulate(std::vector<uint64_t>& counts);

// The features of many sets, ascending and without duplicates in every set.
struct SetRows {
    const uint64_t* values;
    const uint64_t* starts;  // set i is values[starts[i]] up to values[starts[i + 1]]
    size_t count;

    const uint64_t* begin(size_t set) const { return values + starts[set]; }
    uint64_t size(size_t set) const { return starts[set + 1] - starts[set]; }
};

// Groups of equal sets, so that a repeated template page costs no more than a single page. Groups
// ascend by number of features; empty sets are in no group.
struct Groups {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t> of;      // the group by place
    std::vector<uint32_t> sizes;   // how many features a group has, ascending
    std::vector<uint64_t> starts;  // group g is places[starts[g]] up to [starts[g + 1]]
    std::vector<uint32_t> places;  // ascending within a group

    explicit Groups(const SetRows& sets);

    size_t count() const { return sizes.size(); }
    uint32_t first(uint32_t group) const { return places[starts[group]]; }
    uint32_t last(uint32_t group) const { return places[starts[group + 1] - 1]; }
    bool repeated(uint32_t group) const { return starts[group + 1] - starts[group] > 1; }
};

// The features that several groups hold, numbered rare first. Features of a single group have
// no match: they are counted, as the rarest of their group, and not stored.
struct Ranks {
    std::vector<uint32_t> values;  // ascending within a group
    std::vector<uint64_t> starts;
    size_t distinct = 0;

    Ranks(const SetRows& sets, const Groups& groups);

    const uint32_t* begin(uint32_t group) const { return values.data() + starts[group]; }
    const uint32_t* end(uint32_t group) const { return values.data() + starts[group + 1]; }
};

}  // namespace nearcopy
