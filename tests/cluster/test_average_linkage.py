"""Linkage: the groups that the definition asks for, though means are worked out only in time."""

from dataclasses import replace
from itertools import combinations
from math import sqrt

from hypothesis import given
from hypothesis import strategies as st

from nearcopy.cluster.average_linkage import COHESION, MISSING, ONE, Between, Linkage

NODES = 9
LEAST = 0.35


def between(score: float, *, linked: bool = True, apart: bool = False) -> Between:
    return Between(round(score * ONE), 1, linked, apart)


def groups(known, may_join=lambda _a, _b: True, sizes=(1,) * NODES) -> list[list[int]]:
    copies = [(a, b, replace(score)) for (a, b), score in known.items()]
    return [group.nodes for group in Linkage(copies, sizes, LEAST, may_join).run()]


def test_two_that_are_alike_are_put_together():
    assert groups({(0, 1): between(0.35)}) == [[0, 1]]
    assert groups({(0, 1): between(0.34)}) == [[0], [1]]


def test_what_is_not_linked_or_is_kept_apart_is_not():
    assert groups({(0, 1): between(0.9, linked=False)}) == [[0], [1]]
    assert groups({(0, 1): between(0.9, apart=True)}) == [[0], [1]]
    known = {(0, 1): between(0.9), (1, 2): between(0.9), (0, 2): between(0.8, apart=True)}
    assert groups(known) == [[0, 1], [2]]


def test_of_nodes_alike_the_first_are_put_together_first():
    assert groups({(1, 2): between(0.55), (0, 1): between(0.55)}) == [[0, 1], [2]]


def test_who_was_refused_is_asked_again_once_either_has_grown():
    known = {pair: between(0.6) for pair in combinations(range(3), 2)}
    known[0, 1] = between(0.9)
    assert groups(known, lambda a, b: {0, 1} != {*a.nodes, *b.nodes}) == [[0, 1, 2]]


def test_a_refused_pair_is_queued_again_before_a_lower_entry_of_the_group_it_merged_with():
    known = {
        (0, 1): between(0.4),
        (0, 2): between(0.95, linked=False),
        (0, 3): between(0.4),
        (2, 3): between(0.5),
    }
    assert groups(known) == [[0, 2, 3], [1]]


def test_a_group_is_as_large_as_its_nodes_are():
    known = {pair: between(0.6) for pair in combinations(range(3), 2)}
    assert groups(known, lambda a, b: a.size + b.size <= 5, (2, 4, 3)) == [[0, 2], [1]]


# The definition, worked out anew at every step.


def naive(known, may_join) -> list[list[int]]:
    made = [[node] for node in sorted({node for pair in known for node in pair})]
    while found := [pair for pair in combinations(made, 2) if allowed(*pair, known, may_join)]:
        one, other = min(found, key=lambda pair: (-mean(*pair, known), *sorted(map(min, pair))))
        made = [group for group in made if group not in (one, other)] + [one + other]
    return sorted(map(sorted, made))


def pairs(one, other, known):
    return [known.get((min(a, b), max(a, b))) for a in one for b in other]


def mean(one, other, known) -> float:
    return total(pairs(one, other, known)) / (len(one) * len(other))


def total(found) -> int:
    return sum(MISSING if each is None else each.total for each in found)


def within(group, known) -> float:
    inside = [known.get(pair) for pair in combinations(sorted(group), 2)]
    return total(inside) / len(inside)


def allowed(one, other, known, may_join) -> bool:
    found = [each for each in pairs(one, other, known) if each is not None]
    if not any(each.linked for each in found) or any(each.apart for each in found):
        return False
    alike = mean(one, other, known)
    if alike < round(LEAST * ONE) or not may_join(one, other):
        return False
    if min(len(one), len(other)) < 2:
        return True
    return alike >= COHESION * sqrt(within(one, known) * within(other, known))


scores = st.builds(
    between,
    st.sampled_from([0.1, 0.3, 0.4, 0.5, 0.7, 0.95]),
    linked=st.sampled_from([True, True, True, False]),
    apart=st.sampled_from([False] * 9 + [True]),
)
some_known = st.dictionaries(
    st.sampled_from(list(combinations(range(NODES), 2))), scores, max_size=36
)


@given(some_known, st.sampled_from([2, 4, 20]), st.booleans(), st.randoms())
def test_the_groups_are_those_of_the_definition_in_any_order(known, largest, odd, random):
    def allows(one: list[int], other: list[int]) -> bool:
        """A limit, and a rule that may change its mind as groups grow."""
        both = len(one) + len(other)
        return both <= largest and not (odd and both % 3 == 0 and sum(one + other) % 2)

    shuffled = dict(random.sample(list(known.items()), len(known)))
    made = groups(shuffled, lambda a, b: allows(a.nodes, b.nodes))
    assert made == naive(known, allows)
