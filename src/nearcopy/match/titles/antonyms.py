"""Opposites: titles that are else the same, and say the reverse of each other."""

from collections.abc import Iterable, Sequence

# Words that stand in each other's place in opposite titles, a line for the two sides.
PAIRS = """
up | down
off | ahead
sign signs signed | veto vetoes vetoed
buy buys bought | sell sells sold
man boy husband father son brother | woman girl wife mother daughter sister
king prince | queen princess
profit profits | loss losses
import imports | export exports
high highs highest | low lows lowest
above over | below under
before | after
more | less fewer
cheaper | dearer costlier
for pro | against anti
with | without
left | right
home | away
legal | illegal
true | false
guilty | innocent
alive | dead
major | minor
early | late
older oldest | younger youngest
public | private
"""
# Words between two names that may change places: what they say holds both ways.
BOTH_WAYS = """
and or vs v versus with meet meets met to will face faces play plays marry marries married dates
und oder et ou y e o og och i en
"""
# What follows these tells where or when, and may stand anywhere.
PREPOSITIONS = """
in on at of for after over near from by as amid during before under into across around outside
inside within since until via im am bei nach an a dans sur apres en tras por
"""
MOST_WORDS = 3  # of each of the two that change places, and of what is between


def _sides() -> dict[str, tuple[int, int]]:
    """The line of each word, and on which side of it the word stands."""
    lines = (line.split(" | ") for line in PAIRS.strip().splitlines())
    return {
        word: (number, side)
        for number, sides in enumerate(lines)
        for side, words in enumerate(sides)
        for word in words.split()
    }


SIDES = _sides()
_BOTH_WAYS, _PREPOSITIONS = frozenset(BOTH_WAYS.split()), frozenset(PREPOSITIONS.split())


def opposite(swap: Iterable[tuple[str, str]]) -> str | None:
    """The first of the swapped words that say the reverse; None where none do.

    >>> opposite([("up", "down")]), opposite([("up", "again")])
    ('up / down', None)
    """
    reversed_pairs = (f"{x} / {y}" for x, y in swap if _are_opposite(x, y))
    return next(reversed_pairs, None)


def _are_opposite(x: str, y: str) -> bool:
    left, right = SIDES.get(x), SIDES.get(y)
    return left is not None and right is not None and left[0] == right[0] and left != right


def exchanged(a: str, b: str) -> str | None:
    """What changed places in two normal titles, so that who did what to whom is the reverse.

    >>> exchanged("acme buys globex", "globex buys acme")
    'acme buys globex / globex buys acme'
    >>> exchanged("acme and globex agree", "globex and acme agree") is None
    True
    """
    if len(a) != len(b) or a == b:
        return None
    left, right = _apart(a.split(" "), b.split(" "))
    if len(left) > 3 * MOST_WORDS or sorted(left) != sorted(right):
        return None
    for first in range(1, min(MOST_WORDS, len(left) - 2) + 1):
        for last in range(1, min(MOST_WORDS, len(left) - first - 1) + 1):
            end = len(left) - last
            between = left[first:end]
            if right == [*left[end:], *between, *left[:first]] and _has_a_way(between):
                return f"{' '.join(left)} / {' '.join(right)}"
    return None


def _apart(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Two titles of as many words, without those at either end that they share."""
    if len(a) != len(b):
        return [], []
    differ = [place for place, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
    return list(a[differ[0] : differ[-1] + 1]), list(b[differ[0] : differ[-1] + 1])


def _has_a_way(between: Sequence[str]) -> bool:
    """Whether what stands between two says something else of the one than of the other."""
    if len(between) > MOST_WORDS or between[0] in _PREPOSITIONS:
        return False
    return not _BOTH_WAYS.issuperset(between)
