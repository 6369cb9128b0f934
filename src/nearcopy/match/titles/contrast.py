"""Two titles on different stages or sides of one matter."""

from collections.abc import Iterable, Sequence

from nearcopy.extract.titles.stage_words import FIRST_DISTINCTIVE, SIDES_BY_STEM, STAGE_WORDS


def contrast(a: Sequence[str], b: Sequence[str]) -> str | None:
    """The words by which two titles are of other stages or sides, a's first; else None.

    Given are the titles' stages. Only sides that the titles do not share are looked at.

    >>> contrast(["suspends"], ["resumes"]), contrast(["suspends"], ["suspended"])
    ('suspends / resumes', None)
    >>> contrast(["takeaways"], [])
    'takeaways / -'
    """
    if a == b:
        return None
    left = {side for word in a for side in STAGE_WORDS.get(word, ())}
    right = {side for word in b for side in STAGE_WORDS.get(word, ())}
    if left == right:
        return None
    left_axes = {axis for axis, _ in left - right}
    right_axes = {axis for axis, _ in right - left}
    for axis in sorted(left_axes & right_axes):
        return f"{_word(a, axis)} / {_word(b, axis)}"
    for axis in sorted(left_axes | right_axes):
        if axis >= FIRST_DISTINCTIVE:
            return f"{_word(a, axis)} / {_word(b, axis)}"
    return None


def same_side(x: str, y: str) -> bool:
    """Whether two stems stand on one side of an axis, as words for one thing do.

    >>> same_side("jump", "climb"), same_side("jump", "slump")
    (True, False)
    """
    sides = SIDES_BY_STEM.get(x)
    return sides is not None and not set(sides).isdisjoint(SIDES_BY_STEM.get(y, ()))


def _word(words: Sequence[str], axis: int) -> str:
    """The first word on the axis, or a dash."""
    on_it = (word for word in words for on, _ in STAGE_WORDS.get(word, ()) if on == axis)
    return next(on_it, "-")


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
MAX_EXCHANGED = 3  # of each of the two that change places, and of what is between


def _opposites() -> dict[str, tuple[int, int]]:
    """The line of each word, and on which side of it the word stands."""
    lines = (line.split(" | ") for line in PAIRS.strip().splitlines())
    return {
        word: (number, side)
        for number, sides in enumerate(lines)
        for side, words in enumerate(sides)
        for word in words.split()
    }


OPPOSITES = _opposites()
_BOTH_WAYS, _PREPOSITIONS = frozenset(BOTH_WAYS.split()), frozenset(PREPOSITIONS.split())


def opposite(swap: Iterable[tuple[str, str]]) -> str | None:
    """The first of the swapped words that say the reverse; None where none do.

    >>> opposite([("up", "down")]), opposite([("up", "again")])
    ('up / down', None)
    """
    reversed_pairs = (f"{x} / {y}" for x, y in swap if _are_opposite(x, y))
    return next(reversed_pairs, None)


def _are_opposite(x: str, y: str) -> bool:
    left, right = OPPOSITES.get(x), OPPOSITES.get(y)
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
    left, right = _differing_words(a.split(" "), b.split(" "))
    if len(left) > 3 * MAX_EXCHANGED or sorted(left) != sorted(right):
        return None
    for first in range(1, min(MAX_EXCHANGED, len(left) - 2) + 1):
        for last in range(1, min(MAX_EXCHANGED, len(left) - first - 1) + 1):
            end = len(left) - last
            between = left[first:end]
            if right == [*left[end:], *between, *left[:first]] and _has_a_way(between):
                return f"{' '.join(left)} / {' '.join(right)}"
    return None


def _differing_words(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Two titles of as many words, without those at either end that they share."""
    if len(a) != len(b):
        return [], []
    differ = [place for place, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
    return list(a[differ[0] : differ[-1] + 1]), list(b[differ[0] : differ[-1] + 1])


def _has_a_way(between: Sequence[str]) -> bool:
    """Whether what stands between two says something else of the one than of the other."""
    if len(between) > MAX_EXCHANGED or between[0] in _PREPOSITIONS:
        return False
    return not _BOTH_WAYS.issuperset(between)
