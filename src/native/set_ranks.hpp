// Sets of features made ready to be joined: equal ones grouped, features ranked rare first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearcopy {

// Turns counts at [i + 1] into where each i starts.
void accumulate(std::vector<uint64_t>& counts);

// The features of many sets, each ascending and without repeats.
struct SetRows {
    const uint64_t* values;
    const uint64_t* starts;  // set i is values[starts[i]] up to values[starts[i + 1]]
    size_t count;

    const uint64_t* begin(size_t set) const { return values + starts[set]; }
    uint64_t size(size_t set) const { return starts[set + 1] - starts[set]; }
};

// Equal sets made one, so that a template page costs no more than another. Smaller groups of
// features first; empty sets are in none.
struct Groups {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t> of;      // the group of each place
    std::vector<uint32_t> sizes;   // how many features a group has, ascending
    std::vector<uint64_t> starts;  // group g is places[starts[g]] up to [starts[g + 1]]
    std::vector<uint32_t> places;  // ascending in each group

    explicit Groups(const SetRows& sets);

    size_t count() const { return sizes.size(); }
    uint32_t first(uint32_t group) const { return places[starts[group]]; }
    uint32_t last(uint32_t group) const { return places[starts[group + 1] - 1]; }
    bool repeated(uint32_t group) const { return starts[group + 1] - starts[group] > 1; }
};

// The features that several groups hold, numbered rare first. Those of one group alone can match
// nothing: they are counted, as the rarest of their group, and not kept.
struct Ranks {
    std::vector<uint32_t> values;  // ascending in each group
    std::vector<uint64_t> starts;
    size_t distinct = 0;

    Ranks(const SetRows& sets, const Groups& groups);

    const uint32_t* begin(uint32_t group) const { return values.data() + starts[group]; }
    const uint32_t* end(uint32_t group) const { return values.data() + starts[group + 1]; }
};

}  // namespace nearcopy
