"""Alignment: two texts in rows, what they share side by side, and what only one has."""

from collections.abc import Iterator, Sequence
from typing import Any

from nearcopy.extract.text import strip_html
from nearcopy.kernels.result_types import Passage
from nearcopy.models.model import Article

MOST = 300  # passages that are aligned, the longest
LONGEST = 3000  # characters of one text between two passages that are shown
ENDS = 1200
MARKS = 3  # behind a passage that belong to it
Row = dict[str, Any]


def aligned(a: Article, b: Article, passages: Sequence[Passage]) -> list[Row]:
    """Rows that hold a shared passage, or what stands in the two texts before the next one.

    Passages that stand in another order in the two are marked within the rows where they stand.
    """
    whole = {_with_marks(each, a.text, b.text) for each in _longest(passages)}
    numbers = {each: n for n, each in enumerate(sorted(whole), start=1)}
    anchors = _in_order(list(numbers))
    rest = [each for each in numbers if each not in {*anchors}]
    mine = _Side(a, [(p.a_start, p.a_end, numbers[p]) for p in rest])
    theirs = _Side(b, [(p.b_start, p.b_end, numbers[p]) for p in rest])
    rows: list[Row] = []
    for each in anchors:
        rows += _between(mine.until(each.a_start), theirs.until(each.b_start))
        here, there = mine.whole(each.a_end), theirs.whole(each.b_end)
        number = numbers[each]
        rows.append({"shared": number, "words": each.words, "a": [here], "b": [there]})
    rows += _between(mine.until(len(a.text)), theirs.until(len(b.text)))
    return rows


def _between(mine: list[Row], theirs: list[Row]) -> Iterator[Row]:
    if mine or theirs:
        yield {"shared": None, "words": 0, "a": mine, "b": theirs}


class _Side:
    """One text, taken apart from its beginning on."""

    def __init__(self, article: Article, moved: list[tuple[int, int, int]]) -> None:
        self._text, self._html = article.text, article.html
        self._moved = sorted(moved)
        self._at = 0

    def until(self, end: int) -> list[Row]:
        """What stands before a place, with passages that the other has elsewhere."""
        pieces: list[Row] = []
        for start, stop, number in self._moved:
            if self._at <= start and stop <= end:
                pieces += self._piece(start, None)
                pieces += self._piece(stop, number)
        pieces += self._piece(end, None)
        return pieces

    def whole(self, end: int) -> Row:
        """What is shared, up to a place."""
        return {"text": self._taken(end), "moved": None, "only": False}

    def _piece(self, end: int, number: int | None) -> list[Row]:
        text = self._taken(end)
        if not text.strip():
            return []
        only = number is None and any(letter.isalnum() for letter in text)
        return [{"text": _shortened(text), "moved": number, "only": only}]

    def _taken(self, end: int) -> str:
        text, self._at = self._text[self._at : end], max(self._at, end)
        return strip_html(text) if self._html else text


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    left = len(text) - 2 * ENDS
    return f"{text[:ENDS]} … {left:,} characters … {text[-ENDS:]}"


def _with_marks(passage: Passage, a: str, b: str) -> Passage:
    """The passage with the full stop, or the like, that ends it in both texts."""
    more = 0
    while more < MARKS and _mark(a, passage.a_end + more) == _mark(b, passage.b_end + more) != "":
        more += 1
    return passage._replace(a_end=passage.a_end + more, b_end=passage.b_end + more)


def _mark(text: str, place: int) -> str:
    """The mark that stands there, where it is one."""
    letter = text[place : place + 1]
    return "" if letter.isalnum() or letter.isspace() or letter == "<" else letter


def _longest(passages: Sequence[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda each: (-each.words, each.a_start))[:MOST]


def _in_order(passages: list[Passage]) -> list[Passage]:
    """Passages that follow each other in both texts, of as many words as can be."""
    ranked = sorted(passages)
    best: list[tuple[int, int | None]] = []  # words so far, and the passage before
    for place, each in enumerate(ranked):
        before = [
            (best[k][0], k)
            for k in range(place)
            if ranked[k].a_end <= each.a_start and ranked[k].b_end <= each.b_start
        ]
        words, last = max(before, default=(0, None), key=lambda found: found[0])
        best.append((words + each.words, last))
    at: int | None = max(range(len(best)), key=lambda k: best[k][0], default=None)
    chain: list[Passage] = []
    while at is not None:
        chain.append(ranked[at])
        at = best[at][1]
    return chain[::-1]
