#include "joins.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "threads.hpp"

namespace nearcopy {

// --- The bound --------------------------------------------------------------------------------

// More than two sets of the largest size have together: keeps the estimates finite.
constexpr double kMostTogether = 1e10;

// Each begins with an estimate, which rounding may put one off, and ends with the test itself.

uint64_t Bound::shared(uint64_t sum) const {
    uint64_t found = uint64_t(least_ / (1 + least_) * double(sum));
    while (found > 0 && holds(found - 1, sum - found + 1)) --found;
    while (!holds(found, sum - found)) ++found;
    return found;
}

uint64_t Bound::partner(uint64_t size) const {
    uint64_t found = uint64_t(least_ * double(size));
    while (found > 0 && holds(found - 1, size)) --found;
    while (!holds(found, size)) ++found;
    return found;
}

uint64_t Bound::together(uint64_t shared) const {
    uint64_t found = uint64_t(std::min(double(shared) / least_, kMostTogether));
    while (!holds(shared, found)) --found;
    while (double(found) < kMostTogether && holds(shared, found + 1)) ++found;
    return found;
}

// --- The join ---------------------------------------------------------------------------------

namespace {

constexpr size_t kPlaces = 64;  // a thread at a time, so that few matches wait to be handed over

// How many more features two ascending lists share, given `have`; 0 once `need` is out of reach.
uint32_t counted(const uint32_t* a, const uint32_t* a_end, const uint32_t* b, const uint32_t* b_end,
                 int64_t have, int64_t need) {
    int64_t a_spare = (a_end - a) - (need - have), b_spare = (b_end - b) - (need - have);
    if (a_spare < 0 || b_spare < 0) return 0;
    while (a < a_end && b < b_end) {
        if (*a == *b) {
            ++have, ++a, ++b;
        } else if (*a < *b) {
            if (a_spare-- == 0) return 0;
            ++a;
        } else {
            if (b_spare-- == 0) return 0;
            ++b;
        }
    }
    return have >= need ? uint32_t(have) : 0;
}

}  // namespace

SetJoin::SetJoin(const SetRows& sets, double min_overlap)
    : bound_(min_overlap), groups_(sets), ranks_(sets, groups_) {
    const uint32_t largest = groups_.sizes.empty() ? 0 : groups_.sizes.back();
    below_.assign(size_t(largest) + 2, 0);
    for (uint32_t size : groups_.sizes) ++below_[size + 1];
    std::partial_sum(below_.begin(), below_.end(), below_.begin());
    index();
}

// How many features the group has to itself.
uint32_t SetJoin::own(uint32_t group) const {
    return groups_.sizes[group] - uint32_t(ranks_.starts[group + 1] - ranks_.starts[group]);
}

// How many of the group's ranks may be the first that it shares with a set like it.
size_t SetJoin::prefix(uint32_t group) const {
    const uint64_t size = groups_.sizes[group], most = size - bound_.partner(size) + 1;
    return most > own(group) ? size_t(most - own(group)) : 0;
}

void SetJoin::index() {
    starts_.assign(ranks_.distinct + 1, 0);
    for (uint32_t g = 0; g < groups_.count(); ++g)
        for (size_t i = 0, n = prefix(g); i < n; ++i) ++starts_[ranks_.begin(g)[i] + 1];
    accumulate(starts_);
    entries_.resize(starts_.back());
    std::vector<uint64_t> next(starts_.begin(), starts_.end() - 1);
    for (uint32_t g = 0; g < groups_.count(); ++g)
        for (size_t i = 0, n = prefix(g); i < n; ++i)
            entries_[next[ranks_.begin(g)[i]]++] = {g, own(g) + uint32_t(i)};
}

// The groups like the one asked for. One that is like it is met first at the first feature they
// share, within the sizes looked at there; any other may be met later, and fails the count.
void SetJoin::probe(Asked& asked, Seen& seen) const {
    const uint64_t size = groups_.sizes[asked.group], largest = groups_.sizes.back();
    const uint32_t from = below_[bound_.partner(size)];
    const uint32_t stamp = ++seen.probe;
    seen.by[asked.group] = stamp;
    for (size_t i = 0, n = prefix(asked.group); i < n; ++i) {
        const uint32_t rank = ranks_.begin(asked.group)[i];
        const uint64_t at = own(asked.group) + i;
        const uint64_t longest = std::min(bound_.together(size - at) - at, largest);
        const uint32_t to = below_[longest + 1];
        const Entry* end = entries_.data() + starts_[rank + 1];
        const Entry* entry =
            std::lower_bound(entries_.data() + starts_[rank], end, from,
                             [](const Entry& e, uint32_t group) { return e.group < group; });
        for (; entry != end && entry->group < to; ++entry) {
            if (seen.by[entry->group] == stamp) continue;
            seen.by[entry->group] = stamp;
            if (groups_.last(entry->group) > asked.place) meet(asked, i, *entry);
        }
    }
    if (groups_.repeated(asked.group)) asked.matches.push_back({asked.group, uint32_t(size)});
}

// Counts what the two groups share, from the feature at which they meet.
void SetJoin::meet(Asked& asked, size_t at, const Entry& entry) const {
    const uint32_t x = asked.group, y = entry.group;
    const uint64_t need = bound_.shared(uint64_t(groups_.sizes[x]) + groups_.sizes[y]);
    const uint32_t shared =
        counted(ranks_.begin(x) + at + 1, ranks_.end(x),
                ranks_.begin(y) + (entry.position - own(y)) + 1, ranks_.end(y), 1, int64_t(need));
    if (shared > 0) asked.matches.push_back({y, shared});
}

// What is like the group of each place from `from` to `to`, by group.
std::vector<SetJoin::Asked> SetJoin::answers(size_t from, size_t to,
                                             std::vector<Seen>& seen) const {
    std::vector<Asked> asked;
    for (size_t place = from; place < to; ++place)
        if (groups_.of[place] != Groups::kNone)
            asked.push_back({groups_.of[place], uint32_t(place), {}});
    std::stable_sort(asked.begin(), asked.end(),
                     [](const Asked& a, const Asked& b) { return a.group < b.group; });
    asked.erase(std::unique(asked.begin(), asked.end(),
                            [](const Asked& a, const Asked& b) { return a.group == b.group; }),
                asked.end());
    std::atomic<size_t> next{0};
    on_threads(unsigned(seen.size()), [&](unsigned part) {
        if (seen[part].by.empty()) seen[part].by.assign(groups_.count(), 0);
        for (size_t i; (i = next.fetch_add(1)) < asked.size();) probe(asked[i], seen[part]);
    });
    return asked;
}

// Appends the later places of all matches, ascending.
void SetJoin::expand(uint32_t place, const std::vector<Match>& matches, std::vector<Match>& row,
                     Found& found) const {
    const auto earlier = [](const Match& a, const Match& b) { return a.group < b.group; };
    row.clear();
    for (const Match& match : matches) {
        const uint32_t* end = groups_.places.data() + groups_.starts[match.group + 1];
        const uint32_t* at =
            std::upper_bound(groups_.places.data() + groups_.starts[match.group], end, place);
        for (; at != end; ++at) row.push_back({*at, match.shared});
    }
    if (!std::is_sorted(row.begin(), row.end(), earlier))
        std::sort(row.begin(), row.end(), earlier);
    for (const Match& other : row) {
        found.pairs.insert(found.pairs.end(), {place, other.group});
        found.shared.push_back(other.shared);
    }
}

SetJoin::Found SetJoin::find(size_t first, size_t most, unsigned threads) const {
    Found found{std::min(first, size()), {}, {}};
    std::vector<Seen> seen(threads);
    std::vector<Match> row;
    while (found.next < size() && found.shared.size() < most) {
        const size_t to = std::min(size(), found.next + kPlaces * threads);
        const std::vector<Asked> asked = answers(found.next, to, seen);
        for (; found.next < to; ++found.next) {
            const uint32_t group = groups_.of[found.next];
            if (group == Groups::kNone) continue;
            const auto at = std::lower_bound(
                asked.begin(), asked.end(), group,
                [](const Asked& each, uint32_t wanted) { return each.group < wanted; });
            expand(uint32_t(found.next), at->matches, row, found);
        }
    }
    return found;
}

size_t SetJoin::nbytes() const {
    const size_t words = groups_.of.capacity() + groups_.sizes.capacity() +
                         groups_.places.capacity() + ranks_.values.capacity() + below_.capacity();
    const size_t longs = groups_.starts.capacity() + ranks_.starts.capacity() + starts_.capacity();
    return words * 4 + longs * 8 + entries_.capacity() * sizeof(Entry);
}

}  // namespace nearcopy
