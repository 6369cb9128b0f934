// libFuzzer target: the similarity join of sets, compared with intersecting all pairs.
//
// Two bytes are the threshold; then each set is a byte that chooses between a new one, whose features
// are the next bytes, and an earlier one with a few features added or removed.
#include "joins.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "harness.hpp"
#include "hashes.hpp"

namespace fuzz {

using namespace nearcopy;

using Set = std::set<uint64_t>;

struct Row {
    uint32_t a, b, shared;

    bool operator==(const Row& o) const { return a == o.a && b == o.b && shared == o.shared; }
};

constexpr size_t MOST_SETS = 300;  // more than a thread takes at a time

inline void toggle(Set& set, uint64_t feature) {
    if (!set.erase(feature)) set.insert(feature);
}

std::vector<Set> read_sets(Input& input, bool spread) {
    std::vector<Set> sets;
    while (input.left() > 0 && sets.size() < MOST_SETS) {
        const unsigned choice = input.byte();
        Set set;
        if (choice >= 128 && !sets.empty()) set = sets[input.byte() % sets.size()];
        for (unsigned i = 0, n = choice >= 128 ? choice % 4 : choice % 48; i < n; ++i) {
            const uint64_t feature = input.byte();
            toggle(set, spread ? fmix64(feature) : feature);
        }
        sets.push_back(set);
    }
    return sets;
}

std::vector<Row> intersect_all(const std::vector<Set>& sets, double threshold) {
    std::vector<Row> rows;
    std::vector<uint64_t> both;
    for (uint32_t a = 0; a < sets.size(); ++a)
        for (uint32_t b = a + 1; b < sets.size(); ++b) {
            both.clear();
            std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(),
                                  std::back_inserter(both));
            const size_t all = sets[a].size() + sets[b].size() - both.size();
            if (all > 0 && double(both.size()) / double(all) >= threshold)
                rows.push_back({a, b, uint32_t(both.size())});
        }
    return rows;
}

std::vector<Row> join_in_parts(const SetJoin& join, size_t most, unsigned threads) {
    std::vector<Row> rows;
    for (size_t place = 0; place < join.size();) {
        const SetJoin::PairBatch part = join.find(place, most, threads);
        MUST(part.next > place && part.pairs.size() == 2 * part.shared.size());
        for (size_t i = 0; i < part.shared.size(); ++i)
            rows.push_back({part.pairs[2 * i], part.pairs[2 * i + 1], part.shared[i]});
        place = part.next;
    }
    return rows;
}

void run(Input& input) {
    const unsigned way = input.byte();
    const double threshold = (1 + double(input.byte())) / double(way & 1 ? 256 : 300);
    const std::vector<Set> sets = read_sets(input, way & 2);
    std::vector<uint64_t> starts(1, 0), values;
    for (const Set& set : sets) {
        values.insert(values.end(), set.begin(), set.end());
        starts.push_back(values.size());
    }
    const SetJoin join({values.data(), starts.data(), sets.size()}, threshold);
    const std::vector<Row> expected = intersect_all(sets, threshold);
    MUST(join_in_parts(join, SIZE_MAX, 1) == expected);
    MUST(join_in_parts(join, 1, 1 + (way >> 2 & 1)) == expected);
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Input input(data, size);
    fuzz::run(input);
    return 0;
}
