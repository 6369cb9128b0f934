#include "joins.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "threads.hpp"

namespace nearcopy {

// --- The bound --------------------------------------------------------------------------------

// More features than the union of two sets of the largest size: keeps the estimates finite.
constexpr double kMostTogether = 1e10;

// Every function starts from an estimate, which rounding may put off by 1, and then tests exactly.

uint64_t Bound::shared(uint64_t sum) const {
    uint64_t required = uint64_t(least_ / (1 + least_) * double(sum));
    while (required > 0 && holds(required - 1, sum - required + 1)) --required;
    while (!holds(required, sum - required)) ++required;
    return required;
}

uint64_t Bound::partner(uint64_t size) const {
    uint64_t smallest = uint64_t(least_ * double(size));
    while (smallest > 0 && holds(smallest - 1, size)) --smallest;
    while (!holds(smallest, size)) ++smallest;
    return smallest;
}

uint64_t Bound::together(uint64_t shared) const {
    uint64_t union_size = uint64_t(std::min(double(shared) / least_, kMostTogether));
    while (!holds(shared, union_size)) --union_size;
    while (double(union_size) < kMostTogether && holds(shared, union_size + 1)) ++union_size;
    return union_size;
}

// --- The join ---------------------------------------------------------------------------------

namespace {

constexpr size_t kPlaces = 64;  // per thread and batch, so that few matches are buffered

// The overlap of two ascending lists, added to `have`; 0 once `need` is out of reach.
uint32_t overlap(const uint32_t* a, const uint32_t* a_end, const uint32_t* b, const uint32_t* b_end,
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

// The number of features that no other group has.
uint32_t SetJoin::own(uint32_t group) const {
    return groups_.sizes[group] - uint32_t(ranks_.starts[group + 1] - ranks_.starts[group]);
}

// The prefix length: how many ranks may be the first that the group shares with a match.
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

// Finds the groups that match the query. A match is first met at the first shared feature, within
// the sizes searched there; a candidate met only later fails verification.
void SetJoin::probe(Query& query, Seen& seen) const {
    const uint64_t size = groups_.sizes[query.group], largest = groups_.sizes.back();
    const uint32_t from = below_[bound_.partner(size)];
    const uint32_t stamp = ++seen.probe;
    seen.by[query.group] = stamp;
    for (size_t i = 0, n = prefix(query.group); i < n; ++i) {
        const uint32_t rank = ranks_.begin(query.group)[i];
        const uint64_t at = own(query.group) + i;
        const uint64_t longest = std::min(bound_.together(size - at) - at, largest);
        const uint32_t to = below_[longest + 1];
        const Entry* end = entries_.data() + starts_[rank + 1];
        const Entry* entry =
            std::lower_bound(entries_.data() + starts_[rank], end, from,
                             [](const Entry& e, uint32_t group) { return e.group < group; });
        for (; entry != end && entry->group < to; ++entry) {
            if (seen.by[entry->group] == stamp) continue;
            seen.by[entry->group] = stamp;
            if (groups_.last(entry->group) > query.place) verify(query, i, *entry);
        }
    }
    if (groups_.repeated(query.group)) query.matches.push_back({query.group, uint32_t(size)});
}

// Counts the features that both groups share, from the first shared feature on.
void SetJoin::verify(Query& query, size_t at, const Entry& entry) const {
    const uint32_t x = query.group, y = entry.group;
    const uint64_t need = bound_.shared(uint64_t(groups_.sizes[x]) + groups_.sizes[y]);
    const uint32_t shared =
        overlap(ranks_.begin(x) + at + 1, ranks_.end(x),
                ranks_.begin(y) + (entry.position - own(y)) + 1, ranks_.end(y), 1, int64_t(need));
    if (shared > 0) query.matches.push_back({y, shared});
}

// The matches of the groups at the places from `from` to `to`, ascending by group.
std::vector<SetJoin::Query> SetJoin::probe_all(size_t from, size_t to,
                                               std::vector<Seen>& seen) const {
    std::vector<Query> queries;
    for (size_t place = from; place < to; ++place)
        if (groups_.of[place] != Groups::kNone)
            queries.push_back({groups_.of[place], uint32_t(place), {}});
    std::stable_sort(queries.begin(), queries.end(),
                     [](const Query& a, const Query& b) { return a.group < b.group; });
    queries.erase(std::unique(queries.begin(), queries.end(),
                              [](const Query& a, const Query& b) { return a.group == b.group; }),
                  queries.end());
    std::atomic<size_t> next{0};
    on_threads(unsigned(seen.size()), [&](unsigned part) {
        if (seen[part].by.empty()) seen[part].by.assign(groups_.count(), 0);
        for (size_t i; (i = next.fetch_add(1)) < queries.size();) probe(queries[i], seen[part]);
    });
    return queries;
}

// Appends the later places of all matches, ascending.
void SetJoin::expand(uint32_t place, const std::vector<Match>& matches, std::vector<Match>& row,
                     PairBatch& batch) const {
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
    for (const Match& match : row) {
        batch.pairs.insert(batch.pairs.end(), {place, match.group});
        batch.shared.push_back(match.shared);
    }
}

SetJoin::PairBatch SetJoin::find(size_t first, size_t most, unsigned threads) const {
    PairBatch batch{std::min(first, size()), {}, {}};
    std::vector<Seen> seen(threads);
    std::vector<Match> row;
    while (batch.next < size() && batch.shared.size() < most) {
        const size_t to = std::min(size(), batch.next + kPlaces * threads);
        const std::vector<Query> queries = probe_all(batch.next, to, seen);
        for (; batch.next < to; ++batch.next) {
            const uint32_t group = groups_.of[batch.next];
            if (group == Groups::kNone) continue;
            const auto at = std::lower_bound(
                queries.begin(), queries.end(), group,
                [](const Query& query, uint32_t wanted) { return query.group < wanted; });
            expand(uint32_t(batch.next), at->matches, row, batch);
        }
    }
    return batch;
}

size_t SetJoin::nbytes() const {
    const size_t words = groups_.of.capacity() + groups_.sizes.capacity() +
                         groups_.places.capacity() + ranks_.values.capacity() + below_.capacity();
    const size_t longs = groups_.starts.capacity() + ranks_.starts.capacity() + starts_.capacity();
    return words * 4 + longs * 8 + entries_.capacity() * sizeof(Entry);
}

}  // namespace nearcopy
