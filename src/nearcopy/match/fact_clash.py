"""The facts of two titles compared: which agree, which clash, which were updated."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from nearcopy.extract.facts.number_parser import rounds_to, same_when_rounded
from nearcopy.extract.facts.word_lists import ROUGH_DOLLARS, singular
from nearcopy.models import Fact

Pair = tuple[Fact, Fact]

NEAR_FACTOR = 1.25  # sums within this factor neither agree nor clash
CURRENCY_FACTOR = 1.5  # the same sum in two currencies, by rough rates
MIN_ROUNDED = 100  # smaller counts are not rounded
# Kinds that may clash but never confirm: any two titles of a day share them.
UNCONFIRMING_KINDS = frozenset(("weekday", "clock", "year", "month", "quarter", "season"))


class Comparison(NamedTuple):
    """The pairs of facts that agree, clash or moved; each pair is (fact of a, fact of b)."""

    agreements: tuple[Pair, ...] = ()
    clashes: tuple[Pair, ...] = ()
    moved: tuple[Pair, ...] = ()


class _Lists(NamedTuple):
    agreements: list[Pair]
    clashes: list[Pair]
    moved: list[Pair]


NOTHING = Comparison()
NAME = "name"


def compare_facts(a: Sequence[Fact], b: Sequence[Fact]) -> Comparison:
    """The comparison of the facts of two titles.

    >>> first, second = Fact("series", "series a"), Fact("series", "series b")
    >>> len(compare_facts([first], [second]).clashes), len(compare_facts([first], [first]).clashes)
    (1, 0)
    """
    if not a or not b:
        return NOTHING
    left, right = _figures(a), _figures(b)
    lists = _Lists([], [], [])
    for kind, left_facts in left.items():
        right_facts = right.get(kind)
        if right_facts is not None:
            RULES.get(kind, _by_about)(left_facts, right_facts, lists)
    return Comparison(tuple(lists.agreements), tuple(lists.clashes), tuple(lists.moved))


def _figures(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """The facts that can clash, by kind: all but names without a figure."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.about or fact.kind != NAME:
            groups.setdefault(fact.kind, []).append(fact)
    return groups


def _by_about(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Facts about one thing: a shared value agrees, none is a clash."""
    for about in dict.fromkeys(fact.about for fact in a):
        left = [fact for fact in a if fact.about == about]
        right = [fact for fact in b if fact.about == about]
        if right:
            agreed = [(x, y) for x in left for y in right if _equal(x, y)]
            if not agreed:
                lists.clashes.append((left[0], right[0]))
            elif left[0].kind not in UNCONFIRMING_KINDS:
                lists.agreements.extend(agreed)


def _equal(x: Fact, y: Fact) -> bool:
    if x.kind == "date" and len(x.value) != len(y.value):  # a year on one side only
        return x.value[-5:] == y.value[-5:]
    return x.value == y.value


def _versions(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Versions clash within one name, or where they are aligned."""
    _by_about(a, b, lists)
    if {x.about for x in a}.isdisjoint(y.about for y in b):
        lists.clashes.extend((x, y) for x, y in _align(a, b) if x.value != y.value)


def _names(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Names with figures clash within one family: F-16 and F-35."""
    _by_about(a, b, _Lists([], lists.clashes, []))


def _sums(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Money: equal or the same in another currency agrees; aligned sums that differ clash."""
    left_a, left_b = _split_agreeing(a, b, lists, _same_sum)
    for x, y in _align(left_a, left_b):
        if x.about != y.about or not _near(x, y):
            lists.clashes.append((x, y))


def _same_sum(x: Fact, y: Fact) -> bool:
    if x.about == y.about:
        return x.value == y.value
    left = _amount(x) * ROUGH_DOLLARS.get(x.about, 1.0)
    right = _amount(y) * ROUGH_DOLLARS.get(y.about, 1.0)
    return 0 < max(left, right) <= CURRENCY_FACTOR * min(left, right)


def _near(x: Fact, y: Fact) -> bool:
    low, high = sorted((_amount(x), _amount(y)))
    return high <= NEAR_FACTOR * low


def _shares(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Percentages: equal agrees, rounded is neutral, aligned or single ones that differ clash."""
    left_a, left_b = _split_agreeing(a, b, lists, lambda x, y: x.value == y.value)
    pairs = [(left_a[0], left_b[0])] if len(a) == len(b) == len(left_a) == len(left_b) == 1 else []
    for x, y in pairs or _align(left_a, left_b):
        if not _rough(x, y):
            lists.clashes.append((x, y))


def _rough(x: Fact, y: Fact) -> bool:
    """Whether two percentages may be one: rounded, or whole figures near each other."""
    whole = "." not in x.value or "." not in y.value
    return same_when_rounded(_amount(x), _amount(y)) or (whole and _near(x, y))


def _counts(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Counts: tolls move; others clash when aligned, or left over on both sides."""
    counts_a, counts_b = _tolls(a, b, lists)
    if not counts_a or not counts_b:
        return
    left_a, left_b = _split_agreeing(counts_a, counts_b, lists, _same_count)
    swapped = _align(left_a, left_b)
    if swapped:
        lists.clashes.extend(swapped)
        return
    nouns_a, nouns_b = {x.about for x in left_a}, {y.about for y in left_b}
    left_a = [x for x in left_a if x.about and x.about not in nouns_b]
    left_b = [y for y in left_b if y.about and y.about not in nouns_a]
    if left_a and left_b:
        lists.clashes.append((left_a[0], left_b[0]))


def _tolls(a: list[Fact], b: list[Fact], lists: _Lists) -> tuple[list[Fact], list[Fact]]:
    """Record the tolls that agree or moved, and return the other facts of both sides."""
    tolls_a, tolls_b = ([x for x in facts if x.about.startswith("toll ")] for facts in (a, b))
    if tolls_a and tolls_b:
        result = _Lists([], lists.moved, [])
        _by_about(tolls_a, tolls_b, result)
        lists.agreements.extend(result.agreements)
        if result.agreements:
            agreed = {fact for pair in result.agreements for fact in pair}
            left_a = [x for x in tolls_a if x not in agreed]
            left_b = [y for y in tolls_b if y not in agreed]
            lists.moved.extend(pair for pair in _align(left_a, left_b) if pair not in lists.moved)
    return [x for x in a if x not in tolls_a], [y for y in b if y not in tolls_b]


def _ordinals(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Ordinals clash for one noun; "the fifth person dies" has moved on from the fourth."""
    _by_about(*_tolls(a, b, lists), lists)


def _same_count(x: Fact, y: Fact) -> bool:
    if x.value == y.value:
        return True
    low, high = sorted((_amount(x), _amount(y)))
    return low >= MIN_ROUNDED and rounds_to(low, high)


def _split_agreeing(
    a: list[Fact], b: list[Fact], lists: _Lists, same: Callable[[Fact, Fact], bool]
) -> tuple[list[Fact], list[Fact]]:
    """Record the pairs that agree, and return the remaining facts of both sides."""
    pairs = [(x, y) for x in a for y in b if same(x, y)]
    lists.agreements.extend(pairs)
    matched_a, matched_b = {id(x) for x, _ in pairs}, {id(y) for _, y in pairs}
    return [x for x in a if id(x) not in matched_a], [y for y in b if id(y) not in matched_b]


def _align(a: list[Fact], b: list[Fact]) -> list[Pair]:
    """The pairs with the same words around them."""
    return [(x, y) for x in a for y in b if are_aligned(x, y)]


def are_aligned(x: Fact, y: Fact) -> bool:
    """Whether the words around two facts agree, so that one replaces the other."""
    before, after = _count_agreeing(x.before, y.before, -1), _count_agreeing(x.after, y.after, 0)
    if before and after:
        return before > EDGE or after > EDGE
    return max(before, after) >= 2


EDGE = 0.5  # both at the edge of the title: agrees, but is no word


def _count_agreeing(x: str, y: str, nearest: int) -> float:
    """The number of words beside the two facts that agree, outward from them."""
    if not x or not y:
        return EDGE if x == y else 0.0
    left, right = x.split(), y.split()
    if nearest:
        left.reverse()
        right.reverse()
    count = 0
    for one, other in zip(left, right, strict=False):
        if _stem(one) != _stem(other):
            break
        count += 1
    return float(count)


def _stem(word: str) -> str:
    return singular(word.removesuffix("'s"))


def _amount(fact: Fact) -> float:
    return fact.amount or 0.0


def names_shared(a: Collection[str], b: Collection[str]) -> float | None:
    """The share of the smaller side's names that the other side has too; None without names.

    >>> names_shared(["jane doe", "springfield"], ["doe", "shelbyville"])
    0.5
    """
    if not a or not b:
        return None
    names_a, names_b = set(a), set(b)
    both = names_a & names_b
    if len(both) == min(len(names_a), len(names_b)):
        return 1.0
    left_a, left_b = _long_names(names_a - both), _long_names(names_b - both)
    if not both and not (left_a and left_b):
        return None
    smaller = len(both) + min(len(left_a), len(left_b))
    contained = min(_count_contained(left_a, left_b), _count_contained(left_b, left_a))
    return (len(both) + contained) / smaller


def _long_names(names: set[str]) -> list[frozenset[str]]:
    """The words of each name; short ones such as "us" or "pm" do not count."""
    return [frozenset(name.split()) for name in names if len(name) > 2]


def _count_contained(names: list[frozenset[str]], other_names: list[frozenset[str]]) -> int:
    """The number of names that are part of another, or contain one: "Trump" and "Donald Trump"."""
    return sum(any(name <= other or other <= name for other in other_names) for name in names)


RULES = {
    "version": _versions,
    NAME: _names,
    "money": _sums,
    "percent": _shares,
    "basis points": _shares,
    "count": _counts,
    "ordinal": _ordinals,
}
