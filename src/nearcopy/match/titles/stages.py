"""Two titles on different stages or sides of one matter."""

from collections.abc import Sequence

from nearcopy.extract.titles.stage_words import FIRST_ALONE, SIDES, WORDS


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
    left = {side for word in a for side in WORDS.get(word, ())}
    right = {side for word in b for side in WORDS.get(word, ())}
    if left == right:
        return None
    left_axes = {axis for axis, _ in left - right}
    right_axes = {axis for axis, _ in right - left}
    for axis in sorted(left_axes & right_axes):
        return f"{_word(a, axis)} / {_word(b, axis)}"
    for axis in sorted(left_axes | right_axes):
        if axis >= FIRST_ALONE:
            return f"{_word(a, axis)} / {_word(b, axis)}"
    return None


def same_side(x: str, y: str) -> bool:
    """Whether two stems stand on one side of an axis, as words for one thing do.

    >>> same_side("jump", "climb"), same_side("jump", "slump")
    (True, False)
    """
    sides = SIDES.get(x)
    return sides is not None and not set(sides).isdisjoint(SIDES.get(y, ()))


def _word(words: Sequence[str], axis: int) -> str:
    """The first word on the axis, or a dash."""
    on_it = (word for word in words for on, _ in WORDS.get(word, ()) if on == axis)
    return next(on_it, "-")
