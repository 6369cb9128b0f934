"""The words beside spans of a title."""

from collections.abc import Sequence

from nearcopy.kernels.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^\W_]+(?:'[^\W_]+)?")
_LETTERS = lazy_pattern(r"(?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f])+")  # with Hindi's vowel signs
_CLAUSE = lazy_pattern(r"[\d,;:.!?|()。，、；：\ue000]")


def neighbours(text: str, spans: Sequence[tuple[int, int]], most: int) -> list[tuple[str, str]]:
    """Up to `most` words before and after each span, without words that overlap it.

    >>> neighbours("storm cuts power to 900 homes", [(20, 23)], 2)
    [('power to', 'homes')]
    """
    words = [match.span() for match in _WORD.finditer(text)]
    rows = []
    for start, end in spans:
        before = [text[s:e] for s, e in words if e <= start]
        after = [text[s:e] for s, e in words if s >= end]
        rows.append((" ".join(before[-most:]), " ".join(after[:most])))
    return rows


def clause_words(
    text: str, start: int, end: int, *, reach: int, before: int, after: int
) -> tuple[list[str], list[str]]:
    """The last words before a span and the first after it, in its clause and `reach` characters.

    >>> clause_words("on monday, two of 9 ferries sank", 18, 19, reach=40, before=6, after=5)
    (['two', 'of'], ['ferries', 'sank'])
    """
    left = _CLAUSE.split(text[max(0, start - reach) : start])[-1]
    right = _CLAUSE.split(text[end : end + reach], maxsplit=1)[0]
    return _LETTERS.findall(left)[-before:], _LETTERS.findall(right)[:after]
