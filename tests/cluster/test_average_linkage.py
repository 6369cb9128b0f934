"""Average linkage: the clusters of the definition, though means are updated lazily."""

from dataclasses import replace
from itertools import combinations
from math import sqrt

from hypothesis import given
from hypothesis import strategies as st

from nearcopy.cluster.average_linkage import COHESION, MISSING, ONE, AverageLinkage, GroupLink

NODES = 9
THRESHOLD = 0.35


def link(score: float, *, linked: bool = True, apart: bool = False) -> GroupLink:
    return GroupLink(round(score * ONE), 1, linked, apart)


def cluster(scores, can_merge=lambda _a, _b: True, sizes=(1,) * NODES) -> list[list[int]]:
    copies = [(a, b, replace(score)) for (a, b), score in scores.items()]
    return [group.nodes for group in AverageLinkage(copies, sizes, THRESHOLD, can_merge).run()]


def test_two_nodes_are_merged_from_the_threshold_on():
    assert cluster({(0, 1): link(0.35)}) == [[0, 1]]
    assert cluster({(0, 1): link(0.34)}) == [[0], [1]]


def test_nodes_without_a_link_or_with_a_cannot_link_are_not_merged():
    assert cluster({(0, 1): link(0.9, linked=False)}) == [[0], [1]]
    assert cluster({(0, 1): link(0.9, apart=True)}) == [[0], [1]]
    scores = {(0, 1): link(0.9), (1, 2): link(0.9), (0, 2): link(0.8, apart=True)}
    assert cluster(scores) == [[0, 1], [2]]


def test_of_equal_means_the_first_nodes_are_merged_first():
    assert cluster({(1, 2): link(0.55), (0, 1): link(0.55)}) == [[0, 1], [2]]


def test_a_refused_pair_is_tried_again_once_either_group_has_grown():
    scores = {pair: link(0.6) for pair in combinations(range(3), 2)}
    scores[0, 1] = link(0.9)
    assert cluster(scores, lambda a, b: {0, 1} != {*a.nodes, *b.nodes}) == [[0, 1, 2]]


def test_a_refused_pair_is_queued_again_before_a_lower_entry_of_the_group_it_merged_with():
    scores = {
        (0, 1): link(0.4),
        (0, 2): link(0.95, linked=False),
        (0, 3): link(0.4),
        (2, 3): link(0.5),
    }
    assert cluster(scores, lambda a, b: a.size + b.size <= 4) == [[0, 2, 3], [1]]


def test_the_size_of_a_group_is_the_sum_of_its_nodes():
    scores = {pair: link(0.6) for pair in combinations(range(3), 2)}
    assert cluster(scores, lambda a, b: a.size + b.size <= 5, (2, 4, 3)) == [[0, 2], [1]]


# The definition, evaluated from scratch after every merge.


def reference_clusters(scores, can_merge) -> list[list[int]]:
    groups = [[node] for node in sorted({node for pair in scores for node in pair})]
    while pairs := [p for p in combinations(groups, 2) if is_allowed(*p, scores, can_merge)]:
        one, other = min(pairs, key=lambda pair: (-mean(*pair, scores), *sorted(map(min, pair))))
        groups = [group for group in groups if group not in (one, other)] + [one + other]
    return sorted(map(sorted, groups))


def links_between(one, other, scores):
    return [scores.get((min(a, b), max(a, b))) for a in one for b in other]


def mean(one, other, scores) -> float:
    return total(links_between(one, other, scores)) / (len(one) * len(other))


def total(links) -> int:
    return sum(MISSING if link is None else link.total for link in links)


def mean_within(group, scores) -> float:
    inside = [scores.get(pair) for pair in combinations(sorted(group), 2)]
    return total(inside) / len(inside)


def is_allowed(one, other, scores, can_merge) -> bool:
    links = [link for link in links_between(one, other, scores) if link is not None]
    if not any(link.linked for link in links) or any(link.apart for link in links):
        return False
    similarity = mean(one, other, scores)
    if similarity < round(THRESHOLD * ONE) or not can_merge(one, other):
        return False
    if min(len(one), len(other)) < 2:
        return True
    return similarity >= COHESION * sqrt(mean_within(one, scores) * mean_within(other, scores))


random_links = st.builds(
    link,
    st.sampled_from([0.1, 0.3, 0.4, 0.5, 0.7, 0.95]),
    linked=st.sampled_from([True, True, True, False]),
    apart=st.sampled_from([False] * 9 + [True]),
)
score_tables = st.dictionaries(
    st.sampled_from(list(combinations(range(NODES), 2))), random_links, max_size=36
)


@given(score_tables, st.sampled_from([2, 4, 20]), st.booleans(), st.randoms())
def test_the_clusters_are_those_of_the_definition_in_any_order(scores, largest, odd, random):
    def can_merge(one: list[int], other: list[int]) -> bool:
        """A size limit, and a rule whose answer may change as groups grow."""
        size = len(one) + len(other)
        return size <= largest and not (odd and size % 3 == 0 and sum(one + other) % 2)

    shuffled = dict(random.sample(list(scores.items()), len(scores)))
    clusters = cluster(shuffled, lambda a, b: can_merge(a.nodes, b.nodes))
    assert clusters == reference_clusters(scores, can_merge)
