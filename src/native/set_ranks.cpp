#include "set_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "hashes.hpp"

namespace nearcopy {

void accumulate(std::vector<uint64_t>& counts) {
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

// --- Groups -----------------------------------------------------------------------------------

namespace {

struct Key {
    uint64_t size, hash;
    uint32_t place;

    bool operator<(const Key& other) const {
        if (size != other.size) return size < other.size;
        return hash != other.hash ? hash < other.hash : place < other.place;
    }
};

std::vector<Key> keys_of(const SetRows& sets) {
    std::vector<Key> keys;
    keys.reserve(sets.count);
    for (size_t i = 0; i < sets.count; ++i)
        if (sets.size(i) > 0) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(sets.begin(i));
            keys.push_back({sets.size(i), xxh3_64(bytes, sets.size(i) * 8), uint32_t(i)});
        }
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

Groups::Groups(const SetRows& sets) : of(sets.count, kNone), starts(1, 0) {
    const std::vector<Key> keys = keys_of(sets);
    size_t alike = 0;  // the first group with this size and hash
    for (size_t i = 0; i < keys.size(); ++i) {
        const Key& key = keys[i];
        if (i == 0 || key.size != keys[i - 1].size || key.hash != keys[i - 1].hash)
            alike = sizes.size();
        size_t group = alike;
        while (group < sizes.size() && std::memcmp(sets.begin(places[group]), sets.begin(key.place),
                                                   key.size * sizeof(uint64_t)) != 0)
            ++group;
        of[key.place] = uint32_t(group);
        if (group < sizes.size()) continue;
        sizes.push_back(uint32_t(key.size));
        places.push_back(key.place);  // the first place of every group, until all groups are known
    }
    starts.assign(sizes.size() + 1, 0);
    for (uint32_t group : of)
        if (group != kNone) ++starts[group + 1];
    accumulate(starts);
    places.resize(keys.size());
    std::vector<uint64_t> next(starts.begin(), starts.end() - 1);
    for (size_t i = 0; i < of.size(); ++i)
        if (of[i] != kNone) places[next[of[i]]++] = uint32_t(i);
}

// --- Ranks ------------------------------------------------------------------------------------

namespace {

constexpr uint32_t kSingle = UINT32_MAX;
constexpr size_t kSorted = size_t(1) << 20;  // features at least, to sort at a time
constexpr size_t kBuckets = size_t(1) << 12;

struct Place {
    uint64_t feature, at;

    bool operator<(const Place& other) const { return feature < other.feature; }
};

// Sorts features of `low` and above: first into buckets, which fit the cache where hashes are
// spread evenly.
void sort(std::vector<Place>& places, std::vector<Place>& spare, uint64_t low, unsigned shift) {
    const auto bucket = [&](const Place& place) {
        return size_t(std::min<uint64_t>((place.feature - low) >> shift, kBuckets - 1));
    };
    std::vector<uint64_t> starts(kBuckets + 1, 0);
    for (const Place& place : places) ++starts[bucket(place) + 1];
    accumulate(starts);
    spare.resize(places.size());
    std::vector<uint64_t> next = starts;
    for (const Place& place : places) spare[next[bucket(place)]++] = place;
    for (size_t i = 0; i < kBuckets; ++i)
        std::sort(spare.begin() + int64_t(starts[i]), spare.begin() + int64_t(starts[i + 1]));
    places.swap(spare);
}

// Numbers the features that occur at several places, with their counts.
void number(const std::vector<Place>& places, std::vector<uint32_t>& numbers,
            std::vector<uint32_t>& counts) {
    for (size_t i = 0, j; i < places.size(); i = j) {
        for (j = i + 1; j < places.size() && places[j].feature == places[i].feature;) ++j;
        if (j - i == 1) continue;
        if (counts.size() == kSingle) throw std::length_error("too many features: join fewer sets");
        for (size_t k = i; k < j; ++k) numbers[places[k].at] = uint32_t(counts.size());
        counts.push_back(uint32_t(j - i));
    }
}

// The number of every feature of every group, kSingle where no other group has it. Hashes are
// spread evenly, so a turn takes a small slice of every set: several features per set, so that
// there are not too many turns.
std::vector<uint32_t> numbered(const SetRows& sets, const Groups& groups,
                               std::vector<uint32_t>& counts) {
    std::vector<uint64_t> starts(groups.count() + 1, 0);
    for (size_t g = 0; g < groups.count(); ++g) starts[g + 1] = starts[g] + groups.sizes[g];
    std::vector<uint32_t> numbers(starts.back(), kSingle), next(groups.count(), 0);
    const uint64_t turns = starts.back() / std::max(kSorted, 4 * groups.count()) + 1;
    const uint64_t slice = UINT64_MAX / turns;
    unsigned shift = 0;
    while (slice >> shift >= kBuckets) ++shift;
    std::vector<Place> places, spare;
    for (uint64_t turn = 0; turn < turns; ++turn) {
        const uint64_t last = turn + 1 == turns ? UINT64_MAX : slice * (turn + 1);
        places.clear();
        for (uint32_t g = 0; g < groups.count(); ++g) {
            const uint64_t* set = sets.begin(groups.first(g));
            for (uint32_t& i = next[g]; i < groups.sizes[g] && set[i] <= last; ++i)
                places.push_back({set[i], starts[g] + i});
        }
        sort(places, spare, slice * turn, shift);
        number(places, numbers, counts);
    }
    return numbers;
}

// The rank of every number: by ascending number of groups that hold the feature, then by first
// occurrence, so that the ranks of a group are mostly contiguous.
std::vector<uint32_t> ranked(const std::vector<uint32_t>& numbers,
                             const std::vector<uint32_t>& counts) {
    const uint32_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    std::vector<uint64_t> next(size_t(most) + 2, 0);
    for (uint32_t count : counts) ++next[count + 1];
    accumulate(next);
    std::vector<uint32_t> ranks(counts.size(), kSingle);
    for (uint32_t number : numbers)
        if (number != kSingle && ranks[number] == kSingle)
            ranks[number] = uint32_t(next[counts[number]]++);
    return ranks;
}

}  // namespace

Ranks::Ranks(const SetRows& sets, const Groups& groups) : starts(1, 0) {
    std::vector<uint32_t> counts;
    const std::vector<uint32_t> numbers = numbered(sets, groups, counts);
    const std::vector<uint32_t> ranks = ranked(numbers, counts);
    distinct = ranks.size();
    values.reserve(numbers.size() - size_t(std::count(numbers.begin(), numbers.end(), kSingle)));
    starts.reserve(groups.count() + 1);
    size_t at = 0;
    for (uint32_t size : groups.sizes) {
        for (const size_t end = at + size; at < end; ++at)
            if (numbers[at] != kSingle) values.push_back(ranks[numbers[at]]);
        std::sort(values.begin() + int64_t(starts.back()), values.end());
        starts.push_back(values.size());
    }
}

}  // namespace nearcopy
