"""Two sides' facts beside each other: what agrees, what clashes, what has moved on."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from nearcopy.extract.facts.currencies import ROUGH_DOLLARS
from nearcopy.extract.facts.number_parser import rounds_to, same_when_rounded
from nearcopy.extract.facts.word_lists import singular
from nearcopy.models import Fact

Pair = tuple[Fact, Fact]

NEAR = 1.25  # sums within this factor of each other say neither yes nor no
WIDE = 1.5  # the same sum in two currencies, by rough rates
LEAST_ROUNDED = 100  # smaller counts are not rounded
# Kinds that may contradict and never confirm: any two titles of a day share them.
SILENT = frozenset(("weekday", "clock", "year", "month", "quarter", "season"))


class Comparison(NamedTuple):
    """What two sides' facts say of each other; pairs are (one of a, one of b)."""

    agreements: tuple[Pair, ...] = ()
    clashes: tuple[Pair, ...] = ()
    moved: tuple[Pair, ...] = ()


class _Lists(NamedTuple):
    agreements: list[Pair]
    clashes: list[Pair]
    moved: list[Pair]


NOTHING = Comparison()
NAME = "name"


def compare(a: Sequence[Fact], b: Sequence[Fact]) -> Comparison:
    """What agrees, clashes or has moved between two titles' facts.

    >>> first, second = Fact("series", "series a"), Fact("series", "series b")
    >>> len(compare([first], [second]).clashes), len(compare([first], [first]).clashes)
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
    """Facts about one thing: any shared value agrees, none shared is a clash."""
    for about in dict.fromkeys(fact.about for fact in a):
        left = [fact for fact in a if fact.about == about]
        right = [fact for fact in b if fact.about == about]
        if right:
            agreed = [(x, y) for x in left for y in right if _equal(x, y)]
            if not agreed:
                lists.clashes.append((left[0], right[0]))
            elif left[0].kind not in SILENT:
                lists.agreements.extend(agreed)


def _equal(x: Fact, y: Fact) -> bool:
    if x.kind == "date" and len(x.value) != len(y.value):  # a year on one side only
        return x.value[-5:] == y.value[-5:]
    return x.value == y.value


def _versions(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Versions clash within one name, or where one stands in the other's place."""
    _by_about(a, b, lists)
    if {x.about for x in a}.isdisjoint(y.about for y in b):
        lists.clashes.extend((x, y) for x, y in _aligned(a, b) if x.value != y.value)


def _names(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Names with figures clash within one family: F-16 and F-35."""
    _by_about(a, b, _Lists([], lists.clashes, []))


def _sums(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Money: equal or the same in another currency agrees; a swap in one place clashes."""
    left_a, left_b = _agreed(a, b, lists, _same_sum)
    for x, y in _aligned(left_a, left_b):
        if x.about != y.about or not _near(x, y):
            lists.clashes.append((x, y))


def _same_sum(x: Fact, y: Fact) -> bool:
    if x.about == y.about:
        return x.value == y.value
    left = _amount(x) * ROUGH_DOLLARS.get(x.about, 1.0)
    right = _amount(y) * ROUGH_DOLLARS.get(y.about, 1.0)
    return 0 < max(left, right) <= WIDE * min(left, right)


def _near(x: Fact, y: Fact) -> bool:
    low, high = sorted((_amount(x), _amount(y)))
    return high <= NEAR * low


def _shares(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Percentages: equal agrees, rounded is neutral, a swap or a lone pair of others clashes."""
    left_a, left_b = _agreed(a, b, lists, _same_value)
    pairs = [(left_a[0], left_b[0])] if len(a) == len(b) == len(left_a) == len(left_b) == 1 else []
    for x, y in pairs or _aligned(left_a, left_b):
        if not _rough(x, y):
            lists.clashes.append((x, y))


def _rough(x: Fact, y: Fact) -> bool:
    """Whether two percentages may be one: rounded, or whole figures near each other."""
    whole = "." not in x.value or "." not in y.value
    return same_when_rounded(_amount(x), _amount(y)) or (whole and _near(x, y))


def _counts(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Counts: tolls move; others clash when swapped in one place or left over on both sides."""
    _tolls(a, b, lists)
    counts_a = [x for x in a if not x.about.startswith("toll ")]
    counts_b = [y for y in b if not y.about.startswith("toll ")]
    if not counts_a or not counts_b:
        return
    left_a, left_b = _agreed(counts_a, counts_b, lists, _same_count)
    swapped = _aligned(left_a, left_b)
    if swapped:
        lists.clashes.extend(swapped)
        return
    nouns_a, nouns_b = {x.about for x in left_a}, {y.about for y in left_b}
    left_a = [x for x in left_a if x.about and x.about not in nouns_b]
    left_b = [y for y in left_b if y.about and y.about not in nouns_a]
    if left_a and left_b:
        lists.clashes.append((left_a[0], left_b[0]))


def _tolls(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    tolls_a = [x for x in a if x.about.startswith("toll ")]
    tolls_b = [y for y in b if y.about.startswith("toll ")]
    if tolls_a and tolls_b:
        result = _Lists([], lists.moved, [])
        _by_about(tolls_a, tolls_b, result)
        lists.agreements.extend(result.agreements)
        if result.agreements:
            agreed = {fact for pair in result.agreements for fact in pair}
            left_a, left_b = (
                [x for x in tolls_a if x not in agreed],
                [y for y in tolls_b if y not in agreed],
            )
            lists.moved.extend(pair for pair in _aligned(left_a, left_b) if pair not in lists.moved)


def _ordinals(a: list[Fact], b: list[Fact], lists: _Lists) -> None:
    """Ordinals clash for one noun; "the fifth person dies" has moved on from the fourth."""
    _tolls(a, b, lists)
    left = [x for x in a if not x.about.startswith("toll ")]
    right = [y for y in b if not y.about.startswith("toll ")]
    _by_about(left, right, lists)


def _same_count(x: Fact, y: Fact) -> bool:
    if x.value == y.value:
        return True
    low, high = sorted((_amount(x), _amount(y)))
    return low >= LEAST_ROUNDED and rounds_to(low, high)


def _same_value(x: Fact, y: Fact) -> bool:
    return x.value == y.value


def _agreed(
    a: list[Fact], b: list[Fact], lists: _Lists, same: Callable[[Fact, Fact], bool]
) -> tuple[list[Fact], list[Fact]]:
    """Notes the pairs that agree, and gives what is left of both sides."""
    pairs = [(x, y) for x in a for y in b if same(x, y)]
    lists.agreements.extend(pairs)
    matched_a, matched_b = {id(x) for x, _ in pairs}, {id(y) for _, y in pairs}
    return [x for x in a if id(x) not in matched_a], [y for y in b if id(y) not in matched_b]


def _aligned(a: list[Fact], b: list[Fact]) -> list[Pair]:
    """The pairs that stand in one place of their titles."""
    return [(x, y) for x in a for y in b if aligned(x, y)]


def aligned(x: Fact, y: Fact) -> bool:
    """Whether the words beside two facts say that one stands where the other did."""
    before, after = _agreeing(x.before, y.before, -1), _agreeing(x.after, y.after, 0)
    if before and after:
        return before > EDGE or after > EDGE
    return max(before, after) >= 2


EDGE = 0.5  # both at the edge of the title: agrees, but is no word


def _agreeing(x: str, y: str, nearest: int) -> float:
    """How many words next to the two facts agree, outward from them."""
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
    left_a, left_b = _telling(names_a - both), _telling(names_b - both)
    if not both and not (left_a and left_b):
        return None
    smaller = len(both) + min(len(left_a), len(left_b))
    return (len(both) + min(_known(left_a, left_b), _known(left_b, left_a))) / smaller


def _telling(names: set[str]) -> list[frozenset[str]]:
    """The words of each name; "us" or "pm" missing on one side tells nothing."""
    return [frozenset(name.split()) for name in names if len(name) > 2]


def _known(names: list[frozenset[str]], other_names: list[frozenset[str]]) -> int:
    """How many names are part of another, or hold it: "Trump" and "Donald Trump"."""
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
