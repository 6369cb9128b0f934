"""Contrasts of two titles: other stages or sides, opposites, and exchanged roles."""

from collections.abc import Iterable, Sequence

from nearcopy.extract.titles.stages_and_columns import FIRST_DISTINCTIVE, SIDES_BY_STEM, STAGE_WORDS
from nearcopy.extract.word_lists import load_word_lists, words


def find_contrast(a: Sequence[str], b: Sequence[str]) -> str | None:
    """The stage words by which two titles contrast, a's first; None without a contrast.

    Only sides that the titles do not share count.

    >>> find_contrast(["suspends"], ["resumes"]), find_contrast(["suspends"], ["suspended"])
    ('suspends / resumes', None)
    >>> find_contrast(["takeaways"], [])
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
    distinctive = {axis for axis in left_axes | right_axes if axis >= FIRST_DISTINCTIVE}
    axes = left_axes & right_axes or distinctive
    if not axes:
        return None
    return f"{_first_word_on_axis(a, min(axes))} / {_first_word_on_axis(b, min(axes))}"


def same_side(x: str, y: str) -> bool:
    """Whether two stems are on one side of an axis, as synonyms are.

    >>> same_side("jump", "climb"), same_side("jump", "slump")
    (True, False)
    """
    sides = SIDES_BY_STEM.get(x)
    return sides is not None and not set(sides).isdisjoint(SIDES_BY_STEM.get(y, ()))


def _first_word_on_axis(words: Sequence[str], axis: int) -> str:
    """The first word on the axis, or a dash."""
    matches = (word for word in words for on, _ in STAGE_WORDS.get(word, ()) if on == axis)
    return next(matches, "-")


MAX_EXCHANGED = 3  # words of each exchanged part, and between them

_LISTS = load_word_lists(__package__, "contrast_words.toml")
OPPOSITES = {  # the number of the pair and the side of each word
    word: (number, side)
    for number, sides in enumerate(_LISTS["opposites"])
    for side, listed in enumerate(sides)
    for word in listed.split()
}
SYMMETRIC_WORDS, PREPOSITIONS = words(_LISTS["symmetric_words"]), words(_LISTS["prepositions"])


def find_opposite(swap: Iterable[tuple[str, str]]) -> str | None:
    """The first swapped words that are opposites; None without any.

    >>> find_opposite([("up", "down")]), find_opposite([("up", "again")])
    ('up / down', None)
    """
    reversed_pairs = (f"{x} / {y}" for x, y in swap if _are_opposite(x, y))
    return next(reversed_pairs, None)


def _are_opposite(x: str, y: str) -> bool:
    left, right = OPPOSITES.get(x), OPPOSITES.get(y)
    return left is not None and right is not None and left[0] == right[0] and left != right


def find_exchange(a: str, b: str) -> str | None:
    """The parts that two normalised titles exchange, so that roles are reversed; else None.

    >>> find_exchange("acme buys globex", "globex buys acme")
    'acme buys globex / globex buys acme'
    >>> find_exchange("acme and globex agree", "globex and acme agree") is None
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
            if right == [*left[end:], *between, *left[:first]] and _is_directed(between):
                return f"{' '.join(left)} / {' '.join(right)}"
    return None


def _differing_words(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Two titles of equal length without their common beginning and end."""
    if len(a) != len(b):
        return [], []
    differ = [place for place, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
    return list(a[differ[0] : differ[-1] + 1]), list(b[differ[0] : differ[-1] + 1])


def _is_directed(between: Sequence[str]) -> bool:
    """Whether the words between two parts give them different roles."""
    if len(between) > MAX_EXCHANGED or between[0] in PREPOSITIONS:
        return False
    return not SYMMETRIC_WORDS.issuperset(between)
